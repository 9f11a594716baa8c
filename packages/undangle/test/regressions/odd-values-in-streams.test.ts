import { assemble } from "undangle";
import type { StreamFormat } from "undangle";
import { describe, expect, test } from "vitest";

import { chunk, done, events, named, passedThrough, responseOf } from "../clients/passed-through.ts";
import type { Typed } from "../clients/passed-through.ts";
import { requests } from "../growth/requests.ts";

/** Values in the place of a text. An object that is not empty is read as parsed arguments, and an absent value counts too. */
const odd = [null, 0, 7, true, false, [], ["a"], [1], {}, undefined] as const;

type Frame = Readonly<Record<string, unknown>>;
type Replace = (value: unknown) => unknown;

/** The deltas of the arguments; a function puts something else in their place. */
const deltas = ['{"path":"/srv', '/x","n":1}'] as const;
const same: Replace = (value) => value;

interface Stream {
  readonly format: StreamFormat;
  /** The frames, with every delta replaced at one place. */
  readonly frames: (replace: Replace) => readonly Frame[];
}

const called = (call: unknown): Frame => chunk({ tool_calls: call }) as Frame;
const chat = (more: (delta: string) => Frame): readonly Frame[] => [
  chunk({ role: "assistant", content: null }) as Frame,
  called([{ index: 0, id: "c", type: "function", function: { name: "rm", arguments: "" } }]),
  ...deltas.map(more),
  chunk({}, "tool_calls") as Frame,
];
const legacy = (more: (delta: string) => unknown): readonly Frame[] => [
  chunk({ role: "assistant", content: null }) as Frame,
  chunk({ function_call: { name: "rm", arguments: "" } }) as Frame,
  ...deltas.map((delta) => chunk({ function_call: more(delta) }) as Frame),
  chunk({}, "function_call") as Frame,
];
const item = (args: unknown, status: string): Frame => ({
  type: "function_call",
  id: "fc",
  call_id: "c",
  name: "rm",
  arguments: args,
  status,
});
const responses = (more: (delta: string) => Frame): readonly Frame[] => [
  { type: "response.created", response: responseOf("in_progress") },
  { type: "response.output_item.added", output_index: 0, item: item("", "in_progress") },
  ...deltas.map(more),
  { type: "response.completed", response: responseOf("completed") },
];
const argumentsDelta = (delta: unknown): Frame => ({
  type: "response.function_call_arguments.delta",
  item_id: "fc",
  output_index: 0,
  delta,
});
const anthropic = (more: (delta: string) => Frame): readonly Frame[] => [
  { type: "message_start", message: { id: "m", type: "message", role: "assistant", content: [], usage: {} } },
  { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "c", name: "rm", input: {} } },
  ...deltas.map(more),
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: {} },
  { type: "message_stop" },
];
const blockDelta = (delta: unknown): Frame => ({ type: "content_block_delta", index: 0, delta });
const bedrock = (more: (delta: string) => Frame): readonly Frame[] => [
  { messageStart: { role: "assistant" } },
  { contentBlockStart: { contentBlockIndex: 0, start: { toolUse: { toolUseId: "c", name: "rm" } } } },
  ...deltas.map(more),
  { contentBlockStop: { contentBlockIndex: 0 } },
  { messageStop: { stopReason: "tool_use" } },
];
const converse = (delta: unknown): Frame => ({ contentBlockDelta: { contentBlockIndex: 0, delta } });
const candidate = (parts: unknown, more: object = {}): Frame => ({
  candidates: [{ index: 0, content: { role: "model", parts }, ...more }],
});
const vertex = (more: (delta: Frame) => Frame): readonly Frame[] => [
  candidate([{ functionCall: { name: "rm", willContinue: true } }]),
  more({ jsonPath: "$.path", stringValue: "/srv", willContinue: true }),
  more({ jsonPath: "$.path", stringValue: "/x" }),
  more({ jsonPath: "$.n", numberValue: 1 }),
  candidate([{ functionCall: {} }], { finishReason: "STOP" }),
];
const partial = (delta: unknown, willContinue: unknown = true): Frame =>
  candidate([{ functionCall: { partialArgs: delta, willContinue } }]);

const streams: Readonly<Record<string, Stream>> = {
  "chat: arguments": {
    format: "openai-chat",
    frames: (put) => chat((delta) => called([{ index: 0, function: { arguments: put(delta) } }])),
  },
  "chat: function": {
    format: "openai-chat",
    frames: (put) => chat((delta) => called([{ index: 0, function: put({ arguments: delta }) }])),
  },
  "chat: entry": {
    format: "openai-chat",
    frames: (put) => chat((delta) => called([put({ index: 0, function: { arguments: delta } })])),
  },
  "chat: choices": {
    format: "openai-chat",
    frames: (put) => chat((delta) => ({ ...called([]), choices: put(chat(() => called(delta))) })),
  },
  "chat: function_call.arguments": {
    format: "openai-chat",
    frames: (put) => legacy((delta) => ({ arguments: put(delta) })),
  },
  "responses: delta": { format: "openai-responses", frames: (put) => responses((delta) => argumentsDelta(put(delta))) },
  "responses: type": {
    format: "openai-responses",
    frames: (put) => responses((delta) => ({ ...argumentsDelta(delta), type: put("response.x") })),
  },
  "responses: done": {
    format: "openai-responses",
    frames: (put) => [
      ...responses((delta) => argumentsDelta(put(delta))).slice(0, -1),
      { type: "response.function_call_arguments.done", item_id: "fc", output_index: 0, arguments: put("") },
      { type: "response.output_item.done", output_index: 0, item: item(put(""), "completed") },
      { type: "response.completed", response: responseOf("completed", item(put(""), "completed")) },
    ],
  },
  "anthropic: partial_json": {
    format: "anthropic",
    frames: (put) => anthropic((delta) => blockDelta({ type: "input_json_delta", partial_json: put(delta) })),
  },
  "anthropic: delta": {
    format: "anthropic",
    frames: (put) => anthropic((delta) => blockDelta(put({ type: "input_json_delta", partial_json: delta }))),
  },
  "anthropic: type": {
    format: "anthropic",
    frames: (put) =>
      anthropic((delta) => ({
        ...blockDelta({ type: "input_json_delta", partial_json: delta }),
        type: put("content_block_delta"),
      })),
  },
  "bedrock: input": {
    format: "bedrock",
    frames: (put) => bedrock((delta) => converse({ toolUse: { input: put(delta) } })),
  },
  "bedrock: toolUse": {
    format: "bedrock",
    frames: (put) => bedrock((delta) => converse({ toolUse: put({ input: delta }) })),
  },
  "bedrock: delta": {
    format: "bedrock",
    frames: (put) => bedrock((delta) => converse(put({ toolUse: { input: delta } }))),
  },
  "bedrock: event": {
    format: "bedrock",
    frames: (put) => bedrock((delta) => ({ contentBlockDelta: put(converse({ toolUse: { input: delta } })) })),
  },
  "gemini: partialArgs": { format: "gemini", frames: (put) => vertex((delta) => partial(put([delta]))) },
  "gemini: delta of partialArgs": { format: "gemini", frames: (put) => vertex((delta) => partial([put(delta)])) },
  "gemini: functionCall": {
    format: "gemini",
    frames: (put) =>
      vertex((delta) => candidate([{ functionCall: put({ partialArgs: [delta], willContinue: true }) }])),
  },
  "gemini: parts": { format: "gemini", frames: (put) => vertex((delta) => candidate(put([delta]))) },
  "gemini: candidates": { format: "gemini", frames: (put) => vertex((delta) => ({ candidates: put([delta]) })) },
};

/** Values that have a meaning of their own at a place. */
const harmless: Readonly<Record<string, readonly unknown[]>> = {
  "gemini: functionCall": [{}], // the end of the call
  "responses: done": [{}], // the arguments of the whole call
};

const isHarmless = (name: string, value: unknown): boolean =>
  harmless[name]?.some((one) => JSON.stringify(one) === JSON.stringify(value)) === true;

const bodyOf = ({ format, frames }: Stream, replace: Replace): string =>
  format === "openai-chat"
    ? events(...frames(replace)) + done
    : format === "gemini"
      ? events(...frames(replace))
      : named(...(frames(replace) as readonly Typed[]));

describe("a call whose arguments are replaced by other values is never ready", () => {
  test.each(Object.entries(streams))("%s", async (name, stream) => {
    const { format } = stream;
    for (const value of odd.filter((each) => !isHarmless(name, each))) {
      const what = JSON.stringify(value);
      const turn = await assemble(
        stream.frames(() => value),
        { format },
      ).turn();
      expect(
        turn.calls.map(({ state }) => state),
        `${what} in ${name}`,
      ).not.toContain("ready");
      // Numbers and lists are kept as text that is not an object, which a client cannot mistake for arguments.
      const isText = turn.calls.some(({ state }) => state === "malformed");
      expect(turn.complete && !isText, `${what} in ${name}`).toBe(false);
      if (format === "bedrock" || isText) continue;
      for (const toolCalls of ["hold", "stream"] as const) {
        const body = bodyOf(stream, () => value);
        const { error } = await passedThrough({ ...requests[format], body, toolCalls });
        expect(error, `${what}, ${toolCalls}`).toBeTypeOf("string");
      }
    }
  });
});

describe("an odd value elsewhere changes nothing", () => {
  test("null and empty deltas beside complete arguments", async () => {
    const entry = (args: unknown): Frame => called([{ index: 0, function: { arguments: args } }]);
    const frames = chat(entry).toSpliced(3, 0, entry(null), entry(""), entry({}));
    const turn = await assemble(frames, { format: "openai-chat" }).turn();
    expect(turn.calls.map((call) => call.arguments)).toEqual([{ path: "/srv/x", n: 1 }]);
  });

  test.each<readonly [string, StreamFormat, readonly Frame[]]>([
    ["chat", "openai-chat", chat(() => called([{ index: 0, function: { arguments: "" } }]))],
    ["responses", "openai-responses", responses(() => argumentsDelta(""))],
    ["anthropic", "anthropic", anthropic(() => blockDelta({ type: "input_json_delta", partial_json: "" }))],
    ["bedrock", "bedrock", bedrock(() => converse({ toolUse: { input: "" } }))],
  ])("empty texts are no arguments (%s)", async (_, format, frames) => {
    const turn = await assemble(frames, { format }).turn();
    expect(turn.calls.map((call) => [call.state, call.arguments])).toEqual([["ready", {}]]);
    expect(turn.complete).toBe(true);
  });

  test("arguments in a choice that nothing else is in are not dropped", async () => {
    const frames = chat((delta) => {
      const [choice] = (called([{ index: 0, function: { arguments: delta } }]) as { choices: readonly object[] })
        .choices;
      return { ...called([]), choices: [{ ...choice, index: 7 }] };
    });
    const turn = await assemble(frames, { format: "openai-chat" }).turn();
    expect(turn.calls.filter(({ state }) => state === "ready")).toEqual([]);
  });
});

test("each cause has its own text", async () => {
  const stream = streams["anthropic: partial_json"];
  if (stream === undefined) throw new Error("no stream");
  const read = async (body: string): Promise<string | undefined> =>
    (await passedThrough({ ...requests.anthropic, body })).error;
  const sound = bodyOf(stream, same);
  expect(await read(sound)).toBeUndefined();
  expect(await read(bodyOf(stream, () => null))).toContain(": a tool call, or a part of one, cannot be read");
  expect(await read(sound.replace('"partial_json":"{', '"partial_json:"{'))).toContain(": an event is not JSON");
  expect(await read(sound.replace('/x\\",\\"n\\":1}', ""))).toContain(": its arguments end in the middle");
  expect(await read(sound.slice(0, sound.indexOf("event: content_block_stop")))).toContain(
    ": the stream ended too early",
  );
});
