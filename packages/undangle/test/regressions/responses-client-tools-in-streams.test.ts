import { assemble, check } from "undangle";
import { describe, expect, test } from "vitest";

import { named, passedThrough, responseOf } from "../clients/passed-through.ts";
import type { Typed } from "../clients/passed-through.ts";
import { responses } from "../clients/requests.ts";

const by = { id: "x_1", call_id: "call_1", status: "completed" };

/** Calls of OpenAI's own tools that the client runs, as their items end. */
const calls: readonly (readonly [item: Typed, name: string, args: object])[] = [
  [{ type: "shell_call", ...by, action: { commands: ["ls"] }, environment: null }, "shell", { commands: ["ls"] }],
  [
    { type: "local_shell_call", ...by, action: { type: "exec", command: ["ls"], env: {} } },
    "local_shell",
    { type: "exec", command: ["ls"], env: {} },
  ],
  [
    { type: "apply_patch_call", ...by, operation: { type: "delete_file", path: "x" } },
    "apply_patch",
    { type: "delete_file", path: "x" },
  ],
  [
    { type: "computer_call", ...by, action: { type: "screenshot" }, pending_safety_checks: [] },
    "computer",
    { type: "screenshot" },
  ],
  [
    { type: "computer_call", ...by, actions: [{ type: "wait" }], pending_safety_checks: [] },
    "computer",
    { actions: [{ type: "wait" }] },
  ],
  [{ type: "tool_search_call", ...by, execution: "client", arguments: { q: "x" } }, "tool_search", { q: "x" }],
];

const created = { type: "response.created", response: responseOf("in_progress") };
const begun = ({ action: _a, actions: _b, operation: _o, arguments: _c, ...item }: Typed): Typed => ({
  type: "response.output_item.added",
  output_index: 0,
  item: { ...item, status: "in_progress" },
});
const done = (item: Typed, index = 0): Typed => ({ type: "response.output_item.done", output_index: index, item });
const completed = (...output: readonly Typed[]): Typed => ({
  type: "response.completed",
  response: responseOf("completed", ...output),
});

const turnOf = (source: Parameters<typeof assemble>[0]) => assemble(source, { format: "openai-responses" }).turn();

describe.each(calls)("a call of a tool that the client runs: $type", (item, name, args) => {
  const stream = named(created, begun(item), done(item), completed(item));

  test("is a call, streamed and whole, as it is for check", async () => {
    for (const source of [
      stream,
      named(created, done(item), completed()),
      JSON.stringify(responseOf("completed", item)),
    ]) {
      const { calls: found, finish, complete, anomalies } = await turnOf(source);
      expect(found).toMatchObject([
        { id: "call_1", name, arguments: args, state: "ready", extras: { type: item.type } },
      ]);
      expect({ finish, complete }).toEqual({ finish: "tool_calls", complete: true });
      expect(anomalies.map(({ kind }) => kind).filter((kind) => kind !== "whole-body")).toEqual([]);
    }
    expect(check([{ role: "user", content: "a" }, item], { format: "openai-responses" })).toMatchObject([
      { rule: "unanswered-call" },
    ]);
  });

  test("is not ready before its item is done", async () => {
    for (const source of [named(created, begun(item)), named(created, begun(item), completed())]) {
      const { calls: found, complete } = await turnOf(source);
      expect(found).toMatchObject([{ name, arguments: null, state: "truncated" }]);
      expect(complete).toBe(false);
    }
  });

  test("passes wrapFetch as it came, alone and beside a call that is repaired", async () => {
    for (const toolCalls of ["hold", "stream"] as const) {
      const alone = await passedThrough({ ...responses, body: stream, toolCalls });
      expect(alone).toEqual({ text: stream, error: undefined, told: [] });
      const other = { type: "function_call", id: "fc_1", call_id: "", name: "f", arguments: "{}", status: "completed" };
      const body = named(created, begun(item), done(item), done(other, 1), completed(item, other));
      const { text, error } = await passedThrough({ ...responses, body, toolCalls });
      expect(error).toBeUndefined();
      const turn = await turnOf(text);
      expect(turn.calls.map((call) => [call.name, call.arguments])).toEqual([
        [name, args],
        ["f", {}],
      ]);
    }
    const whole = JSON.stringify(responseOf("completed", item));
    const request = { model: "m", input: "Hi." };
    const passed = await passedThrough({ url: responses.url, request, body: whole, type: "application/json" });
    expect(passed).toEqual({ text: whole, error: undefined, told: [] });
  });
});

describe("a call that the provider runs is not a call", () => {
  const hosted = { type: "shell_call", ...by, action: { commands: ["ls"] } };
  test.each<readonly [string, readonly Typed[]]>([
    ["a shell in a container", [{ ...hosted, environment: { type: "container_reference", container_id: "c" } }]],
    ["a shell whose output follows", [hosted, { type: "shell_call_output", id: "o_1", call_id: "call_1", output: [] }]],
    ["a search on the server", [{ type: "tool_search_call", ...by, execution: "server", arguments: {} }]],
    ["a search on the web", [{ type: "web_search_call", id: "ws_1", status: "completed" }]],
  ])("%s", async (_, items) => {
    const body = named(created, ...items.map((item, i) => done(item, i)), completed(...items));
    expect(await turnOf(body)).toMatchObject({ calls: [], finish: "stop", complete: true });
  });
});
