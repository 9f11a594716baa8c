import { cut, failed, ready, streams, truncated, turn } from "./build.ts";
import { DONE, begin, calls, chat, chunk, delta, end, more, role, says } from "./build-chat.ts";

const whole = begin(0, "e1", "post", '{"to":"all"}');
const half = begin(0, "e1", "post", '{"to":"al');
const done = [ready("e1", "post", { to: "all" })];
const broken = [truncated("e1", "post")];

export const chatEndings = streams("openai-chat", {
  "the finish lies": {
    "stop behind calls": {
      frames: [role, calls(whole), end("stop"), DONE],
      expect: turn({ calls: done }),
      anomalies: ["finish-contradicts"],
    },
    "tool_calls behind text": {
      frames: [role, says("Nothing to do."), end("tool_calls"), DONE],
      expect: turn({ text: "Nothing to do." }),
    },
    "the calls come with it": {
      frames: [role, delta({ tool_calls: [whole] }, "stop"), DONE],
      expect: turn({ calls: done }),
    },
    "a number": {
      frames: [role, calls(whole), end(2), DONE],
      expect: turn({ calls: done }),
      anomalies: ["finish-unknown"],
    },
    "a word that nobody knows": {
      frames: [role, says("Fin."), end("eos_token"), DONE],
      expect: turn({ text: "Fin." }),
    },
  },
  "the finish comes twice": {
    "the same": {
      frames: [role, calls(whole), end(), end(), DONE],
      expect: turn({ calls: done }),
      anomalies: ["finish-repeated"],
    },
    "tool_calls, then stop": {
      frames: [role, calls(whole), end("tool_calls"), end("stop"), DONE],
      expect: turn({ calls: done }),
    },
    "length, then stop": {
      frames: [role, calls(whole), end("length"), end("stop"), DONE],
      expect: turn({ calls: done, finish: "length", complete: false }),
    },
  },
  "a blank finish": {
    "the word null on every chunk": {
      frames: [
        delta({ role: "assistant" }, "null"),
        delta({ tool_calls: [begin(0, "e1", "post", '{"to":')] }, "null"),
        delta({ tool_calls: [more(0, '"all"}')] }, "null"),
      ],
      expect: cut({ calls: done }),
    },
    "the word None on every chunk": {
      frames: [delta({ content: "Hal" }, "None"), delta({ content: "f" }, "None"), end("stop"), DONE],
      expect: turn({ text: "Half" }),
    },
    "empty on every chunk": {
      frames: [
        delta({ role: "assistant" }, ""),
        delta({ tool_calls: [begin(0, "e1", "post", '{"to":')] }, ""),
        delta({ tool_calls: [more(0, '"all"}')] }, ""),
        end(),
        DONE,
      ],
      expect: turn({ calls: done }),
    },
    "empty, and then nothing: no terminal": {
      frames: [delta({ content: "Hal" }, ""), delta({ content: "f" }, " ")],
      expect: cut({ text: "Half" }),
      anomalies: ["stream-cut"],
    },
  },
  "more behind the finish": {
    arguments: {
      frames: [role, calls(begin(0, "e1", "post", '{"to":')), end(), calls(more(0, '"all"}')), DONE],
      expect: turn({ calls: done }),
      anomalies: ["after-finish"],
    },
    "text, and a whole call": {
      frames: [role, says("a"), end("stop"), says("b"), calls(whole), DONE],
      expect: turn({ text: "ab", calls: done }),
    },
  },
  "a terminal is missing": {
    "no finish": { frames: [role, calls(whole), DONE], expect: turn({ calls: done }), anomalies: ["finish-missing"] },
    "no finish, only text": { frames: [role, says("Fine."), DONE], expect: turn({ text: "Fine." }) },
    "no [DONE]": { frames: [role, calls(whole), end()], expect: turn({ calls: done }) },
    neither: { frames: [role, calls(whole)], expect: cut({ calls: done }) },
    "neither, and nothing at all": { frames: [], expect: cut() },
  },
  "cut in the arguments": {
    "no terminal": {
      frames: [role, says("Now: "), calls(half)],
      expect: cut({ text: "Now: ", calls: broken }),
      anomalies: ["arguments-truncated"],
    },
    "a proxy adds [DONE]": { frames: [role, calls(half), DONE], expect: turn({ calls: broken, complete: false }) },
    "before the first argument": { frames: [role, calls(begin(0, "e1", "post", ""))], expect: cut({ calls: broken }) },
    "in the second of two": {
      frames: [role, calls(whole), calls(begin(1, "e2", "post", "{"))],
      expect: cut({ calls: [...done, truncated("e2", "post")] }),
    },
  },
  "too long": {
    length: {
      frames: [role, calls(half), end("length"), DONE],
      expect: turn({ calls: broken, finish: "length", complete: false }),
    },
    "length, and the first call is whole": {
      frames: [role, calls(whole), calls(begin(1, "e2", "post", '{"to')), end("length"), DONE],
      expect: turn({ calls: [...done, truncated("e2", "post")], finish: "length", complete: false }),
    },
    "disguised as tool_calls": { frames: chat(calls(half)), expect: turn({ calls: broken, complete: false }) },
    "disguised as stop, cut behind a key": {
      frames: [role, calls(begin(0, "e1", "post", '{"to"')), end("stop"), DONE],
      expect: turn({ calls: broken, complete: false }),
    },
    "in the words of others": {
      frames: [role, says("And"), end("MAX_TOKENS"), DONE],
      expect: turn({ text: "And", finish: "length", complete: false }),
    },
    "the context is full": {
      frames: [role, says("And"), end("model_context_window_exceeded"), DONE],
      expect: turn({ text: "And", finish: "length", complete: false }),
    },
    "only text": {
      frames: [role, says("And so"), end("length"), DONE],
      expect: turn({ text: "And so", finish: "length", complete: false }),
    },
  },
  filtered: {
    content_filter: {
      frames: [role, says("It"), end("content_filter"), DONE],
      expect: turn({ text: "It", finish: "content_filter", complete: false }),
    },
    "in the words of Gemini": {
      frames: [role, says("It"), end("PROHIBITED_CONTENT"), DONE],
      expect: turn({ text: "It", finish: "content_filter", complete: false }),
    },
    "behind a whole call: nothing runs": {
      frames: [role, calls(whole), end("content_filter"), DONE],
      expect: turn({ calls: done, finish: "content_filter", complete: false }),
    },
  },
  "an error in the stream": {
    "beside an empty delta": {
      frames: [
        role,
        calls(half),
        chunk([{ index: 0, delta: { content: "" }, finish_reason: "error" }], {
          error: { code: 503, message: "no worker" },
        }),
        DONE,
      ],
      expect: failed({ calls: broken }),
      anomalies: ["stream-error"],
    },
    "beside the last words": {
      frames: [
        role,
        chunk([{ index: 0, delta: { content: "Las" }, finish_reason: null }], { error: { message: "boom" } }),
      ],
      expect: failed({ text: "Las" }),
    },
    "as a text": { frames: [role, says("Ye"), { error: "out of memory" }, DONE], expect: failed({ text: "Ye" }) },
    "as the only frame": {
      frames: [chunk([], { error: { code: 429, message: "slow down" } }), DONE],
      expect: failed(),
    },
    "behind a whole call: nothing runs": {
      frames: [role, calls(whole), end(), { error: { message: "late" } }, DONE],
      expect: failed({ calls: done }),
    },
    "by the finish alone": {
      frames: [role, calls(whole), end("network_error"), DONE],
      expect: failed({ calls: done }),
    },
    "a call that nobody expected": {
      frames: [role, end("function_call_filter: UNEXPECTED_TOOL_CALL"), DONE],
      expect: failed(),
    },
    "as an object of vLLM": {
      frames: [role, { object: "error", message: "too long", type: "BadRequestError", code: 400 }, DONE],
      expect: failed(),
    },
    "as a base_resp of MiniMax": {
      frames: [chunk(null, { base_resp: { status_code: 1008, status_msg: "no balance" } })],
      expect: failed(),
    },
    "a base_resp that says that all is well": {
      frames: [
        role,
        says("Hi"),
        chunk([{ index: 0, delta: {}, finish_reason: "stop" }], { base_resp: { status_code: 0, status_msg: "" } }),
      ],
      expect: turn({ text: "Hi" }),
    },
    "null is no error": {
      frames: [role, chunk([{ index: 0, delta: { content: "Hi" } }], { error: null }), end("stop"), DONE],
      expect: turn({ text: "Hi" }),
    },
  },
});
