import { cut, failed, malformed, ready, sse, streams, truncated, turn } from "./build.ts";
import type { Frame } from "./build.ts";

const start = {
  type: "message_start",
  message: { id: "msg_A", type: "message", role: "assistant", content: [], usage: { input_tokens: 3 } },
};
const ping = { type: "ping" };
const block = (index: unknown, content: object) => ({ type: "content_block_start", index, content_block: content });
const more = (index: unknown, delta: object) => ({ type: "content_block_delta", index, delta });
const stop = (index: unknown) => ({ type: "content_block_stop", index });
const use = (id: unknown, name: unknown, input: unknown = {}) => ({ type: "tool_use", id, name, input });
const json = (index: unknown, text: unknown) => more(index, { type: "input_json_delta", partial_json: text });
const says = (index: unknown, text: string) => more(index, { type: "text_delta", text });
const reason = (given: unknown) => ({
  type: "message_delta",
  delta: { stop_reason: given, stop_sequence: null },
  usage: { output_tokens: 9 },
});
const over = { type: "message_stop" };

/** A whole stream of blocks. */
const blocks = (...frames: readonly Frame[]): readonly Frame[] => [start, ...frames, reason("tool_use"), over];
const spoken = (...frames: readonly Frame[]): readonly Frame[] => [start, ...frames, reason("end_turn"), over];

const key = { key: "F#" };
const played = [ready("toolu_k", "play", key)];

export const anthropic = streams("anthropic", {
  blocks: {
    "text, pings, and a call with an empty first delta": {
      frames: blocks(
        ping,
        block(0, { type: "text", text: "" }),
        says(0, "Lis"),
        ping,
        says(0, "ten"),
        stop(0),
        block(1, use("toolu_k", "play")),
        json(1, ""),
        json(1, '{"key":'),
        ping,
        json(1, '"F#"}'),
        stop(1),
      ),
      expect: turn({ text: "Listen", calls: played }),
    },
    "two that take turns": {
      frames: blocks(
        block(0, use("toolu_k", "play")),
        block(1, use("toolu_l", "play")),
        json(1, '{"key":'),
        json(0, '{"key"'),
        json(1, '"A"}'),
        json(0, ':"F#"}'),
        stop(1),
        stop(0),
      ),
      expect: turn({ calls: [...played, ready("toolu_l", "play", { key: "A" })] }),
    },
    "deltas behind the stop of their block": {
      frames: blocks(block(0, use("toolu_k", "play")), json(0, '{"key":'), stop(0), json(0, '"F#"}')),
      expect: turn({ calls: played }),
    },
    "text in the start of a block": {
      frames: spoken(block(0, { type: "text", text: "La" }), says(0, "la"), stop(0)),
      expect: turn({ text: "Lala" }),
    },
    "every block has the index 0": {
      frames: blocks(
        block(0, { type: "text", text: "" }),
        says(0, "So."),
        stop(0),
        block(0, use("toolu_k", "play")),
        json(0, '{"key":"F#"}'),
        stop(0),
        block(0, use("toolu_l", "rest")),
        stop(0),
      ),
      expect: turn({ text: "So.", calls: [...played, ready("toolu_l", "rest")] }),
    },
    "no index": {
      frames: blocks(
        block(undefined, use("toolu_k", "play")),
        json(undefined, '{"key":'),
        json(undefined, '"F#"}'),
        stop(undefined),
      ),
      expect: turn({ calls: played }),
    },
    "an index on the start only": {
      frames: blocks(
        block(0, { type: "text", text: "x" }),
        block(1, use("toolu_k", "play")),
        json(null, '{"key":"F#"}'),
      ),
      expect: turn({ text: "x", calls: played }),
    },
  },
  "input in the start": {
    "whole, and no deltas": {
      frames: blocks(block(0, use("toolu_k", "play", { key: "F#" })), stop(0)),
      expect: turn({ calls: played }),
    },
    "whole, and a blank delta": {
      frames: blocks(block(0, use("toolu_k", "play", { key: "F#" })), json(0, ""), json(0, " "), stop(0)),
      expect: turn({ calls: played }),
    },
    "whole, and deltas: the deltas count": {
      frames: blocks(block(0, use("toolu_k", "play", { key: "?" })), json(0, '{"key":"F#"}'), stop(0)),
      expect: turn({ calls: played }),
    },
    "empty, as text": {
      frames: blocks(block(0, use("toolu_k", "rest", "")), stop(0)),
      expect: turn({ calls: [ready("toolu_k", "rest")] }),
    },
    "a list": {
      frames: blocks(block(0, use("toolu_k", "play", ["F#"])), stop(0)),
      expect: turn({ calls: [malformed("toolu_k", "play")] }),
    },
    "for every block, all with the index 0": {
      frames: blocks(
        block(0, use("toolu_k", "play", { key: "F#" })),
        stop(0),
        block(0, use("toolu_l", "play", { key: "A" })),
        stop(0),
      ),
      expect: turn({ calls: [...played, ready("toolu_l", "play", { key: "A" })] }),
    },
  },
  "no arguments, in blocks": {
    "no delta at all": {
      frames: blocks(block(0, use("toolu_k", "rest")), stop(0)),
      expect: turn({ calls: [ready("toolu_k", "rest")] }),
    },
    "an empty delta": {
      frames: blocks(block(0, use("toolu_k", "rest")), json(0, ""), stop(0)),
      expect: turn({ calls: [ready("toolu_k", "rest")] }),
    },
    "no delta, and the stream broke off": {
      frames: [start, block(0, use("toolu_k", "rest")), stop(0)],
      expect: cut({ calls: [truncated("toolu_k", "rest")] }),
    },
  },
  "ids of blocks": {
    "one id twice": {
      frames: blocks(
        block(0, use("play:1", "play")),
        json(0, '{"key":"F#"}'),
        block(1, use("play:1", "rest")),
        stop(1),
      ),
      expect: turn({ calls: [ready("play:1", "play", key), ready(null, "rest")] }),
    },
    "none, and a number": {
      frames: blocks(block(0, use(null, "play")), json(0, '{"key":"F#"}'), block(1, use(5, "rest"))),
      expect: turn({ calls: [ready(null, "play", key), ready("5", "rest")] }),
    },
    "a block without a type": {
      frames: blocks(block(0, { id: "toolu_k", name: "play", input: {} }), json(0, '{"key":"F#"}')),
      expect: turn({ calls: played }),
    },
  },
  "thinking and server tools": {
    "thinking between blocks": {
      frames: blocks(
        block(0, { type: "thinking", thinking: "" }),
        more(0, { type: "thinking_delta", thinking: "Sharp. " }),
        more(0, { type: "signature_delta", signature: "c2ln" }),
        stop(0),
        block(1, { type: "redacted_thinking", data: "xx" }),
        stop(1),
        block(2, use("toolu_k", "play")),
        json(2, '{"key":"F#"}'),
        stop(2),
        block(3, { type: "thinking", thinking: "Done." }),
        stop(3),
      ),
      expect: turn({ reasoning: "Sharp. Done.", calls: played }),
    },
    "a search of the provider": {
      frames: spoken(
        block(0, { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} }),
        json(0, '{"query":"F#"}'),
        stop(0),
        block(1, {
          type: "web_search_tool_result",
          tool_use_id: "srvtoolu_1",
          content: [{ type: "web_search_result", title: "x" }],
        }),
        stop(1),
        block(2, { type: "text", text: "" }),
        says(2, "It is."),
        stop(2),
      ),
      expect: turn({ text: "It is." }),
      anomalies: ["server-tool"],
    },
    "an MCP tool of the provider beside a call": {
      frames: blocks(
        block(0, { type: "mcp_tool_use", id: "mcptoolu_1", name: "x", server_name: "y", input: {} }),
        json(0, "{}"),
        stop(0),
        block(1, { type: "mcp_tool_result", tool_use_id: "mcptoolu_1", content: [] }),
        stop(1),
        block(2, use("toolu_k", "play")),
        json(2, '{"key":"F#"}'),
        stop(2),
      ),
      expect: turn({ calls: played }),
    },
  },
  "arguments for a block that never began": {
    alone: { frames: blocks(json(4, '{"key":"F#"}')), expect: turn({ calls: [malformed(null, "")] }) },
    "on a block of text: nobody knows whose they are": {
      frames: blocks(block(0, { type: "text", text: "Hm" }), block(1, use("toolu_k", "play")), json(0, '{"key":"F#"}')),
      expect: turn({ text: "Hm", calls: [malformed(null, ""), truncated("toolu_k", "play")], complete: false }),
    },
  },
  "endings of Anthropic": {
    "an error in the arguments": {
      frames: [
        start,
        block(0, use("toolu_k", "play")),
        json(0, '{"ke'),
        { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
      ],
      expect: failed({ calls: [truncated("toolu_k", "play")] }),
    },
    "an error behind text": {
      frames: [
        start,
        block(0, { type: "text", text: "" }),
        says(0, "Hal"),
        { type: "error", error: { type: "api_error", message: "x" } },
        over,
      ],
      expect: failed({ text: "Hal" }),
    },
    max_tokens: {
      frames: [start, block(0, use("toolu_k", "play")), json(0, '{"key":"F'), stop(0), reason("max_tokens"), over],
      expect: turn({ calls: [truncated("toolu_k", "play")], finish: "length", complete: false }),
    },
    "max_tokens, and the end never came": {
      frames: [start, block(0, { type: "text", text: "So" }), reason("max_tokens")],
      expect: turn({ text: "So", finish: "length", complete: false }),
    },
    "a reason, and the end never came": {
      frames: [start, block(0, use("toolu_k", "play")), json(0, '{"key":"F#"}'), stop(0), reason("tool_use")],
      expect: cut({ calls: played }),
    },
    "an end without a reason": {
      frames: [start, block(0, use("toolu_k", "play")), json(0, '{"key":"F#"}'), over],
      expect: turn({ calls: played }),
    },
    "end_turn behind a call": {
      frames: [start, block(0, use("toolu_k", "play")), json(0, '{"key":"F#"}'), reason("end_turn"), over],
      expect: turn({ calls: played }),
    },
    "a refusal": {
      frames: [start, block(0, { type: "text", text: "No" }), reason("refusal"), over],
      expect: turn({ text: "No", finish: "content_filter", complete: false }),
    },
    "tool_use, and the arguments are cut off": {
      frames: blocks(block(0, use("toolu_k", "play")), json(0, '{"key":'), stop(0)),
      expect: turn({ calls: [truncated("toolu_k", "play")], complete: false }),
    },
  },
  "other wrappings of Anthropic": {
    "no names of events": {
      sent: sse(...blocks(block(0, use("toolu_k", "play")), json(0, '{"key":"F#"}'))),
      expect: turn({ calls: played }),
    },
    "the types stand in the events only": {
      sent: [start, block(0, use("toolu_k", "play")), json(0, '{"key":"F#"}'), reason("tool_use"), over]
        .map(({ type, ...data }) => `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`)
        .join(""),
      expect: turn({ calls: played }),
    },
    "a body and no stream": {
      sent: JSON.stringify({
        id: "msg_B",
        type: "message",
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Hm." },
          { type: "text", text: "Now." },
          use("toolu_k", "play", { key: "F#" }),
        ],
        stop_reason: "tool_use",
      }),
      expect: turn({ reasoning: "Hm.", text: "Now.", calls: played }),
      anomalies: ["whole-body"],
    },
    "a body that is an error": {
      sent: '{"type":"error","error":{"type":"not_found_error","message":"no model"}}',
      expect: failed(),
    },
    "frames that nobody knows": {
      frames: spoken({ type: "vertex_event" }, block(0, { type: "text", text: "Ok" }), "[DONE]"),
      expect: turn({ text: "Ok" }),
    },
  },
  "arguments of a block as an object": {
    whole: {
      frames: blocks(block(0, use("toolu_k", "play")), json(0, key), stop(0)),
      expect: turn({ calls: played }),
      anomalies: ["arguments-object"],
    },
    "empty, and they stood in the start": {
      frames: blocks(block(0, use("toolu_k", "play", key)), json(0, {}), stop(0)),
      expect: turn({ calls: played }),
    },
    "empty, and then text": {
      frames: blocks(block(0, use("toolu_k", "play")), json(0, {}), json(0, '{"key":'), json(0, '"F#"}'), stop(0)),
      expect: turn({ calls: played }),
    },
  },
  "a block that begins twice": {
    "before its arguments": {
      frames: blocks(
        block(0, use("toolu_k", "play")),
        block(0, use("toolu_k", "play")),
        json(0, '{"key":"F#"}'),
        stop(0),
      ),
      expect: turn({ calls: played }),
    },
    "with its input the second time": {
      frames: blocks(block(0, use("toolu_k", "play")), block(0, use("toolu_k", "play", key)), stop(0)),
      expect: turn({ calls: played }),
    },
    "all of it": {
      frames: blocks(
        block(0, use("toolu_k", "play")),
        json(0, '{"key":"F#"}'),
        stop(0),
        block(0, use("toolu_k", "play")),
        json(0, '{"key":"F#"}'),
        stop(0),
      ),
      expect: turn({ calls: played }),
    },
    "with other arguments: that is another call": {
      frames: blocks(
        block(0, use("toolu_k", "play")),
        json(0, '{"key":"F#"}'),
        stop(0),
        block(0, use("toolu_k", "play")),
        json(0, '{"key":"A"}'),
        stop(0),
      ),
      expect: turn({ calls: [...played, ready(null, "play", { key: "A" })] }),
    },
    "in the middle of its arguments": {
      frames: blocks(
        block(0, use("toolu_k", "play")),
        json(0, '{"key":'),
        block(0, use("toolu_k", "play")),
        json(0, '"F#"}'),
        stop(0),
      ),
      expect: turn({ calls: played }),
    },
    "with another input: that is another call": {
      frames: blocks(block(0, use("toolu_k", "play", key)), block(0, use("toolu_k", "play", { key: "A" })), stop(0)),
      expect: turn({ calls: [...played, ready(null, "play", { key: "A" })] }),
    },
  },
  "two reasons for the end": {
    "a reason that nobody knows, right behind a name": {
      frames: [start, block(0, use("toolu_k", "play")), json(0, ""), stop(0), reason("worn_out"), over],
      expect: turn({ calls: [truncated("toolu_k", "play")], complete: false }),
      anomalies: ["finish-unknown", "arguments-truncated"],
    },
    "a reason that nobody knows, behind a call and a text": {
      frames: [
        start,
        block(0, use("toolu_k", "play")),
        stop(0),
        block(1, { type: "text", text: "So" }),
        reason("worn_out"),
        over,
      ],
      expect: turn({ text: "So", calls: [ready("toolu_k", "play", {})] }),
    },
    "max_tokens, then tool_use": {
      frames: [
        start,
        block(0, use("toolu_k", "play")),
        json(0, '{"key":"F#"}'),
        reason("max_tokens"),
        reason("tool_use"),
        over,
      ],
      expect: turn({ calls: played, finish: "length", complete: false }),
      anomalies: ["finish-repeated"],
    },
    "refusal, then end_turn": {
      frames: [start, block(0, { type: "text", text: "No" }), reason("refusal"), reason("end_turn"), over],
      expect: turn({ text: "No", finish: "content_filter", complete: false }),
    },
    "null as text, and then none": {
      frames: [start, block(0, { type: "text", text: "No" }), reason("null"), over],
      expect: turn({ text: "No" }),
      anomalies: ["finish-missing"],
    },
  },
});
