import { cut, failed, malformed, ready, sse, streams, truncated, turn } from "./build.ts";
import type { Frame } from "./build.ts";

type Wire = Readonly<Record<string, unknown>>;

const event = (type: string, more: Wire = {}) => ({ type: `response.${type}`, ...more });
const created = event("created", { response: { id: "resp_R", object: "response", status: "in_progress", output: [] } });
const completed = (output: readonly unknown[] = [], more: Wire = {}) =>
  event("completed", { response: { id: "resp_R", object: "response", status: "completed", output, ...more } });
const fn = (id: unknown, callId: unknown, name: unknown, args: unknown = "") => ({
  type: "function_call",
  id,
  call_id: callId,
  name,
  arguments: args,
  status: "in_progress",
});
const added = (index: unknown, item: unknown) => event("output_item.added", { output_index: index, item });
const itemDone = (index: unknown, item: unknown) => event("output_item.done", { output_index: index, item });
const args = (index: unknown, id: unknown, delta: unknown) =>
  event("function_call_arguments.delta", { output_index: index, item_id: id, delta });
const argsDone = (index: unknown, id: unknown, text: string, more: Wire = {}) =>
  event("function_call_arguments.done", { output_index: index, item_id: id, arguments: text, ...more });
const text = (index: unknown, id: unknown, delta: string) =>
  event("output_text.delta", { output_index: index, item_id: id, content_index: 0, delta });
const message = (id: unknown, said: string) => ({
  type: "message",
  id,
  role: "assistant",
  content: [{ type: "output_text", text: said }],
});
const whole = (...frames: readonly Frame[]): readonly Frame[] => [created, ...frames, completed()];

const room = { room: 7 };
const json = '{"room":7}';
const kept = [ready("call_h", "keep", room)];

export const responses = streams("openai-responses", {
  "item id and call id": {
    "the output index is always 0, and they take turns": {
      frames: whole(
        added(0, fn("fc_1", "call_h", "keep")),
        added(0, fn("fc_2", "call_i", "keep")),
        args(0, "fc_1", '{"room":'),
        args(0, "fc_2", '{"room":'),
        args(0, "fc_1", "7}"),
        args(0, "fc_2", "8}"),
      ),
      expect: turn({ calls: [...kept, ready("call_i", "keep", { room: 8 })] }),
    },
    "the output index is always 0, and their ends have no call id": {
      frames: whole(
        added(0, fn("fc_1", "call_h", "keep")),
        added(0, fn("fc_2", "call_i", "ping")),
        argsDone(0, "fc_1", json),
        itemDone(0, fn("fc_1", null, "keep", json)),
        itemDone(0, fn("fc_2", null, "ping", "{}")),
      ),
      expect: turn({ calls: [...kept, ready("call_i", "ping")] }),
    },
    "the call id changes in the answer as a whole: the first counts": {
      frames: [
        created,
        added(0, fn("fc_1", "call_h", "keep")),
        args(0, "fc_1", json),
        completed([fn("fc_1", "call_X", "keep", json)]),
      ],
      expect: turn({ calls: kept }),
      anomalies: ["id-changed"],
    },
    "both ids change in the answer as a whole": {
      frames: [
        created,
        added(0, message("msg_1", "")),
        added(1, fn("fc_1", "call_h", "keep")),
        args(1, "fc_1", json),
        completed([message("msg_1", ""), fn("fc_X", "call_X", "keep", json)]),
      ],
      expect: turn({ calls: kept }),
    },
    "the answer as a whole has one more in front": {
      frames: [
        created,
        added(0, fn("fc_1", "call_h", "keep")),
        args(0, "fc_1", json),
        completed([fn("fc_0", "call_g", "keep", '{"room":6}'), fn("fc_1", "call_h", "keep", json)]),
      ],
      expect: turn({ calls: [...kept, ready("call_g", "keep", { room: 6 })] }),
    },
    "everything as it should be": {
      frames: [
        created,
        added(0, fn("fc_1", "call_h", "keep")),
        args(0, "fc_1", '{"room"'),
        args(0, "fc_1", ":7}"),
        argsDone(0, "fc_1", json),
        itemDone(0, fn("fc_1", "call_h", "keep", json)),
        completed([fn("fc_1", "call_h", "keep", json)]),
      ],
      expect: turn({ calls: kept }),
    },
    "two that take turns, behind a message": {
      frames: [
        created,
        added(0, message("msg_1", "")),
        text(0, "msg_1", "Two "),
        added(1, fn("fc_1", "call_h", "keep")),
        added(2, fn("fc_2", "call_i", "keep")),
        args(2, "fc_2", '{"room":'),
        args(1, "fc_1", json),
        text(0, "msg_1", "rooms."),
        args(2, "fc_2", "8}"),
        itemDone(0, message("msg_1", "Two rooms.")),
        completed([
          message("msg_1", "Two rooms."),
          fn("fc_1", "call_h", "keep", json),
          fn("fc_2", "call_i", "keep", '{"room":8}'),
        ]),
      ],
      expect: turn({ text: "Two rooms.", calls: [...kept, ready("call_i", "keep", { room: 8 })] }),
    },
    "the item id is another one in every event": {
      frames: [
        created,
        added(0, fn("x1", "call_h", "keep")),
        args(0, "x2", '{"room":'),
        args(0, "x3", "7}"),
        itemDone(0, fn("x4", "call_h", "keep", json)),
        completed([fn("x5", "call_h", "keep", json)]),
      ],
      expect: turn({ calls: kept }),
    },
    "no output index, only item ids": {
      frames: whole(
        added(undefined, fn("fc_1", "call_h", "keep")),
        added(undefined, fn("fc_2", "call_i", "ping")),
        args(undefined, "fc_1", json),
        args(undefined, "fc_2", "{}"),
      ),
      expect: turn({ calls: [...kept, ready("call_i", "ping")] }),
    },
    "no keys on the deltas at all": {
      frames: whole(
        added(0, fn("fc_1", "call_h", "keep")),
        args(undefined, undefined, '{"room":'),
        args(undefined, "?", "7}"),
      ),
      expect: turn({ calls: kept }),
    },
    "the call id changes when it is done: the first counts": {
      frames: [
        created,
        added(0, fn("fc_1", "call_h", "keep")),
        args(0, "fc_1", json),
        itemDone(0, fn("fc_1", "call_X", "keep", json)),
        completed(),
      ],
      expect: turn({ calls: kept }),
    },
    "no call id": {
      frames: whole(
        added(0, fn("fc_1", null, "keep")),
        args(0, "fc_1", json),
        itemDone(0, fn("fc_1", "", "keep", json)),
      ),
      expect: turn({ calls: [ready(null, "keep", room)] }),
    },
    "two calls with one call id": {
      frames: [
        created,
        added(0, fn("fc_1", "call_h", "keep")),
        args(0, "fc_1", json),
        added(1, fn("fc_2", "call_h", "ping")),
        args(1, "fc_2", "{}"),
        itemDone(0, fn("fc_1", "call_h", "keep", json)),
        itemDone(1, fn("fc_2", "call_h", "ping", "{}")),
        completed([fn("fc_1", "call_h", "keep", json), fn("fc_2", "call_h", "ping", "{}")]),
      ],
      expect: turn({ calls: [...kept, ready(null, "ping")] }),
    },
    "the output index is always 0": {
      frames: whole(
        added(0, fn("fc_1", "call_h", "keep")),
        args(0, "fc_1", json),
        itemDone(0, fn("fc_1", "call_h", "keep", json)),
        added(0, fn("fc_2", "call_i", "ping")),
        args(0, "fc_2", "{}"),
        itemDone(0, fn("fc_2", "call_i", "ping", "{}")),
      ),
      expect: turn({ calls: [...kept, ready("call_i", "ping")] }),
    },
  },
  "events that are left out": {
    "no deltas": {
      frames: whole(added(0, fn("fc_1", "call_h", "keep")), argsDone(0, "fc_1", json)),
      expect: turn({ calls: kept }),
    },
    "no added": {
      frames: whole(
        args(0, "fc_1", '{"room"'),
        args(0, "fc_1", ":7}"),
        itemDone(0, fn("fc_1", "call_h", "keep", json)),
      ),
      expect: turn({ calls: kept }),
    },
    "only the item when it is done": {
      frames: whole(itemDone(0, fn("fc_1", "call_h", "keep", json))),
      expect: turn({ calls: kept }),
    },
    "only the arguments when they are done, with a name": {
      frames: whole(argsDone(0, "fc_1", json, { name: "keep", call_id: "call_h" })),
      expect: turn({ calls: kept }),
    },
    "nothing but the answer as a whole": {
      frames: [created, completed([message("msg_1", "Ok. "), fn("fc_1", "call_h", "keep", json)])],
      expect: turn({ text: "Ok. ", calls: kept }),
    },
    "the answer as a whole fills a gap": {
      frames: [
        created,
        added(0, fn("fc_1", "call_h", "keep")),
        args(0, "fc_1", json),
        completed([fn("fc_1", "call_h", "keep", json), fn("fc_2", "call_i", "ping", "{}")]),
      ],
      expect: turn({ calls: [...kept, ready("call_i", "ping")] }),
    },
    "text without an item, and then the answer as a whole": {
      frames: [created, text(0, "msg_1", "Hel"), text(0, "msg_1", "lo"), completed([message("msg_1", "Hello")])],
      expect: turn({ text: "Hello" }),
    },
    "text without any key, and then an item": {
      frames: [
        created,
        text(undefined, undefined, "Hello"),
        itemDone(0, message("msg_1", "Hello")),
        completed([message("msg_2", "Hello")]),
      ],
      expect: turn({ text: "Hello" }),
    },
    "text only when it is done": {
      frames: [
        created,
        event("output_text.done", { output_index: 0, item_id: "msg_1", text: "Hello" }),
        itemDone(0, message("msg_1", "Hello")),
        completed([message("msg_1", "Hello")]),
      ],
      expect: turn({ text: "Hello" }),
    },
    "the types stand in the events only": {
      sent: [created, added(0, fn("fc_1", "call_h", "keep")), args(0, "fc_1", json), completed()]
        .map(({ type, ...data }) => `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`)
        .join(""),
      expect: turn({ calls: kept }),
    },
    "no events, only data, and [DONE]": {
      sent: sse(...whole(added(0, fn("fc_1", "call_h", "keep")), args(0, "fc_1", json)), "[DONE]"),
      expect: turn({ calls: kept }),
    },
  },
  "arguments told twice": {
    "as an object in the first event": {
      frames: whole(added(0, fn("fc_1", "call_h", "keep", room))),
      expect: turn({ calls: kept }),
      anomalies: ["arguments-object"],
    },
    "as an object in a delta": {
      frames: whole(added(0, fn("fc_1", "call_h", "keep", {})), args(0, "fc_1", {}), args(0, "fc_1", room)),
      expect: turn({ calls: kept }),
      anomalies: ["arguments-object"],
    },
    "done says more than the deltas": {
      frames: whole(added(0, fn("fc_1", "call_h", "keep")), args(0, "fc_1", '{"ro'), argsDone(0, "fc_1", json)),
      expect: turn({ calls: kept }),
    },
    "done is an empty object": {
      frames: whole(
        added(0, fn("fc_1", "call_h", "keep")),
        args(0, "fc_1", json),
        itemDone(0, fn("fc_1", "call_h", "keep", "{}")),
      ),
      expect: turn({ calls: kept }),
    },
    "already in the first event": {
      frames: whole(added(0, fn("fc_1", "call_h", "keep", json))),
      expect: turn({ calls: kept }),
    },
    "already in the first event, and in deltas": {
      frames: whole(added(0, fn("fc_1", "call_h", "keep", "{}")), args(0, "fc_1", '{"room":'), args(0, "fc_1", "7}")),
      expect: turn({ calls: kept }),
    },
    "as an object": {
      frames: whole(added(0, fn("fc_1", "call_h", "keep", {})), itemDone(0, fn("fc_1", "call_h", "keep", room))),
      expect: turn({ calls: kept }),
    },
    none: {
      frames: whole(added(0, fn("fc_1", "call_h", "ping")), argsDone(0, "fc_1", "")),
      expect: turn({ calls: [ready("call_h", "ping")] }),
    },
    malformed: {
      frames: whole(added(0, fn("fc_1", "call_h", "keep")), argsDone(0, "fc_1", '{"room":seven}')),
      expect: turn({ calls: [malformed("call_h", "keep")] }),
    },
  },
  "other items": {
    reasoning: {
      frames: [
        created,
        added(0, { type: "reasoning", id: "rs_1", summary: [] }),
        event("reasoning_summary_text.delta", { output_index: 0, item_id: "rs_1", delta: "A room." }),
        itemDone(0, { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "A room." }] }),
        added(1, fn("fc_1", "call_h", "keep")),
        args(1, "fc_1", json),
        completed([
          { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "A room." }] },
          fn("fc_1", "call_h", "keep", json),
        ]),
      ],
      expect: turn({ reasoning: "A room.", calls: kept }),
    },
    "a refusal": {
      frames: whole(
        added(0, message("msg_1", "")),
        event("refusal.delta", { output_index: 0, item_id: "msg_1", delta: "I can" }),
        event("refusal.delta", { output_index: 0, item_id: "msg_1", delta: "not." }),
        event("refusal.done", { output_index: 0, item_id: "msg_1", refusal: "I cannot." }),
      ),
      expect: turn({ text: "I cannot." }),
    },
    "a custom tool": {
      frames: whole(
        added(0, { type: "custom_tool_call", id: "ct_1", call_id: "call_c", name: "sql", input: "" }),
        event("custom_tool_call_input.delta", { output_index: 0, item_id: "ct_1", delta: "select " }),
        event("custom_tool_call_input.delta", { output_index: 0, item_id: "ct_1", delta: "1" }),
        event("custom_tool_call_input.done", { output_index: 0, item_id: "ct_1", input: "select 1" }),
      ),
      expect: turn({ calls: [ready("call_c", "sql", { input: "select 1" })] }),
    },
    "tools that the provider runs": {
      frames: whole(
        added(0, { type: "web_search_call", id: "ws_1", status: "in_progress" }),
        event("web_search_call.searching", { output_index: 0, item_id: "ws_1" }),
        added(1, { type: "mcp_call", id: "mcp_1", name: "x", arguments: "" }),
        event("mcp_call_arguments.delta", { output_index: 1, item_id: "mcp_1", delta: '{"a":1}' }),
        event("mcp_call_arguments.done", { output_index: 1, item_id: "mcp_1", arguments: '{"a":1}' }),
        text(2, "msg_1", "Found."),
      ),
      expect: turn({ text: "Found." }),
      anomalies: ["server-tool"],
    },
    "arguments of a provider's tool that was never shown": {
      frames: whole(
        event("mcp_call_arguments.delta", { output_index: 0, item_id: "mcp_1", delta: "{}" }),
        text(1, "msg_1", "Ok"),
      ),
      expect: turn({ text: "Ok" }),
    },
  },
  "endings of Responses": {
    incomplete: {
      frames: [
        created,
        added(0, fn("fc_1", "call_h", "keep")),
        args(0, "fc_1", '{"ro'),
        event("incomplete", {
          response: {
            status: "incomplete",
            incomplete_details: { reason: "max_output_tokens" },
            output: [fn("fc_1", "call_h", "keep", '{"ro')],
          },
        }),
      ],
      expect: turn({ calls: [truncated("call_h", "keep")], finish: "length", complete: false }),
    },
    "incomplete by the filter": {
      frames: [
        created,
        text(0, "msg_1", "It"),
        event("incomplete", { response: { status: "incomplete", incomplete_details: { reason: "content_filter" } } }),
      ],
      expect: turn({ text: "It", finish: "content_filter", complete: false }),
    },
    failed: {
      frames: [
        created,
        text(0, "msg_1", "It"),
        event("failed", { response: { status: "failed", error: { code: "server_error", message: "oops" } } }),
      ],
      expect: failed({ text: "It" }),
    },
    "an error event": {
      frames: [
        created,
        added(0, fn("fc_1", "call_h", "keep")),
        args(0, "fc_1", "{"),
        { type: "error", code: "rate_limit", message: "slow down" },
      ],
      expect: failed({ calls: [truncated("call_h", "keep")] }),
    },
    "no terminal": { frames: [created, itemDone(0, fn("fc_1", "call_h", "keep", json))], expect: cut({ calls: kept }) },
    "[DONE] is none": { frames: [created, text(0, "msg_1", "It"), "[DONE]"], expect: cut({ text: "It" }) },
    "a status that disagrees": {
      frames: [
        created,
        text(0, "msg_1", "It"),
        completed([], { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }),
      ],
      expect: turn({ text: "It", finish: "length", complete: false }),
    },
    "a body and no stream": {
      sent: JSON.stringify({
        id: "resp_B",
        object: "response",
        status: "completed",
        error: null,
        output: [message("msg_1", "Hi"), fn("fc_1", "call_h", "keep", json)],
        usage: {},
      }),
      expect: turn({ text: "Hi", calls: kept }),
      anomalies: ["whole-body"],
    },
    "a body that failed": {
      sent: JSON.stringify({
        id: "resp_B",
        object: "response",
        status: "failed",
        error: { code: "server_error", message: "oops" },
        output: [message("msg_1", "Hi")],
      }),
      expect: failed({ text: "Hi" }),
    },
  },
});
