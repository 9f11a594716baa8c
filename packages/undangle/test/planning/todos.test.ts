import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { JsonObject } from "#core";
import { createAgent, tool } from "#engine";
import type { Agent, AgentEvent, HookContext } from "#engine";
import { todos } from "#middleware";
import { memoryStore } from "#store";
import type { Store } from "#store";
import { scriptedModel } from "#testing";
import { describe, expect, test } from "vitest";

import { sqliteStore } from "../../src/store/sqlite.ts";
import { afterDeath } from "../engine/after-death.ts";
import { soon } from "../engine/promised.ts";

const plan = (...items: readonly (readonly [content: string, status: string])[]): JsonObject => ({
  todos: items.map(([content, status]) => ({ content, status })),
});
const write = (args: JsonObject) => ({ name: "write_todos", arguments: args });
const first = plan(["read", "completed"], ["write", "in_progress"], ["test", "pending"]);
const other = plan(["something else", "pending"]);

/** Runs an agent whose model makes these calls, one list for each turn. */
async function planned(
  turns: readonly (readonly { readonly name: string; readonly arguments: JsonObject }[])[],
  options: Partial<Parameters<typeof createAgent>[0]> = {},
) {
  const model = scriptedModel([...turns.map((calls) => ({ calls })), { text: "Done." }]);
  const agent = createAgent({ model, middleware: [todos()], ...options });
  const thread = agent.thread("t");
  const events: AgentEvent[] = [];
  for await (const event of thread.send("Go.")) events.push(event);
  const calls = await thread.calls();
  return { model, thread, events, calls, results: calls.map(({ result, error }) => result ?? `!${error}`) };
}

test("the result repeats the list", async () => {
  const { results } = await planned([[write(first)]]);
  expect(results).toEqual([
    "The list is now ([ ] pending, [>] in progress, [x] completed):\n[x] read\n[>] write\n[ ] test",
  ]);
});

describe("T1 two calls in one turn", () => {
  test("both are errors, and the list stays as it is", async () => {
    const { results, thread } = await planned([[write(first)], [write(other), write(plan())]]);
    expect(results).toHaveLength(3);
    for (const result of results.slice(1)) expect(result).toMatch(/^!The list was not changed/u);
    expect(await thread.state()).toMatchObject({ todos: { items: first["todos"] } });
  });

  test("one call in the next turn replaces the list", async () => {
    const { thread } = await planned([[write(first), write(first)], [write(other)]]);
    expect(await thread.state()).toEqual({ todos: { items: other["todos"] } });
  });

  test("a call with invalid arguments counts", async () => {
    const { results, thread } = await planned([[write(first), write({})]]);
    expect(results[0]).toMatch(/^!The list was not changed/u);
    expect(await thread.state()).toMatchObject({ todos: { items: [] } });
  });

  test("a crash at any commit changes nothing about it", async () => {
    let didEnd = false;
    for (let last = 1; !didEnd && last < 20; last++) {
      const store = memoryStore();
      const { promise: died, resolve: die } = Promise.withResolvers<string>();
      const model = scriptedModel([
        { calls: [write(first)] },
        { calls: [write(other), write(other)] },
        { text: "Done." },
      ]);
      const dead = createAgent({
        model,
        store: diesAfter(store, last, () => die("died")),
        middleware: [todos()],
        limits: { parallel: 1 },
      });
      const end = dead
        .thread("t")
        .send("Go.")
        .result.then(() => "done");
      didEnd = (await soon(Promise.race([end, died]))) === "done";
      const rest = model.requests.length < 2 ? [{ calls: [write(other), write(other)] }] : [];
      const agent = createAgent({
        model: scriptedModel([...rest, { text: "Again." }, { text: "Again." }]),
        store: afterDeath(store),
        middleware: [todos()],
      });
      const thread = agent.thread("t");
      for (const run of await agent.recover()) await run.result;
      const calls = (await thread.calls()).slice(1);
      expect(calls.filter(({ status }) => status === "succeeded")).toEqual([]);
      expect(JSON.stringify(await thread.state())).not.toContain("something else");
    }
    expect(didEnd).toBe(true);
  });
});

/** A store of a process that dies after some commits: the next one never returns. */
function diesAfter(store: Store, last: number, die: () => void): Store {
  let commits = 0;
  return {
    ...store,
    commit(commit) {
      if (++commits <= last) return store.commit(commit);
      die();
      return new Promise<never>(() => undefined);
    },
  };
}

test("T2 an empty list clears it", async () => {
  const { results, thread } = await planned([[write(first)], [write(plan())]]);
  expect(results[1]).toBe("The list is empty.");
  expect(await thread.state()).toEqual({ todos: { items: [] } });
});

test.each<[string, JsonObject]>([
  ["an unknown status", plan(["read", "done"])],
  ["an empty content", plan(["", "pending"])],
  ["a blank content", plan([" \n", "pending"])],
  ["no list", {}],
  ["other keys", { todos: [{ content: "x", status: "pending", id: 1 }] }],
])("T3 %s is an error of the schema", async (_, args) => {
  const { calls, thread } = await planned([[write(args)]]);
  expect(calls[0]?.error).toMatch(/^write_todos was not executed - its arguments do not fit/u);
  expect(await thread.state()).toEqual({});
});

test("T4 an agent in a tool has a list of its own", async () => {
  let inner: Agent | undefined;
  const work = tool({
    name: "work",
    description: "",
    async execute() {
      const model = scriptedModel([{ calls: [write(other)] }, { text: "Done." }]);
      inner = createAgent({ model, middleware: [todos()] });
      return (await inner.thread("child").send("Go.").result).text;
    },
  });
  const { thread } = await planned([[write(first)], [{ name: "work", arguments: {} }]], { tools: [work] });
  expect(await thread.state()).toEqual({ todos: { items: first["todos"] } });
  expect(await inner?.thread("child").state()).toEqual({ todos: { items: other["todos"] } });
});

describe("T5 after a summary", () => {
  const shown = (items: unknown, language: "en" | "zh" = "en"): string | undefined => {
    const context = { language, state: { get: () => ({ items }), update: () => undefined } };
    return todos().afterSummary?.(context as unknown as HookContext); // nothing else is read
  };

  test("the model sees the open list", () => {
    expect(shown(first["todos"])).toBe(
      "Your list of steps, from write_todos ([ ] pending, [>] in progress, [x] completed):\n[x] read\n[>] write\n[ ] test",
    );
    expect(shown(first["todos"], "zh")).toMatch(/^你用 write_todos 写下的步骤清单/u);
  });

  test.each([
    ["an empty list", plan()],
    ["a list of completed steps", plan(["read", "completed"])],
  ])("nothing of %s", (_, list) => {
    expect(shown(list["todos"])).toBeUndefined();
  });
});

describe("T6", () => {
  test("the list is in the state and in the event of the call", async () => {
    const { thread, events } = await planned([[write(first)]]);
    expect(await thread.state()).toEqual({ todos: { items: first["todos"] } });
    const ready = events.find((event) => event.type === "tool_call_ready");
    expect(ready?.data).toMatchObject({ name: "write_todos", arguments: first });
    const end = events.find((event) => event.type === "tool_call_end");
    expect(end?.data).toMatchObject({ name: "write_todos", success: true });
    expect(JSON.stringify(end?.data)).toContain("[>] write");
  });

  test("the list is still there after a restart", async () => {
    const folder = mkdtempSync(join(tmpdir(), "undangle-todos-"));
    try {
      const store = sqliteStore(join(folder, "threads.db"));
      await planned([[write(first)]], { store });
      await store.close();
      const opened = sqliteStore(join(folder, "threads.db"));
      const agent = createAgent({ model: scriptedModel([]), store: opened, middleware: [todos()] });
      expect(await agent.thread("t").state()).toEqual({ todos: { items: first["todos"] } });
      await opened.close();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe("the prompt", () => {
  test("T7 does not ask for a plan of small tasks", async () => {
    const { model } = await planned([]);
    const [{ system, tools } = { system: [], tools: [] }] = model.requests;
    expect(system.map(({ text }) => text).join("")).toContain("Do not use it for questions and small tasks");
    expect(tools[0]?.description).toContain("not for small tasks");
  });

  test("T8 is the same in every request, and never contains the list", async () => {
    const { model } = await planned([[write(first)], [write(other)]], { instructions: "Be brief." });
    const systems = model.requests.map(({ system }) => system.map(({ text }) => text));
    expect(new Set(systems.map((each) => JSON.stringify(each))).size).toBe(1);
    expect(systems[0]?.[0]).toBe("Be brief.");
    expect(systems[0]?.[1]).toMatch(/^\n\n## Planning\n/u);
    expect(systems[0]?.[1]).not.toContain("something else");
  });

  test("is in the language of the agent, with the same list of tools in every request", async () => {
    const { model, results } = await planned([[write(first)], [write(plan())]], { language: "zh" });
    expect(model.requests[0]?.system[0]?.text).toMatch(/^## 计划/u);
    expect(model.requests[0]?.tools[0]?.description).toMatch(/^替换你的步骤清单/u);
    expect(model.requests[1]?.tools).toBe(model.requests[0]?.tools);
    expect(results[1]).toBe("清单为空。");
  });
});
