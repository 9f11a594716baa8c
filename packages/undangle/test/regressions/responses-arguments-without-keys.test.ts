import { isDeepStrictEqual } from "node:util";
import { assemble } from "undangle";
import { describe, expect, test } from "vitest";

import { named, passedThrough, responseOf } from "../clients/passed-through.ts";
import type { Typed } from "../clients/passed-through.ts";
import { responses } from "../clients/requests.ts";

// llama.cpp opens several calls, and then says their arguments without `item_id` and `output_index`.
const created = { type: "response.created", response: responseOf("in_progress") };
const completed = (...output: readonly Typed[]): Typed => ({
  type: "response.completed",
  response: responseOf("completed", ...output),
});
const item = (name: string, given = "", type = "function_call"): Typed => ({
  type,
  call_id: `call_${name}`,
  name,
  ...(type === "function_call" ? { arguments: given } : { input: given }),
  status: "in_progress",
});
const added = (...names: readonly string[]): Typed[] =>
  names.map((name) => ({ type: "response.output_item.added", item: item(name) }));
const done = (text: string, keys: object = {}): Typed => ({
  type: "response.function_call_arguments.done",
  arguments: text,
  ...keys,
});
const delta = (text: string, keys: object = {}): Typed => ({
  type: "response.function_call_arguments.delta",
  delta: text,
  ...keys,
});

const [x, y] = ['{"x":1}', '{"y":2}'];
const both = [
  ["a", "ready", { x: 1 }],
  ["b", "ready", { y: 2 }],
];
const none = [
  ["a", "truncated", null],
  ["b", "truncated", null],
];

const streams: readonly (readonly [about: string, events: readonly Typed[], calls: readonly unknown[]])[] = [
  ["by their order", [...added("a", "b"), done(x), done(y), completed()], both],
  ["by their names", [...added("a", "b"), done(y, { name: "b" }), done(x, { name: "a" }), completed()], both],
  [
    "by ids that no item has",
    [...added("a", "b"), done(x, { item_id: "p" }), done(y, { item_id: "q" }), completed()],
    both,
  ],
  ["by what came before", [...added("a"), delta(x), ...added("b"), delta(y), done(y), done(x), completed()], both],
  ["one after the other", [...added("a"), delta(x), done(x), ...added("b"), delta(y), done(y), completed()], both],
  ["with empty arguments", [...added("a", "b"), done("{}"), done(y), completed()], [["a", "ready", {}], both[1]]],
  [
    "by their items, at last",
    [
      ...added("a", "b"),
      done(y),
      { type: "response.output_item.done", item: item("b", y) },
      { type: "response.output_item.done", item: item("a", x) },
      completed(),
    ],
    both,
  ],
  ["by the response as a whole", [...added("a", "b"), done(y), completed(item("a", x), item("b", y))], both],
  ["arguments of one of two", [...added("a", "b"), done(x), completed()], none],
  ["a delta of one of two", [...added("a", "b"), delta(x), completed()], none],
  ["deltas of two, joined", [...added("a", "b"), delta(x), delta(y), completed()], none],
];

describe("arguments that name no call", () => {
  test.each(streams)("%s", async (_, events, calls) => {
    const turn = await assemble(named(created, ...events), { format: "openai-responses" }).turn();
    expect(turn.calls.map(({ name, state, arguments: args }) => [name, state, args])).toEqual(calls);
    expect(turn.complete).toBe(calls !== none);
  });

  test.each(streams)(
    "%s: wrapFetch passes what is certain, and ends in an error otherwise",
    async (_, events, calls) => {
      for (const toolCalls of ["hold", "stream"] as const) {
        const passed = await passedThrough({ ...responses, body: named(created, ...events), toolCalls });
        const turn = await assemble(passed.text, { format: "openai-responses" }).turn();
        const read = turn.calls.map(({ name, state, arguments: args }) => [name, state, args]);
        const isRight = passed.error === undefined ? isDeepStrictEqual(read, calls) && calls !== none : !turn.complete;
        expect({ toolCalls, read, isRight }).toMatchObject({ isRight: true });
      }
    },
  );
});
