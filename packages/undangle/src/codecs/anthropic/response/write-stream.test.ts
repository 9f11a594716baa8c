import type { AssembledCall, AssembledTurn, JsonObject } from "#core";
import { describe, expect, test } from "vitest";

import type { Frame, StreamWriter } from "../../stream/response-writer.ts";
import { readWaiting } from "../../stream/read-waiting.fixture.ts";
import { anthropicWriter } from "./write-stream.ts";

const event = (type: string, rest: JsonObject = {}): Frame => ({ event: type, value: { type, ...rest } });
const message = { id: "msg_1", type: "message", role: "assistant", content: [], usage: { input_tokens: 1 } };
const started = event("message_start", { message });
const begin = (index: number, content_block: JsonObject): Frame =>
  event("content_block_start", { index, content_block });
const more = (index: number, delta: JsonObject): Frame => event("content_block_delta", { index, delta });
const stop = (index: number): Frame => event("content_block_stop", { index });
const say = (index: number, text: string): Frame => more(index, { type: "text_delta", text });
const ending = (reason: string): readonly Frame[] => [
  event("message_delta", { delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 5 } }),
  event("message_stop"),
];
const call = (index: number, id: string, ...pieces: readonly string[]): readonly Frame[] => [
  begin(index, { type: "tool_use", id, name: "find", input: {} }),
  ...pieces.map((partial_json) => more(index, { type: "input_json_delta", partial_json })),
  stop(index),
];
const spoken = [started, begin(0, { type: "text", text: "" }), say(0, "Hi"), stop(0)];

const assembled = (id: string, args: JsonObject = { a: 1 }): AssembledCall => ({
  id,
  name: "find",
  arguments: args,
  raw: JSON.stringify(args),
  state: "ready",
  idGenerated: false,
});
const turnOf = (parts: AssembledTurn["parts"], finish: AssembledTurn["finish"] = "tool_calls"): AssembledTurn => ({
  text: "",
  reasoning: "",
  calls: parts.flatMap((part) => (part.type === "call" ? [part.call] : [])),
  parts,
  finish,
  complete: true,
  anomalies: [],
  usage: undefined,
});
const hi = { type: "text", text: "Hi" } as const;
const calls = (...ids: readonly string[]): AssembledTurn["parts"] =>
  ids.map((id) => ({ type: "call", call: assembled(id) }));

/** A writer for a stream after a client has received these frames. */
function after(frames: readonly Frame[]): StreamWriter {
  const cleaner = anthropicWriter.stream();
  for (const frame of frames) cleaner.emitted(frame);
  return cleaner;
}

const text = (said: string) => ({ texts: [{ type: "text", choice: 0, text: said } as const], hasEnd: false });
const nothing = { texts: [], hasEnd: false };

describe("a frame is sound where every client finds in it what was read", () => {
  const open = spoken.slice(0, 2);
  test.each<[name: string, before: readonly Frame[], frame: Frame, sound: boolean]>([
    ["a delta of the open block", open, say(0, "Hi"), true],
    ["a ping at any time", [], event("ping"), true],
    ["no name of the event", open, { value: say(0, "Hi").value }, false],
    ["no type", open, { event: "content_block_delta", value: { index: 0, delta: { text: "Hi" } } }, false],
    ["another index", open, say(1, "Hi"), false],
    ["no block", [started], say(0, "Hi"), false],
    ["no message", [], begin(0, { type: "text", text: "" }), false],
    ["text in the start of a block", [started], begin(0, { type: "text", text: "Hi" }), false],
    ["a message that begins twice", [started], started, false],
    [
      "a signature",
      [started, begin(0, { type: "thinking", thinking: "" })],
      more(0, { type: "signature_delta" }),
      true,
    ],
    ["a server tool", [started], begin(0, { type: "server_tool_use", id: "s", name: "web_search", input: {} }), true],
    ["an end without a reason", spoken, event("message_stop"), false],
  ])("%s", (_, before, frame, sound) => {
    const isSaid = JSON.stringify(frame.value).includes("Hi");
    expect(after(before).isValid(frame, isSaid ? text("Hi") : nothing)).toBe(sound);
  });

  test("what was read must stand in it", () => {
    expect(after(open).isValid(say(0, "Hi"), nothing)).toBe(false);
  });

  test("a reason that does not fit the calls is not", () => {
    const cleaner = after([...spoken, ...call(1, "a", "{}")]);
    const reasons = ["tool_use", "end_turn", "max_tokens"].map((reason) => ending(reason)[0] ?? started);
    expect(reasons.map((frame) => cleaner.isValid(frame, nothing))).toEqual([true, false, false]);
  });
});

describe("read", () => {
  const found = (id: string, args: string) => ({ id, name: "find", arguments: args });

  test("adds up calls, also those without arguments", () => {
    const frames = [...call(1, "a", "", '{"a"', ":1}"), event("ping"), ...call(2, "b", ""), ...call(3, "c")];
    const turn = { calls: [found("a", '{"a":1}'), found("b", "{}"), found("c", "{}")], isEnded: true };
    expect(readWaiting(after(spoken), [...frames, ...ending("tool_use")])).toEqual([turn]);
  });

  test("counts calls that have passed once", () => {
    const cleaner = after(spoken);
    const first = call(1, "a", "{}");
    for (const frame of first) cleaner.emitted(frame);
    const plain = readWaiting(cleaner, call(2, "b", "{}"));
    expect(plain).toEqual([{ calls: [found("a", "{}"), found("b", "{}")], isEnded: false }]);
  });

  test("does not take arguments for empty that may still come", () => {
    expect(readWaiting(after(spoken), call(1, "a"))).toEqual([{ calls: [found("a", "")], isEnded: false }]);
    expect(readWaiting(after(spoken), call(1, "a", ""))).toBeUndefined();
    const calls = [found("a", "{}"), found("b", "{}")];
    expect(readWaiting(after(spoken), [...call(1, "a", ""), ...call(2, "b", "{}")])).toEqual([
      { calls, isEnded: false },
    ]);
  });

  test.each<[name: string, frames: readonly Frame[]]>([
    ["a call that is open", call(1, "a", "{}").slice(0, -1)],
    ["an id twice", [...call(1, "a", "{}"), ...call(2, "a", "{}")]],
    ["an index twice", call(0, "a", "{}")],
    ["no id", call(1, "", "{}")],
    ["arguments in the start", [begin(1, { type: "tool_use", id: "a", name: "find", input: { a: 1 } }), stop(1)]],
    ["a block in a block", [...call(1, "a").slice(0, 1), ...call(2, "b")]],
    ["a reason that does not fit", [...call(1, "a", "{}"), ...ending("end_turn")]],
    ["two reasons", [...call(1, "a", "{}"), ...ending("tool_use").slice(0, 1), ...ending("end_turn")]],
  ])("trips over %s", (_, frames) => {
    expect(readWaiting(after(spoken), frames)).toBeUndefined();
  });

  test.each(["", " "])("trips over the id %j at once", (id) => {
    const cleaner = after(spoken);
    for (const frame of call(1, id).slice(0, 1)) cleaner.held(frame);
    expect(cleaner.isRejected()).toBe(true);
  });
});

describe("what is written is what Anthropic would send", () => {
  test("calls, with the numbers that come next, and one end", () => {
    const given = [...call(0, "a", '{"a":1}'), ...ending("end_turn")];
    const written = after(spoken).writeTurns([turnOf([hi, ...calls("a")])], given, {});
    expect(written).toEqual([...call(1, "a", '{"a":1}'), ...ending("tool_use")]);
  });

  test("a block that was left open is closed first", () => {
    const written = after(spoken.slice(0, -1)).writeTurns([turnOf([hi, ...calls("a")])], [], {});
    expect(written.slice(0, 2)).toEqual([stop(0), begin(1, { type: "tool_use", id: "a", name: "find", input: {} })]);
  });

  test("text behind a call, where it has not been said", () => {
    const parts = [hi, ...calls("a"), { type: "text", text: "Bye" } as const];
    const written = after(spoken).writeTurns([turnOf(parts)], ending("tool_use"), {});
    const behind = [begin(2, { type: "text", text: "" }), say(2, "Bye"), stop(2)];
    expect(written).toEqual([...call(1, "a", '{"a":1}'), ...behind, ...ending("tool_use")]);
  });

  test("only the calls that are left", () => {
    const first = call(1, "a", '{"a":1}');
    const turn = turnOf([hi, ...calls("a", "b")]);
    const left = { ...turn, calls: turn.calls.slice(1) };
    const written = after([...spoken, ...first]).writeTurns([left], ending("tool_use"), {});
    expect(written).toEqual([...call(2, "b", '{"a":1}'), ...ending("tool_use")]);
  });

  test("a message that never began begins", () => {
    const types = after([]).writeTurns([turnOf([], "length")], [], {});
    expect(types.map(({ event: type }) => type)).toEqual(["message_start", "message_delta", "message_stop"]);
    expect(types[1]?.value["delta"]).toMatchObject({ stop_reason: "max_tokens" });
  });

  test("an unsound frame is said in the words of the format", () => {
    const like = { index: 7, delta: { text: "Hi" } };
    const { texts: said } = text("Hi");
    expect(after([started]).writeText(said, like)).toEqual([begin(0, { type: "text", text: "" }), say(0, "Hi")]);
    expect(after(spoken.slice(0, 2)).writeText(said, like)).toEqual([say(0, "Hi")]);
  });

  test("usage that came without a reason stands in the end", () => {
    const cleaner = after(spoken);
    const usage = { output_tokens: 9 };
    expect(cleaner.writeText([], { type: "message_delta", delta: { stop_reason: null }, usage })).toEqual([]);
    const [delta] = cleaner.writeText([], { type: "message_stop" });
    expect(delta?.value).toMatchObject({ delta: { stop_reason: "end_turn" }, usage });
  });
});

describe("bodies", () => {
  const { clientTurns: read, write } = anthropicWriter.body;
  const block = (id: unknown, input: unknown = { a: 1 }) => ({ type: "tool_use", id, name: "find", input });
  const bodyOf = (content: readonly unknown[], reason = "tool_use") => ({ ...message, content, stop_reason: reason });

  test("a sound one is read", () => {
    const found = { id: "a", name: "find", arguments: '{"a":1}' };
    expect(read(bodyOf([hi, block("a")]))).toEqual([{ calls: [found], isEnded: true }]);
    expect(read(bodyOf([block("a")], "end_turn"))).toMatchObject([{ isEnded: false }]);
  });

  test.each<[name: string, content: readonly unknown[]]>([
    ["an id twice", [block("a"), block("a")]],
    ["no id", [block(null)]],
    ["input as text", [block("a", '{"a":1}')]],
    ["no type", [{ ...block("a"), type: undefined }]],
  ])("%s is written anew, in its place", (_, content) => {
    expect(read(bodyOf([...content, hi]))).toBeUndefined();
    const ids = content.map((__, i) => `call_${i}`);
    const written = write([turnOf(calls(...ids))], bodyOf([...content, hi], "end_turn"));
    expect(written).toEqual(bodyOf([...ids.map((id) => block(id)), hi]));
  });
});

describe("a piece of arguments that fits nowhere", () => {
  const piece = more(7, { type: "input_json_delta", partial_json: "{}" });

  test("is none of a text", () => {
    expect(after(spoken.slice(0, 3)).writeText([], piece.value)).toEqual([]);
  });

  test("is one of a tool of the server", () => {
    const search = begin(0, { type: "server_tool_use", id: "srv", name: "web_search", input: {} });
    expect(after([started, search]).writeText([], piece.value)).toEqual([
      { ...piece, value: { ...piece.value, index: 0 } },
    ]);
  });
});
