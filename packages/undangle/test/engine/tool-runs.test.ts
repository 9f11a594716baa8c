import { createAgent, tool } from "#engine";
import type { AgentOptions, ToolContext, ToolOptions } from "#engine";
import { memoryStore } from "#store";
import { scriptedModel } from "#testing";
import { describe, expect, test } from "vitest";

import { faultsOf } from "./health.ts";
import { promised, quiet, soon, until } from "./promised.ts";
import { eventsOf, statesOf, toldOf } from "./recorded.ts";

type Execute = (context: ToolContext) => unknown;

/** An agent whose tool does what the test says, with these options. */
function stageOf(execute: Execute, options: Partial<ToolOptions> = {}, agentOptions: Partial<AgentOptions> = {}) {
  const contexts: ToolContext[] = [];
  const only = tool({
    name: "only",
    description: "The only one.",
    ...options,
    execute(_: unknown, context) {
      contexts.push(context);
      return execute(context);
    },
  });
  const store = memoryStore();
  const model = scriptedModel([{ calls: [{ name: "only" }] }, { text: "Done." }]);
  const agent = createAgent({ model, store, tools: [only], ...agentOptions });
  return { thread: agent.thread("t"), store, model, contexts };
}

const never = new Promise<never>(() => undefined);

describe("retries", () => {
  test("a tool that throws is tried again, with the same key, and its last word counts", async () => {
    const { thread, contexts, store, model } = stageOf(
      ({ attempt }) => (attempt < 3 ? Promise.reject(new Error(`no ${attempt}`)) : "at last"),
      { retries: 2 },
    );
    const run = thread.send("Go.");
    expect((await run.result).text).toBe("Done.");
    expect(contexts.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    const keys = new Set(contexts.map(({ idempotencyKey }) => idempotencyKey));
    expect([...keys]).toEqual([expect.stringMatching(/^[0-9a-f-]{36}-call_1$/u)]);
    expect(await toldOf(thread)).toEqual({ only: "at last" });
    const running = (await eventsOf(run)).filter(({ type }) => type === "tool_call_running");
    expect(running.map(({ data }) => data)).toMatchObject([{ attempt: 1 }, { attempt: 2 }, { attempt: 3 }]);
    expect(await faultsOf(store, model.requests)).toEqual([]);
  });

  test("after the last one the error is what the model is told", async () => {
    const { thread, contexts } = stageOf(({ attempt }) => Promise.reject(new Error(`no ${attempt}`)), { retries: 1 });
    await thread.send("Go.").result;
    expect(contexts.length).toBe(2);
    expect(await toldOf(thread)).toEqual({ only: "no 2" });
  });

  test("what a tool returns is not tried again, also if it is an error", async () => {
    const result = { content: [{ type: "text", text: "no such file" }], isError: true };
    const { thread, contexts, store } = stageOf(() => result, { retries: 5 });
    await thread.send("Go.").result;
    expect(contexts.length).toBe(1);
    expect(await statesOf(store, "t")).toEqual({ only: "failed" });
  });

  test("without retries a tool starts once", async () => {
    const { thread, contexts } = stageOf(() => Promise.reject(new Error("no")));
    await thread.send("Go.").result;
    expect(contexts.length).toBe(1);
  });

  test("a stop between two attempts ends them", async () => {
    const { thread, contexts, store } = stageOf(() => Promise.reject(new Error("no")), {
      retries: { times: 9, delay: 60_000 },
    });
    const run = thread.send("Go.");
    await until(() => contexts.length === 1);
    await quiet();
    expect((await soon(run.stop())).status).toBe("stopped");
    expect(contexts.length).toBe(1);
    expect(["failed", "stopped"]).toContain((await statesOf(store, "t"))["only"]);
  });
});

describe("a time limit of a tool", () => {
  test("ends the wait, tells the tool, and says that the outcome is unknown", async () => {
    const { thread, contexts, store, model } = stageOf(() => never, { timeout: 10 });
    expect((await soon(thread.send("Go.").result)).text).toBe("Done.");
    expect(contexts[0]?.signal.aborted).toBe(true);
    expect(await statesOf(store, "t")).toEqual({ only: "timed-out" });
    expect((await toldOf(thread))["only"]).toMatch(/did not finish in time. Its outcome is unknown/u);
    expect(await faultsOf(store, model.requests)).toEqual([]);
  });

  test("is not tried again, for the tool may have done it", async () => {
    const { thread, contexts } = stageOf(() => never, { timeout: 10, retries: 3 });
    await soon(thread.send("Go.").result);
    expect(contexts.length).toBe(1);
  });

  test("is tried again for one that declares itself idempotent, with a signal of its own", async () => {
    const { thread, contexts } = stageOf(({ attempt }) => (attempt === 1 ? never : "second"), {
      timeout: 10,
      retries: 3,
      idempotent: true,
    });
    await soon(thread.send("Go.").result);
    expect(await toldOf(thread)).toEqual({ only: "second" });
    expect(contexts.map(({ signal }) => signal.aborted)).toEqual([true, false]);
  });

  test("does not touch a tool that is quick enough, nor one that comes late", async () => {
    const late = promised();
    const { thread, store } = stageOf(() => late.promise, { timeout: 10 });
    await soon(thread.send("Go.").result);
    late.resolve("late");
    await quiet();
    expect(await statesOf(store, "t")).toEqual({ only: "timed-out" });
    const quick = stageOf(async () => "quick", { timeout: 1000 });
    await quick.thread.send("Go.").result;
    expect(await toldOf(quick.thread)).toEqual({ only: "quick" });
  });
});

describe("what a tool knows", () => {
  test("the thread, the call, its key, how often, and what the thread remembers", async () => {
    const { thread, contexts } = stageOf(({ state }) => {
      const count = Number(state.get("count") ?? 0) + 1;
      state.set("count", count);
      return count;
    });
    await thread.send("Go.").result;
    expect(contexts[0]).toMatchObject({ threadId: "t", callId: "call_1", attempt: 1 });
    expect(contexts[0]?.idempotencyKey).toMatch(/^[0-9a-f-]{36}-call_1$/u);
    expect(await thread.state()).toEqual({ count: 1 });
  });

  test("what it keeps is there for the next process, and for its siblings at once", async () => {
    const store = memoryStore();
    const seen: unknown[] = [];
    const make = () =>
      createAgent({
        model: scriptedModel([{ calls: [{ name: "add" }, { name: "add" }] }, { text: "Done." }]),
        store,
        tools: [
          tool({
            name: "add",
            description: "Adds.",
            execute(_: unknown, { state }) {
              seen.push(state.get("list"));
              state.set("list", [...((state.get("list") ?? []) as readonly number[]), seen.length]); // what it was set to
            },
          }),
        ],
      });
    await make().thread("t").send("Go.").result;
    await make().thread("t").send("Again.").result;
    expect(seen).toEqual([undefined, [1], [1, 2], [1, 2, 3]]);
  });

  test("a value that is changed after it was kept is kept as it was", async () => {
    const list = [1];
    const { thread } = stageOf(({ state }) => {
      state.set("list", list);
      list.push(2);
    });
    await thread.send("Go.").result;
    expect(await thread.state()).toEqual({ list: [1] });
  });
});

describe("in Chinese", () => {
  test("what the model is told of calls, and of tools that do not exist, is Chinese", async () => {
    const store = memoryStore();
    const agent = createAgent({
      model: scriptedModel([{ calls: [{ name: "pay" }, { name: "none" }, { name: "quiet" }] }, { text: "好的。" }]),
      store,
      language: "zh",
      tools: [
        tool({ name: "pay", description: "付款。", approval: true, execute: () => 1 }),
        tool({ name: "quiet", description: "安静。", execute: () => undefined }),
      ],
    });
    const thread = agent.thread("t");
    await thread.send("付款").result;
    expect((await toldOf(thread))["pay"]).toMatch(/^工具调用 pay\(ID 为 /u);
    await thread.rejectAll("这个月不行").result;
    expect(await toldOf(thread)).toEqual({
      pay: '{"success":false,"error":"用户拒绝了此操作","userRejected":true,"reason":"这个月不行"}',
      none: "none 不是可用的工具，请使用以下工具之一：[pay, quiet]。",
      quiet: "已完成。",
    });
    expect(await faultsOf(store)).toEqual([]);
  });
});
