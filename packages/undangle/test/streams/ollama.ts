import { cut, failed, lines, malformed, ready, sse, streams, turn } from "./build.ts";
import type { Frame } from "./build.ts";

const says = (content: string, more: object = {}) => ({
  model: "m",
  created_at: "2026-02-03T04:05:06Z",
  message: { role: "assistant", content, ...more },
  done: false,
});
const fn = (name: unknown, args?: unknown) => ({ function: { name, arguments: args } });
const done = (more: object = {}) => ({
  model: "m",
  created_at: "2026-02-03T04:05:07Z",
  message: { role: "assistant", content: "" },
  done: true,
  done_reason: "stop",
  eval_count: 4,
  ...more,
});
const whole = (...frames: readonly Frame[]): readonly Frame[] => [...frames, done()];

const pot = { pot: "blue" };
const watered = [ready(null, "water", pot)];

export const ollama = streams("ollama", {
  "calls of Ollama": {
    "no id, an object": {
      frames: whole(says("", { tool_calls: [fn("water", pot)] })),
      expect: turn({ calls: watered }),
      anomalies: ["id-missing"],
    },
    "two in one line, two that are equal": {
      frames: whole(
        says("", { tool_calls: [fn("water", pot), fn("water", pot)] }),
        says("", { tool_calls: [fn("wait")] }),
      ),
      expect: turn({ calls: [...watered, ...watered, ready(null, "wait")] }),
    },
    "ids and indexes of new versions": {
      frames: whole(
        says("", { tool_calls: [{ id: "call_w", function: { index: 0, name: "water", arguments: pot } }] }),
      ),
      expect: turn({ calls: [ready("call_w", "water", pot)] }),
    },
    "thinking and text around them": {
      frames: whole(
        says("", { thinking: "Dry. " }),
        says("Let me", { thinking: "Very." }),
        says(" see.", { tool_calls: [fn("water", pot)] }),
      ),
      expect: turn({ reasoning: "Dry. Very.", text: "Let me see.", calls: watered }),
    },
    "in the last line": {
      frames: [done({ message: { role: "assistant", content: "Ok", tool_calls: [fn("water", pot)] } })],
      expect: turn({ text: "Ok", calls: watered }),
    },
    "arguments as text": {
      frames: whole(says("", { tool_calls: [fn("water", '{"pot":"blue"}')] })),
      expect: turn({ calls: watered }),
    },
    "arguments that are a list": {
      frames: whole(says("", { tool_calls: [fn("water", ["blue"])] })),
      expect: turn({ calls: [malformed(null, "water")] }),
    },
    "no wrapper": {
      frames: whole(says("", { tool_calls: [{ name: "water", arguments: pot }] })),
      expect: turn({ calls: watered }),
    },
  },
  "endings of Ollama": {
    "length behind a call": {
      frames: [says("", { tool_calls: [fn("water", pot)] }), done({ done_reason: "length" })],
      expect: turn({ calls: watered, finish: "length", complete: false }),
    },
    "an error line": { frames: [says("Ye"), { error: "model runner has stopped" }], expect: failed({ text: "Ye" }) },
    cut: {
      frames: [says("Ye"), says("s", { tool_calls: [fn("water", pot)] })],
      expect: cut({ text: "Yes", calls: watered }),
    },
    "cut in a line": { sent: lines(says("Ye"), done()).slice(0, -30), expect: cut({ text: "Ye" }) },
    "no line end behind the last": { sent: lines(says("Ye"), done()).trimEnd(), expect: turn({ text: "Ye" }) },
  },
  "other wrappings of Ollama": {
    CRLF: {
      sent: lines(...whole(says("Hi"), says("", { tool_calls: [fn("water", pot)] }))).replaceAll("\n", "\r\n"),
      expect: turn({ text: "Hi", calls: watered }),
    },
    "blank lines between": {
      sent: lines(...whole(says("Hi"), says("!"))).replaceAll("\n", "\n\n"),
      expect: turn({ text: "Hi!" }),
    },
    "server-sent events": {
      sent: sse(...whole(says("Hi"), says("", { tool_calls: [fn("water", pot)] })), "[DONE]"),
      expect: turn({ text: "Hi", calls: watered }),
    },
    "one body, printed prettily": {
      sent: JSON.stringify(
        done({ message: { role: "assistant", content: "Hi", tool_calls: [fn("water", pot)] } }),
        null,
        2,
      ),
      expect: turn({ text: "Hi", calls: watered }),
    },
  },
});
