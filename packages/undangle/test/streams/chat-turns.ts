import { ready, streams, turn } from "./build.ts";
import { DONE, begin, calls, chat, chatText, chunk, delta, end, entry, more, role, says } from "./build-chat.ts";

const day = { day: "Monday" };
const called = [ready("c1", "plan", day)];
const plan = begin(0, "c1", "plan", '{"day":"Monday"}');

export const chatTurns = streams("openai-chat", {
  "text around calls": {
    "before, between and behind": {
      frames: chat(says("Well. "), calls(plan), says("\n"), calls(begin(1, "c2", "plan", "{}")), says("That is it.")),
      expect: turn({ text: "Well. \nThat is it.", calls: [ready("c1", "plan", day), ready("c2", "plan")] }),
    },
    "in the middle of the arguments, and in the same delta": {
      frames: chat(
        calls(begin(0, "c1", "plan", '{"day":')),
        says("…"),
        delta({ content: " ok", tool_calls: [more(0, '"Monday"}')] }),
      ),
      expect: turn({ text: "… ok", calls: called }),
    },
    "with the finish": {
      frames: [role, calls(plan), delta({ content: "Bye." }, "tool_calls"), DONE],
      expect: turn({ text: "Bye.", calls: called }),
    },
  },
  reasoning: {
    "between the pieces of a call": {
      frames: chat(
        delta({ reasoning_content: "Which day? " }),
        calls(begin(0, "c1", "plan", '{"day":')),
        delta({ reasoning_content: "Monday." }),
        calls(more(0, '"Monday"}')),
      ),
      expect: turn({ reasoning: "Which day? Monday.", calls: called }),
    },
    "under its other name, with an empty one beside it": {
      frames: chatText(
        delta({ reasoning_content: "", reasoning: "Hm. ", content: "" }),
        delta({ reasoning: "So.", content: "Yes." }),
      ),
      expect: turn({ reasoning: "Hm. So.", text: "Yes." }),
    },
    "in both names at once: said once": {
      frames: chatText(delta({ reasoning_content: "Hm.", reasoning: "Hm." }), says("Yes.")),
      expect: turn({ reasoning: "Hm.", text: "Yes." }),
    },
    "as a list of details only": {
      frames: chatText(
        delta({ reasoning_details: [{ type: "reasoning.text", text: "Let me " }] }),
        delta({ reasoning_details: [{ type: "reasoning.summary", summary: "see." }] }),
        says("Ok"),
      ),
      expect: turn({ reasoning: "Let me see.", text: "Ok" }),
    },
  },
  "content as a list": {
    "text and thinking": {
      frames: chatText(
        says([
          {
            type: "thinking",
            thinking: [
              { type: "text", text: "two " },
              { type: "text", text: "days" },
            ],
          },
        ]),
        says([
          { type: "text", text: "In two " },
          { type: "text", text: "days." },
          { type: "reference", reference_ids: [1] },
        ]),
      ),
      expect: turn({ reasoning: "two days", text: "In two days." }),
    },
    "thinking as text, with a call": {
      frames: chat(says([{ type: "thinking", thinking: "Monday" }, null, 7]), calls(plan)),
      expect: turn({ reasoning: "Monday", calls: called }),
    },
    "a refusal": {
      frames: chatText(delta({ refusal: "I will " }), delta({ refusal: "not." })),
      expect: turn({ text: "I will not." }),
    },
  },
  "role repeated or absent": {
    "on every delta": {
      frames: [
        delta({ role: "assistant", content: "Su" }),
        delta({ role: "assistant", content: "re" }),
        delta({ role: "assistant", tool_calls: [plan] }),
        delta({ role: "assistant" }, "tool_calls"),
        DONE,
      ],
      expect: turn({ text: "Sure", calls: called }),
    },
    never: { frames: [calls(plan), end(), DONE], expect: turn({ calls: called }) },
    "as something else": {
      frames: [delta({ role: "tool", content: "x" }), delta({ role: null, tool_calls: [plan] }), end(), DONE],
      expect: turn({ text: "x", calls: called }),
    },
  },
  "the old form function_call": {
    "in pieces": {
      frames: [
        role,
        delta({ function_call: { name: "plan", arguments: "" } }),
        delta({ function_call: { arguments: '{"day":' } }),
        delta({ function_call: { arguments: '"Monday"}' } }),
        end("function_call"),
        DONE,
      ],
      expect: turn({ calls: [ready(null, "plan", day)] }),
      anomalies: ["legacy-function-call"],
    },
    "whole, behind text, with an object": {
      frames: [
        says("Ok."),
        delta({ function_call: { name: "plan", arguments: { day: "Monday" } } }),
        end("stop"),
        DONE,
      ],
      expect: turn({ text: "Ok.", calls: [ready(null, "plan", day)] }),
    },
    "beside the new form: one call": {
      frames: [
        role,
        delta({ tool_calls: [plan], function_call: { name: "plan", arguments: '{"day":"Monday"}' } }),
        end(),
        DONE,
      ],
      expect: turn({ calls: called }),
    },
    "null beside the new form": {
      frames: chat(delta({ function_call: null, tool_calls: [plan] })),
      expect: turn({ calls: called }),
    },
  },
  "everything once more at the end": {
    "as a message without a delta": {
      frames: [
        role,
        says("Well. "),
        calls(plan),
        chunk([
          {
            index: 0,
            message: { role: "assistant", content: "Well. ", tool_calls: [plan] },
            finish_reason: "tool_calls",
          },
        ]),
        DONE,
      ],
      expect: turn({ text: "Well. ", calls: called }),
    },
    "with a call that no delta told": {
      frames: [
        says("Well."),
        chunk([
          { index: 0, message: { role: "assistant", content: "Well.", tool_calls: [plan] }, finish_reason: "stop" },
        ]),
      ],
      expect: turn({ text: "Well.", calls: called }),
    },
  },
  "odd containers": {
    "one call and no list": {
      frames: chat(delta({ tool_calls: entry({ index: 0, id: "c1", name: "plan", args: '{"day":"Monday"}' }) })),
      expect: turn({ calls: called }),
    },
    "null and empty lists of calls": {
      frames: chatText(delta({ content: "a", tool_calls: null }), delta({ content: "b", tool_calls: [] })),
      expect: turn({ text: "ab" }),
    },
    "usage in the middle": {
      frames: chat(chunk([], { usage: null }), calls(plan), chunk([], { usage: { total_tokens: 3 } })),
      expect: turn({ calls: called }),
    },
  },
});
