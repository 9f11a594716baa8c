import { assembleAiSdk } from "#codecs";
import type { StreamPart } from "#core";
import { describe, expect, test } from "vitest";

import { type ModelRepair, undangleModel } from "../../src/adapters/ai-sdk.ts";
import { call, finish, inputOf, start } from "../adapters/model-turns.ts";
import { aiPrograms } from "../clients/ai-sdk.ts";
import { events, responseOf } from "../clients/passed-through.ts";

/** Packages of the AI SDK give the input of a call under the first id that came, and the call under the last one. */
const item = {
  type: "function_call",
  id: "fc_1",
  call_id: "call_1",
  name: "find_book",
  arguments: '{"title":"Emma"}',
  status: "completed",
};
const delta = { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 0 };

const bodyOf = (first: string, deltas: readonly object[]): string =>
  events(
    { type: "response.created", response: responseOf("in_progress") },
    {
      type: "response.output_item.added",
      output_index: 0,
      item: { ...item, call_id: first, arguments: "", status: "in_progress" },
    },
    ...deltas,
    { type: "response.output_item.done", output_index: 0, item },
    {
      type: "response.completed",
      response: { ...responseOf("completed", item), usage: { input_tokens: 1, output_tokens: 1 } },
    },
  );

describe.each(aiPrograms.filter(({ format }) => format === "openai-responses"))("$name", ({ hear }) => {
  test.each([
    ["the id of the call comes late", ""],
    ["the id of the item stands where that of the call has to come", "fc_1"],
    ["nothing is wrong", "call_1"],
  ])("runs a call once, as without undangleModel: %s", async (_, first) => {
    for (const deltas of [[{ ...delta, delta: item.arguments }], []]) {
      const answer = async () =>
        new Response(bodyOf(first, deltas), { headers: { "content-type": "text/event-stream" } });
      const bare = await hear("https://host.example/v1", answer);
      expect(bare).toEqual({
        text: "",
        calls: [{ id: "call_1", name: "find_book", arguments: { title: "Emma" } }],
      });
      expect(await hear("https://host.example/v1", answer, undangleModel({ logger: false }))).toEqual(bare);
    }
  });
});

type Part = Readonly<Record<string, unknown>>;

const a = '{"query":"a"}';
const b = '{"query":"b"}';
const search = {
  type: "function",
  name: "search",
  inputSchema: { type: "object", properties: { query: { type: "string" } } },
} as const;

/** The calls that pass, or none when the turn ends in an error. */
async function passed(parts: readonly Part[]) {
  const told: ModelRepair[] = [];
  const middleware = undangleModel({ logger: false, onRepair: (repair) => told.push(repair) });
  const doStream = async () => ({ stream: ReadableStream.from(parts) });
  const params = { prompt: [], tools: [search] };
  const { stream } = await middleware.wrapStream({ doStream, params, model: { provider: "test", modelId: "m" } });
  const came: Part[] = [];
  for await (const part of stream) came.push(part);
  const isBroken = came.some(({ type }) => type === "error");
  const calls = came
    .filter(({ type }) => type === "tool-call")
    .map(({ toolCallId, input }) => `${String(toolCallId)} ${String(input)}`);
  return {
    calls: isBroken ? [] : calls,
    told: told.flatMap(({ anomalies = [] }) => anomalies.map(({ kind }) => kind)),
  };
}

/** The calls that an agent gets of the same parts. */
async function assembled(parts: readonly Part[]) {
  const stream = assembleAiSdk(ReadableStream.from(parts), { tools: [search], knownIds: [] });
  const told: StreamPart[] = [];
  for await (const part of stream) told.push(part);
  const { calls, complete } = await stream.turn();
  const begun = told.flatMap((part) => (part.type === "call-start" ? [part.call] : []));
  const ended = told.flatMap((part) => (part.type === "call-end" ? [part.call] : []));
  expect(new Set(begun)).toEqual(new Set(ended));
  return complete ? calls.map(({ id, raw }) => `${id} ${raw}`) : [];
}

describe("an input without a call of its own", () => {
  test.each<[string, readonly Part[], readonly unknown[]]>([
    ["is that of a call behind it which says the same", [...inputOf("x", a), call("c1", a)], [`c1 ${a}`]],
    ["is that of a call behind it, when nothing came of it", [...inputOf("x"), call("c1", a)], [`c1 ${a}`]],
    [
      "is that of a call under an id that the SDK made",
      [...inputOf("x", a), call("abcdefgh12345678", a)],
      [`abcdefgh12345678 ${a}`],
    ],
    [
      "is that of one call only",
      [...inputOf("x", a), ...inputOf("y", a), call("c1", a), call("c2", a)],
      [`c1 ${a}`, `c2 ${a}`],
    ],
    [
      "is rather that of a call which says the same than of any other",
      [...inputOf("x"), ...inputOf("y", b), call("c1", b), call("c2", a)],
      [`c1 ${b}`, `c2 ${a}`],
    ],
    ["is cut off where too few calls come", [...inputOf("x"), ...inputOf("y"), call("c1", a)], []],
    ["is cut off where it says something else", [...inputOf("x", '{"query":'), call("c1", a)], []],
  ])("%s", async (_, parts, expected) => {
    const turn = [start, ...parts, finish("tool-calls")];
    const { calls, told } = await passed(turn);
    expect(calls).toEqual(expected);
    expect(told.includes("id-late") || expected.length === 0).toBe(true);
    expect(new Set(await assembled(turn))).toEqual(new Set(expected));
  });

  test("is none of a call that came with its own, or before it", async () => {
    for (const parts of [
      [...inputOf("x", b), ...inputOf("c1", a), call("c1", a)],
      [call("c1", a), ...inputOf("x", a)],
    ]) {
      const turn = [start, ...parts, finish("tool-calls")];
      expect((await passed(turn)).calls).toHaveLength(2);
      expect(await assembled(turn)).toHaveLength(2);
    }
  });

  test("gets its own call, also behind another one that says the same", async () => {
    const turn = [start, ...inputOf("x", a), call("c1", a), call("x", a), finish("tool-calls")];
    const both = [`c1 ${a}`, `x ${a}`];
    expect(new Set((await passed(turn)).calls)).toEqual(new Set(both));
    expect(new Set(await assembled(turn))).toEqual(new Set(both));
  });
});
