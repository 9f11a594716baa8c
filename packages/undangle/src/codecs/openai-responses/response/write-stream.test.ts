import { describe, expect, test } from "vitest";
import type { AssembledTurn, JsonObject } from "#core";

import { assemble } from "../../stream/assemble.ts";
import type { Frame, StreamWriter } from "../../stream/response-writer.ts";
import { readWaiting } from "../../stream/read-waiting.fixture.ts";
import { responsesWriter } from "./write-stream.ts";

const frame = (type: string, rest: JsonObject = {}): Frame => ({ value: { type, ...rest }, event: type });
const response = { id: "resp_1", object: "response", status: "in_progress", output: [] };
const created = frame("response.created", { response });

const done = { status: "completed" };
const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "find", arguments: '{"a":1}', ...done };
const at = { output_index: 0, item_id: "fc_1" };
const calling = [
  frame("response.output_item.added", { output_index: 0, item: { ...call, arguments: "" } }),
  frame("response.function_call_arguments.delta", { ...at, delta: '{"a"' }),
  frame("response.function_call_arguments.delta", { ...at, delta: ":1}" }),
  frame("response.function_call_arguments.done", { ...at, arguments: '{"a":1}' }),
  frame("response.output_item.done", { output_index: 0, item: call }),
];
const completed = (output: readonly JsonObject[]): Frame =>
  frame("response.completed", { response: { ...response, status: "completed", output } });

const message = { type: "message", id: "msg_1", role: "assistant", status: "in_progress", content: [] };
const spot = { output_index: 0, item_id: "msg_1", content_index: 0 };
const saying = [
  frame("response.output_item.added", { output_index: 0, item: message }),
  frame("response.content_part.added", { ...spot, part: { type: "output_text", text: "", annotations: [] } }),
];
const hello = { texts: [{ type: "text", choice: 0, text: "Hello" }], hasEnd: false } as const;
const nothing = { texts: [], hasEnd: false };

/** A writer for a stream after a client has received some frames. */
function after(...frames: readonly Frame[]): StreamWriter {
  const cleaner = responsesWriter.stream();
  for (const each of frames) cleaner.emitted(each);
  return cleaner;
}

const turnsOf = async (...frames: readonly Frame[]): Promise<readonly AssembledTurn[]> =>
  assemble(
    frames.map(({ value }) => value),
    { format: "openai-responses" },
  ).turns();

const plain = { id: "call_1", name: "find", arguments: '{"a":1}' };

describe("read", () => {
  test("finds a call that is done, and the end of the turn", () => {
    const cleaner = after(created);
    expect(readWaiting(cleaner, calling)).toEqual([{ calls: [plain], isEnded: false }]);
    expect(readWaiting(cleaner, [completed([call])])).toEqual([{ calls: [plain], isEnded: true }]);
  });

  test("counts frames that have passed once", () => {
    const cleaner = after(created, ...calling);
    expect(readWaiting(cleaner, [completed([call])])).toEqual([{ calls: [plain], isEnded: true }]);
  });

  test("takes the input of a custom tool for what it is", () => {
    const custom = { type: "custom_tool_call", id: "ctc_1", call_id: "call_1", name: "shell", input: "ls {", ...done };
    const frames = [
      frame("response.output_item.added", { output_index: 0, item: custom }),
      frame("response.output_item.done", { output_index: 0, item: custom }),
    ];
    const [turn] = readWaiting(after(created), frames) ?? [];
    expect(turn?.calls).toEqual([{ id: "call_1", name: "shell", arguments: '{"input":"ls {"}' }]);
  });

  test.each([
    ["a call that is still open, even if it parses", calling.slice(0, 4)],
    ["done events that say something else", calling.toSpliced(1, 1)],
    ["an index that is no position", calling.map(({ value }) => ({ value: { ...value, output_index: 3 } }))],
    ["another item id", calling.toSpliced(1, 1, frame(String(calling[1]?.value["type"]), { ...at, item_id: "fc_9" }))],
    ["an end that leaves the call out", [...calling, completed([])]],
    ["an end with other arguments", [...calling, completed([{ ...call, arguments: "{}" }])]],
    [
      "a call without an id",
      [frame("response.output_item.added", { output_index: 0, item: { ...call, call_id: "" } })],
    ],
  ])("gives up at %s", (_, frames) => {
    expect(readWaiting(after(created), frames)).toBeUndefined();
  });
});

describe("isSound", () => {
  test("is true for text in a part of an item that was shown", () => {
    const delta = frame("response.output_text.delta", { ...spot, delta: "Hello" });
    expect(after(created, ...saying).isValid(delta, hello)).toBe(true);
    expect(after(created, ...saying).isValid(delta, nothing)).toBe(false);
  });

  test.each([
    ["no response", []],
    ["no item", [created]],
    ["no part", [created, ...saying.slice(0, 1)]],
  ])("is false for text when there is %s", (_, frames) => {
    expect(after(...frames).isValid(frame("response.output_text.delta", { ...spot, delta: "Hello" }), hello)).toBe(
      false,
    );
  });

  test("is true for events of server tools and for those that nobody knows", () => {
    const search = { type: "web_search_call", id: "ws_1", status: "in_progress" };
    const added = frame("response.output_item.added", { output_index: 0, item: search });
    const searching = frame("response.web_search_call.searching", { output_index: 0, item_id: "ws_1" });
    expect(after(created).isValid(added, nothing)).toBe(true);
    expect(after(created, added).isValid(searching, nothing)).toBe(true);
    expect(after(created).isValid(frame("keepalive"), nothing)).toBe(true);
  });
});

describe("say", () => {
  test("keeps the ids that the client knows", () => {
    const delta = { ...spot, item_id: "msg_7", delta: "Hello" };
    const said = after(created, ...saying).writeText(hello.texts, { type: "response.output_text.delta", ...delta });
    expect(said.map(({ value }) => value)).toEqual([{ type: "response.output_text.delta", ...spot, delta: "Hello" }]);
  });

  test("begins whatever is missing, and numbers go up", () => {
    const value = { type: "response.output_text.delta", ...spot, delta: "Hello", sequence_number: 4 };
    const frames = after().writeText(hello.texts, value);
    expect(frames.map(({ event }) => event)).toEqual([
      "response.created",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
    ]);
    expect(readWaiting(after(), frames)).toEqual([{ calls: [], isEnded: false }]);
  });

  test("never repeats a call", () => {
    expect(after(created).writeText([], calling[0]?.value ?? {})).toEqual([]);
  });
});

describe("write", () => {
  test.each([
    ["no deltas", calling.filter(({ event }) => event?.endsWith(".delta") === false), [call]],
    ["no done events and no output", calling.slice(0, 3), []],
    [
      "one index too many",
      calling.map(({ value, event }) => ({ event, value: { ...value, output_index: 1 } })),
      [call],
    ],
  ])("gives a stream that reads well for one with %s", async (_, frames, output) => {
    const given = [...frames, completed(output)];
    const written = after(created).writeTurns(await turnsOf(created, ...given), given, {});
    expect(readWaiting(after(created), written)).toEqual([{ calls: [plain], isEnded: true }]);
  });

  test("ends what the client has seen the beginning of, with its text", async () => {
    const delta = frame("response.output_text.delta", { ...spot, delta: "Hello" });
    const given = [completed([])];
    const cleaner = after(created, ...saying, delta);
    const written = cleaner.writeTurns(await turnsOf(created, ...saying, delta, ...given), given, {});
    const last = written.at(-1)?.value["response"] as { readonly output: unknown }; // written above
    const content = [{ type: "output_text", text: "Hello", annotations: [] }];
    expect(last.output).toEqual([{ ...message, status: "completed", content }]);
    expect(readWaiting(cleaner, written)).toEqual([{ calls: [], isEnded: true }]);
  });

  test("keeps items that are no calls where they were", async () => {
    const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "sealed" };
    const thinking = ["added", "done"].map((when) =>
      frame(`response.output_item.${when}`, { output_index: 1, item: reasoning }),
    );
    const given = [...calling.slice(0, 3), ...thinking, completed([call, reasoning])];
    const written = after(created).writeTurns(await turnsOf(created, ...given), given, {});
    const last = written.at(-1)?.value["response"] as { readonly output: readonly JsonObject[] }; // written above
    expect(last.output).toEqual([call, reasoning]);
  });
});

describe("a body", () => {
  test("is read as clients do", () => {
    const body = { ...response, status: "completed", output: [call] };
    expect(responsesWriter.body.clientTurns(body)).toEqual([{ calls: [plain], isEnded: true }]);
    expect(responsesWriter.body.clientTurns({ ...body, output: [call, call] })).toBeUndefined();
    expect(responsesWriter.body.clientTurns({ ...body, output: [{ ...call, arguments: {} }] })).toBeUndefined();
  });

  test("is written with its calls where they stood", async () => {
    const output = [message, { ...call, call_id: null, arguments: { a: 1 } }];
    const body = { ...response, status: "completed", output };
    const written = responsesWriter.body.write(await turnsOf({ value: body }), body);
    const [turn] = responsesWriter.body.clientTurns(written) ?? [];
    expect(turn?.calls).toEqual([{ ...plain, id: expect.stringMatching(/^call_/u) as unknown }]);
    expect(written["output"]).toEqual([message, expect.objectContaining({ type: "function_call", id: "fc_1" })]);
  });
});
