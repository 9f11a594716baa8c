import { cut, failed, ready, streams, truncated, turn } from "./build.ts";
import type { Frame } from "./build.ts";

const start = { messageStart: { role: "assistant" } };
const use = (index: unknown, id: unknown, name: unknown, more: object = {}) => ({
  contentBlockStart: { contentBlockIndex: index, start: { toolUse: { toolUseId: id, name, ...more } } },
});
const input = (index: unknown, text: unknown) => ({
  contentBlockDelta: { contentBlockIndex: index, delta: { toolUse: { input: text } } },
});
const says = (index: unknown, text: string) => ({ contentBlockDelta: { contentBlockIndex: index, delta: { text } } });
const thinks = (index: unknown, reasoningContent: object) => ({
  contentBlockDelta: { contentBlockIndex: index, delta: { reasoningContent } },
});
const stop = (index: unknown) => ({ contentBlockStop: { contentBlockIndex: index } });
const end = (stopReason?: unknown) => ({ messageStop: { stopReason } });
const metadata = { metadata: { usage: { inputTokens: 3, outputTokens: 4 }, metrics: { latencyMs: 5 } } };
const whole = (...frames: readonly Frame[]): readonly Frame[] => [start, ...frames, end("tool_use"), metadata];

const lamp = { lamp: 4 };
const lit = [ready("tooluse_l", "light", lamp)];

export const bedrock = streams("bedrock", {
  "blocks of Bedrock": {
    "text and a call": {
      frames: whole(
        says(0, "Let there "),
        says(0, "be."),
        stop(0),
        use(1, "tooluse_l", "light"),
        input(1, '{"lamp"'),
        input(1, ":4}"),
        stop(1),
      ),
      expect: turn({ text: "Let there be.", calls: lit }),
    },
    "two that take turns, and in another order": {
      frames: whole(
        use(2, "tooluse_m", "dim"),
        use(1, "tooluse_l", "light"),
        input(2, "{"),
        input(1, '{"lamp":4}'),
        input(2, "}"),
      ),
      expect: turn({ calls: [...lit, ready("tooluse_m", "dim")] }),
    },
    "no arguments, no delta": {
      frames: whole(use(0, "tooluse_m", "dim"), stop(0)),
      expect: turn({ calls: [ready("tooluse_m", "dim")] }),
    },
    "no arguments, an empty delta": {
      frames: whole(use(0, "tooluse_m", "dim"), input(0, ""), stop(0)),
      expect: turn({ calls: [ready("tooluse_m", "dim")] }),
    },
    reasoning: {
      frames: whole(
        thinks(0, { text: "Dark." }),
        thinks(0, { signature: "c2ln" }),
        stop(0),
        use(1, "tooluse_l", "light"),
        input(1, '{"lamp":4}'),
      ),
      expect: turn({ reasoning: "Dark.", calls: lit }),
    },
    "an object as input": {
      frames: whole(use(0, "tooluse_l", "light"), input(0, { lamp: 4 })),
      expect: turn({ calls: lit }),
    },
    "no index": {
      frames: whole(
        use(undefined, "tooluse_l", "light"),
        input(undefined, '{"lamp":4}'),
        stop(undefined),
        use(undefined, "tooluse_m", "dim"),
        input(undefined, "{}"),
      ),
      expect: turn({ calls: [...lit, ready("tooluse_m", "dim")] }),
    },
    "one id twice": {
      frames: whole(use(0, "tooluse_l", "light"), input(0, '{"lamp":4}'), use(1, "tooluse_l", "dim"), input(1, "{}")),
      expect: turn({ calls: [...lit, ready(null, "dim")] }),
    },
    "a tool that Bedrock runs": {
      frames: [
        start,
        use(0, "tooluse_s", "search", { type: "server_tool_use" }),
        input(0, '{"q":1}'),
        stop(0),
        says(1, "Found."),
        end("end_turn"),
      ],
      expect: turn({ text: "Found." }),
      anomalies: ["server-tool"],
    },
  },
  "endings of Bedrock": {
    "an exception in the stream": {
      frames: [
        start,
        use(0, "tooluse_l", "light"),
        input(0, '{"la'),
        { modelStreamErrorException: { message: "model failed" } },
      ],
      expect: failed({ calls: [truncated("tooluse_l", "light")] }),
    },
    "throttled behind text": {
      frames: [start, says(0, "Le"), { throttlingException: { message: "slow" } }],
      expect: failed({ text: "Le" }),
    },
    max_tokens: {
      frames: [start, use(0, "tooluse_l", "light"), input(0, '{"lamp":'), stop(0), end("max_tokens")],
      expect: turn({ calls: [truncated("tooluse_l", "light")], finish: "length", complete: false }),
    },
    "a guardrail": {
      frames: [start, says(0, "No."), end("guardrail_intervened")],
      expect: turn({ text: "No.", finish: "content_filter", complete: false }),
    },
    malformed_tool_use: {
      frames: [start, use(0, "tooluse_l", "light"), input(0, "{lamp"), end("malformed_tool_use")],
      expect: failed({ calls: [{ ...truncated("tooluse_l", "light") }] }),
    },
    cut: {
      frames: [start, use(0, "tooluse_l", "light"), input(0, '{"lamp":4}'), stop(0)],
      expect: cut({ calls: lit }),
    },
    "no reason": { frames: [start, says(0, "Ok"), end()], expect: turn({ text: "Ok" }) },
    "end_turn behind a call": {
      frames: [start, use(0, "tooluse_l", "light"), input(0, '{"lamp":4}'), end("end_turn")],
      expect: turn({ calls: lit }),
    },
    "the answer of Converse, which is no stream": {
      frames: [
        {
          output: {
            message: {
              role: "assistant",
              content: [{ text: "Now." }, { toolUse: { toolUseId: "tooluse_l", name: "light", input: { lamp: 4 } } }],
            },
          },
          stopReason: "tool_use",
          usage: {},
        },
      ],
      expect: turn({ text: "Now.", calls: lit }),
    },
  },
  "a block of Bedrock that begins twice": {
    "before its arguments": {
      frames: whole(use(0, "tooluse_l", "light"), use(0, "tooluse_l", "light"), input(0, '{"lamp":4}'), stop(0)),
      expect: turn({ calls: lit }),
    },
    "all of it": {
      frames: whole(
        use(0, "tooluse_l", "light"),
        input(0, '{"lamp":4}'),
        stop(0),
        use(0, "tooluse_l", "light"),
        input(0, '{"lamp":4}'),
        stop(0),
      ),
      expect: turn({ calls: lit }),
    },
    "with another id: that is another call": {
      frames: whole(use(0, "tooluse_l", "light"), input(0, '{"lamp":4}'), use(0, "tooluse_m", "light"), stop(0)),
      expect: turn({ calls: [...lit, ready("tooluse_m", "light")] }),
    },
  },
});
