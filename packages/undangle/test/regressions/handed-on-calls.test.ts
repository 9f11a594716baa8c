import * as api from "@opentelemetry/api";
import { createAgent, tool } from "#engine";
import type { AgentOptions, Middleware, RunOne, ToolOptions } from "#engine";
import { telemetry } from "#middleware";
import { memoryStore } from "#store";
import { scriptedModel } from "#testing";
import { describe, expect, test } from "vitest";

import { afterDeath } from "../engine/after-death.ts";
import { until } from "../engine/promised.ts";
import { callsOf } from "../engine/recorded.ts";
import { recordSpans } from "../telemetry/recorded-spans.ts";

type ToolRun = Parameters<RunOne>[0];

const input = { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] } as const;

interface StageOptions extends Partial<AgentOptions> {
  readonly hook: (next: RunOne, call: ToolRun) => unknown;
  readonly ls?: Partial<ToolOptions<typeof input>>;
  readonly pay?: Partial<ToolOptions<typeof input>>;
  readonly amount?: number;
}

/** An agent with the tools `ls` and `pay`, whose model calls `ls`, a hook around tools, and what ran. */
function stage({ hook, ls, pay, amount = 1, ...more }: StageOptions) {
  const ran: string[] = [];
  const made = (name: string, options: Partial<ToolOptions<typeof input>> = {}) =>
    tool({
      name,
      description: name,
      input,
      execute({ amount: given }) {
        ran.push(`${name} ${given}`);
        return `${name} done`;
      },
      ...options,
    });
  const tools = [made("ls", ls), made("pay", pay)];
  const handing: Middleware = { name: "handing", wrapToolCall: (next) => (call) => hook(next, call) };
  const model = scriptedModel([{ calls: [{ name: "ls", arguments: { amount } }] }, { text: "Done." }]);
  const { middleware = [], ...rest } = more;
  const agent = createAgent({ model, tools, middleware: [...middleware, handing], ...rest });
  return { agent, thread: agent.thread("t"), ran, tools };
}

const other = (name: string) => tool({ name, description: name, input, execute: () => `${name} by hand` });
const toPay = (next: RunOne, call: ToolRun): unknown => next({ ...call, tool: other("pay") });
const withAmount =
  (amount: number) =>
  (next: RunOne, call: ToolRun): unknown =>
    next({ ...call, arguments: { amount } });

describe("what a hook hands on is judged by the approval rules: without an approval nothing runs", () => {
  const needs = "pay, which needs an approval";
  test.each<readonly [string, StageOptions, string]>([
    ["another tool", { hook: toPay, approvals: [{ tools: "pay" }] }, needs],
    ["another tool, by a pattern", { hook: toPay, approvals: [{ tools: "p*" }] }, needs],
    ["another tool that says so itself", { hook: toPay, pay: { approval: true } }, needs],
    [
      "another tool that nobody may approve",
      { hook: toPay, approvals: [{ tools: "pay", decisions: ["reject"] }] },
      needs,
    ],
    [
      "another tool, later",
      { hook: async (next, call) => (await Promise.resolve(), toPay(next, call)), pay: { approval: true } },
      needs,
    ],
    [
      "other arguments",
      {
        hook: withAmount(5000),
        approvals: [{ tools: "ls", when: ({ arguments: { amount } }) => Number(amount) > 100 }],
      },
      "with those it needs an approval",
    ],
    [
      "other arguments, with a condition that takes its time",
      { hook: withAmount(5000), ls: { approval: { when: async ({ arguments: { amount } }) => amount > 100 } } },
      "with those it needs an approval",
    ],
    [
      "another tool with other arguments",
      {
        hook: (next, call) => next({ ...call, tool: other("pay"), arguments: { amount: 5000 } }),
        approvals: [{ tools: "pay", when: ({ arguments: { amount } }) => Number(amount) > 100 }],
      },
      needs,
    ],
    [
      "a hook that gives a result in place of the refusal",
      {
        hook: async (next, call) => {
          try {
            return await toPay(next, call);
          } catch {
            return "all is well";
          }
        },
        approvals: [{ tools: "pay" }],
      },
      needs,
    ],
    ["a tool with retries", { hook: toPay, ls: { retries: 3 }, approvals: [{ tools: "pay" }] }, needs],
  ])("%s", async (_, options, said) => {
    const { thread, agent, ran } = stage(options);
    const end = await thread.send("Go.").result;
    expect([end.status, end.pending]).toEqual(["done", []]);
    expect(ran).toEqual([]);
    const [call] = await thread.calls();
    expect(call).toMatchObject({ name: "ls", arguments: { amount: 1 }, status: "failed" });
    expect(call?.error).toMatch(/^ls was not executed - /u);
    expect(call?.error).toContain(said);
    const events = await agent.store.events("t");
    expect(events.filter(({ type }) => type === "approval_required")).toEqual([]);
    expect(events.filter(({ type }) => type === "tool_call_end")).toMatchObject([
      { data: { name: "ls", success: false, status: "failed", error: call?.error } },
    ]);
  });

  test("a call that was approved runs as it was shown, or not at all", async () => {
    for (const hook of [toPay, withAmount(2)]) {
      const { thread, ran } = stage({ hook, approvals: [{ tools: "ls" }] });
      await thread.send("Go.").result;
      expect((await thread.approveAll().result).status).toBe("done");
      expect(ran).toEqual([]);
      expect(await thread.calls()).toMatchObject([
        { name: "ls", status: "failed", error: "ls was not executed - a hook changed the call after it was approved." },
      ]);
    }
  });

  test("in Chinese", async () => {
    const { thread } = stage({ hook: toPay, approvals: [{ tools: "pay" }], language: "zh" });
    await thread.send("Go.").result;
    expect((await thread.calls())[0]?.error).toBe("ls 未被执行——钩子将调用转给了 pay，它需要批准，但没有获得批准。");
  });

  test("a hook may go on with the call as it was", async () => {
    const hook = async (next: RunOne, call: ToolRun): Promise<unknown> => {
      try {
        return await toPay(next, call);
      } catch {
        return next(call);
      }
    };
    const { thread, ran } = stage({ hook, approvals: [{ tools: "pay" }] });
    await thread.send("Go.").result;
    expect(ran).toEqual(["ls 1"]);
    expect(await thread.calls()).toMatchObject([{ name: "ls", status: "succeeded", result: "ls done" }]);
  });
});

describe("what needs no approval runs, and the record names it:", () => {
  test("a tool without a rule, and arguments that a rule lets pass", async () => {
    const spans = recordSpans();
    const logged: unknown[] = [];
    const logger = { info: (data: unknown) => void logged.push(data), warn: () => undefined, error: () => undefined };
    const { thread, agent, ran } = stage({
      hook: (next, call) => next({ ...call, tool: other("pay"), arguments: { amount: 50 } }),
      approvals: [{ tools: "pay", when: ({ arguments: { amount } }) => Number(amount) > 100 }],
      middleware: [telemetry({ api, content: true })],
      logger,
    });
    await thread.send("Go.").result;
    expect(ran).toEqual(["pay 50"]);
    const proposed = { name: "ls", arguments: { amount: 1 } };
    expect(await thread.calls()).toMatchObject([
      { id: "call_1", name: "pay", arguments: { amount: 50 }, status: "succeeded", result: "pay done", proposed },
    ]);
    const events = await agent.store.events("t");
    expect(events.findLast(({ type }) => type === "tool_call_running")?.data).toMatchObject({
      name: "pay",
      arguments: { amount: 50 },
      proposed,
    });
    expect(events.find(({ type }) => type === "tool_call_end")?.data).toMatchObject({ name: "pay", proposed });
    expect(JSON.stringify(await thread.history("anthropic"))).toContain('"name":"pay","input":{"amount":50}');
    expect(JSON.stringify(await thread.export("openai-chat"))).not.toContain('"ls"');
    expect(logged.filter((each) => typeof each === "object" && each !== null && "tool" in each)).toMatchObject([
      { tool: "pay", arguments: '{"amount":50}' },
      { tool: "pay", success: true },
    ]);
    const span = spans().find(({ name }) => name.startsWith("execute_tool"));
    expect(span?.name).toBe("execute_tool pay");
    expect(span?.attributes).toMatchObject({
      "gen_ai.tool.name": "pay",
      "gen_ai.tool.call.arguments": '{"amount":50}',
    });
    const copy = agent.thread("copy");
    await copy.import(JSON.parse(JSON.stringify(await thread.export())));
    expect(await copy.calls()).toEqual(await thread.calls());
  });

  test("a tool that a person has always allowed, under that allowance", async () => {
    const store = memoryStore();
    const options = { approvals: [{ tools: "pay" }], store };
    const model = scriptedModel([{ calls: [{ name: "pay", arguments: { amount: 9 } }] }, { text: "Paid." }]);
    const first = stage({ hook: (next, call) => next(call), model, ...options });
    await first.thread.send("Pay.").result;
    await first.thread.decide({ call_1: { type: "approve", always: true } }).result;
    const second = stage({ hook: toPay, ...options });
    await second.thread.send("Go.").result;
    expect(second.ran).toEqual(["pay 1"]);
    const [allowance] = await second.thread.allowed();
    expect((await second.thread.calls())[1]).toMatchObject({ name: "pay", allowance: { id: allowance?.id } });
  });

  test("the agent's own tool of a name, and not another of that name", async () => {
    const { thread, ran } = stage({ hook: toPay });
    await thread.send("Go.").result;
    expect(ran).toEqual(["pay 1"]);
  });

  test("a tool of the hook's own", async () => {
    const { thread, ran } = stage({ hook: (next, call) => next({ ...call, tool: other("extra") }) });
    await thread.send("Go.").result;
    expect(ran).toEqual([]);
    expect(await thread.calls()).toMatchObject([{ name: "extra", status: "succeeded", result: "extra by hand" }]);
  });

  test("once, however often it is handed on", async () => {
    const hook = async (next: RunOne, call: ToolRun): Promise<unknown> =>
      [await Promise.all([toPay(next, call), toPay(next, call)]), await toPay(next, call)].at(-1);
    const { thread, ran } = stage({ hook });
    await thread.send("Go.").result;
    expect(ran).toEqual(["pay 1"]);
    expect(await thread.calls()).toMatchObject([{ name: "pay", result: "pay done" }]);
  });

  test("without the retries of the tool that was called", async () => {
    const starts: string[] = [];
    const execute = (): never => {
      starts.push("pay");
      throw new Error("no");
    };
    const { thread } = stage({ hook: toPay, ls: { retries: 3, idempotent: true }, pay: { execute } });
    await thread.send("Go.").result;
    expect(starts).toEqual(["pay"]);
  });

  test("arguments that do not fit are the failure of the hook", async () => {
    for (const args of [{ amount: "much" }, { amount: new Map() }, "text", undefined]) {
      const { thread, ran } = stage({ hook: (next, call) => next({ ...call, arguments: args }) });
      expect((await thread.send("Go.").result).error?.code).toBe("hook/failed");
      expect(ran).toEqual([]);
    }
  });
});

describe("after a crash", () => {
  const never = async (): Promise<never> => new Promise(() => undefined);

  test("the record names the tool that was running, and its own idempotency decides", async () => {
    const store = memoryStore();
    const first = stage({ hook: toPay, store, ls: { idempotent: true }, pay: { execute: never } });
    void first.thread.send("Go.");
    await until(async () => (await callsOf(store, "t"))[0]?.name === "pay");
    const model = scriptedModel([{ text: "Done." }]);
    const second = stage({ hook: toPay, store: afterDeath(store), ls: { idempotent: true }, model });
    await (
      await second.thread.recover()
    )?.result;
    expect(second.ran).toEqual([]);
    expect(await second.thread.calls()).toMatchObject([
      {
        name: "pay",
        status: "lost",
        proposed: { name: "ls" },
        error: expect.stringMatching(/^Tool call pay .*outcome is unknown/u) as string,
      },
    ]);
  });

  test("hooks get the call as it was made, and not what they had made of it", async () => {
    const store = memoryStore();
    const double = (next: RunOne, call: ToolRun): unknown =>
      next({ ...call, arguments: { amount: (call.arguments as { amount: number }).amount * 2 } });
    const first = stage({ hook: double, store, amount: 3, ls: { idempotent: true, execute: never } });
    void first.thread.send("Go.");
    await until(async () => (await callsOf(store, "t"))[0]?.raw === '{"amount":6}');
    const model = scriptedModel([{ text: "Done." }]);
    const second = stage({ hook: double, store: afterDeath(store), ls: { idempotent: true }, model });
    await (
      await second.thread.recover()
    )?.result;
    expect(second.ran).toEqual(["ls 6"]);
    expect(await second.thread.calls()).toMatchObject([
      { name: "ls", arguments: { amount: 6 }, proposed: { name: "ls", arguments: { amount: 3 } } },
    ]);
  });
});
