import { createAgent, tool } from "#engine";
import type { AgentEvent, Middleware } from "#engine";
import { memoryStore } from "#store";
import { scriptedModel } from "#testing";
import { describe, expect, test } from "vitest";

import { chatOf, eventsOf } from "../engine/recorded.ts";

/** A hook that threw had its call settled as "was running when the run was stopped", whatever its tool had done. */
const fail = (): never => {
  throw new Error("the hook fails");
};
const hook = (wrapToolCall: NonNullable<Middleware["wrapToolCall"]>, name = "hook"): Middleware => ({
  name,
  wrapToolCall,
});

const after = hook((next) => async (call) => {
  await next(call);
  return fail();
});
const afterAtOnce = hook((next) => (call) => {
  next(call);
  return fail();
});
const before = hook(() => fail);
const later = hook(() => async () => {
  await Promise.resolve();
  return fail();
});
const instead = hook((next) => async (call) => {
  try {
    return await next(call);
  } catch {
    return fail();
  }
});
const redacting = hook((next) => async (call) => String(await next(call)).replace(/\d+/u, "***"), "redacting");

interface Case {
  readonly middleware: readonly Middleware[];
  readonly execute: () => unknown;
  readonly end: {
    readonly success: boolean;
    readonly status: string;
    readonly result?: string;
    readonly error?: unknown;
  };
  readonly options?: { readonly idempotent?: boolean; readonly retries?: number; readonly approval?: boolean };
}

const paid = { success: true, status: "succeeded", result: "PAID 300" };
const notExecuted = {
  success: false,
  status: "stopped",
  error: expect.stringMatching(/ was not executed - the run was stopped before it began\.$/u) as unknown,
};
const unknown = {
  success: false,
  status: "stopped",
  error: expect.stringMatching(/ was running when the run was stopped\. Its outcome is unknown\.$/u) as unknown,
};
const pay = (): string => "PAID 300";
const paySlowly = async (): Promise<string> => {
  await Promise.resolve();
  return "PAID 300";
};
const refuse = (): Promise<never> => Promise.reject(new Error("no money"));
const once = (): (() => unknown) => {
  let left = 1;
  return () => (left-- > 0 ? refuse() : pay());
};
/** Lets the first attempt pass, and fails before the second. */
const secondTime = (): Middleware => {
  let passed = 0;
  return hook((next) => async (call) => (passed++ === 0 ? next(call) : fail()));
};

const cases: Readonly<Record<string, Case>> = {
  "after the tool": { middleware: [after], execute: paySlowly, end: paid },
  "after a tool that takes no time": { middleware: [after], execute: pay, end: paid },
  "at once after a tool that takes no time": { middleware: [afterAtOnce], execute: pay, end: paid },
  "after a tool that may run twice": {
    middleware: [after],
    execute: paySlowly,
    end: paid,
    options: { idempotent: true },
  },
  "after an approved call": { middleware: [after], execute: paySlowly, end: paid, options: { approval: true } },
  "outside of another hook": {
    middleware: [after, redacting],
    execute: paySlowly,
    end: { ...paid, result: "PAID ***" },
  },
  "inside of another hook": { middleware: [redacting, after], execute: paySlowly, end: paid },
  "after a tool that fails": {
    middleware: [instead],
    execute: refuse,
    end: { success: false, status: "failed", error: "no money" },
  },
  "after an attempt that worked": {
    middleware: [after],
    execute: paySlowly,
    end: paid,
    options: { retries: 2 },
  },
  "between two attempts": {
    middleware: [secondTime()],
    execute: once(),
    end: { success: false, status: "failed", error: "no money" },
    options: { retries: 2 },
  },
  "before the tool": { middleware: [before], execute: pay, end: notExecuted },
  "before the tool, later": { middleware: [later], execute: pay, end: notExecuted },
  "before the tool, outside of another hook": { middleware: [later, redacting], execute: pay, end: notExecuted },
  "before an approved call": { middleware: [later], execute: pay, end: notExecuted, options: { approval: true } },
  "by handing on what is no call": {
    middleware: [hook((next) => () => next({} as never))],
    execute: pay,
    end: notExecuted,
  },
  "while the tool runs": { middleware: [afterAtOnce], execute: () => new Promise(() => undefined), end: unknown },
};

describe("a call whose hook fails keeps what is known of it", () => {
  test.each(Object.entries(cases))("%s", async (_, { middleware, execute, end, options }) => {
    const store = memoryStore();
    const model = scriptedModel([{ calls: [{ name: "pay" }] }, { text: "Done." }]);
    const payment = tool({ name: "pay", description: "Pays.", execute, ...options });
    const thread = createAgent({ model, tools: [payment], middleware, store }).thread("t");
    const first = thread.send("Pay.");
    const run = options?.approval === true && (await first.result) ? thread.approveAll() : first;
    expect(await run.result).toMatchObject({
      status: "failed",
      error: { code: "hook/failed", data: { middleware: "hook", hook: "wrapToolCall" } },
    });
    const ends = (await eventsOf(run)).filter(({ type }: AgentEvent) => type === "tool_call_end");
    expect(ends.map(({ data }) => data)).toMatchObject([{ id: "call_1", name: "pay", ...end }]);
    expect(await thread.calls()).toMatchObject([{ status: end.status }]);
    expect((await chatOf(thread)).at(-1)).toMatchObject({ role: "tool", content: end.result ?? end.error });
  });
});

test("siblings of such a call keep their results, and are told truly", async () => {
  const tools = ["one", "two"].map((name) => tool({ name, description: name, execute: () => `${name} result` }));
  const model = scriptedModel([{ calls: [{ name: "one" }, { name: "two" }] }]);
  const thread = createAgent({ model, tools, middleware: [after] }).thread("t");
  expect((await thread.send("Go.").result).status).toBe("failed");
  expect(await thread.calls()).toMatchObject([
    { status: "succeeded", result: "one result" },
    { status: "succeeded", result: "two result" },
  ]);
});
