import { createAgent, tool } from "#engine";
import type { AgentOptions, Thread } from "#engine";
import { memoryStore } from "#store";
import type { Store } from "#store";
import { scriptedModel } from "#testing";
import { expect, test } from "vitest";

import { afterDeath } from "../engine/after-death.ts";
import { until } from "../engine/promised.ts";

/**
 * A call of an idempotent tool starts again after a crash. If no person has decided it, the rules and allowances of the process that
 * recovers the thread hold for it.
 */
const never = new Promise<never>(() => undefined);
const input = { type: "object", properties: { n: { type: "integer" } } } as const;
const fetchPage = tool({ name: "fetch_page", description: "Fetches.", input, idempotent: true, execute: () => never });
const gated: AgentOptions["approvals"] = [{ tools: "fetch_page" }];

interface Case {
  readonly before: AgentOptions["approvals"];
  /** Lets the call start in the process that dies. */
  readonly permit?: (thread: Thread) => Promise<unknown>;
  readonly after: AgentOptions["approvals"];
  readonly status: string;
}

const allow = async (thread: Thread): Promise<void> => {
  const [call] = await thread.pending();
  thread.decide({ [call?.id ?? ""]: { type: "approve", always: true } });
};
const cases: Readonly<Record<string, Case>> = {
  "without a rule": { before: [], after: [], status: "succeeded" },
  "with a rule since": { before: [], after: gated, status: "lost" },
  "with a rule since, for other arguments": {
    before: [],
    after: [{ tools: "fetch_page", when: async (call) => Promise.resolve(call.arguments["n"] === 2) }],
    status: "succeeded",
  },
  "with a decision": { before: gated, permit: allow, after: gated, status: "succeeded" },
};

const running = async (store: Store): Promise<boolean> =>
  (await store.calls("t")).some(({ value }) => (value as { readonly state: string }).state === "running");

async function recovered({ before, permit, after }: Case): Promise<{ readonly thread: Thread; readonly runs: number }> {
  const store = memoryStore();
  const model = scriptedModel([{ calls: [{ name: "fetch_page", arguments: { n: 1 } }] }, { text: "Done." }]);
  const dying = createAgent({ model, store, tools: [fetchPage], approvals: before ?? [] }).thread("t");
  const run = dying.send("Go.");
  if (permit !== undefined) {
    await run.result;
    await permit(dying);
  }
  await until(() => running(store));
  let runs = 0;
  const again = { ...fetchPage, execute: () => `run ${++runs}` };
  const agent = createAgent({
    model: scriptedModel([{ text: "Done." }]),
    store: afterDeath(store),
    tools: [again],
    approvals: after ?? [],
  });
  const thread = agent.thread("t");
  await (
    await thread.recover()
  )?.result;
  return { thread, runs };
}

test.each(Object.entries(cases))("a call starts again only where it may: %s", async (_, each) => {
  const { thread, runs } = await recovered(each);
  const [call] = await thread.calls();
  expect([call?.status, runs]).toEqual([each.status, each.status === "lost" ? 0 : 1]);
  expect(await thread.pending()).toEqual([]);
});

test("a call that ran under an allowance does not start again after that was revoked", async () => {
  const store = memoryStore();
  const turns = [{ calls: [{ name: "fetch_page" }] }, { text: "Done." }, { calls: [{ name: "fetch_page" }] }];
  let isSlow = false;
  const options = { model: scriptedModel(turns), store, approvals: [{ tools: "fetch_page" }] };
  const dying = createAgent({ ...options, tools: [{ ...fetchPage, execute: () => (isSlow ? never : "run") }] });
  const thread = dying.thread("t");
  await thread.send("Go.").result;
  const [pending] = await thread.pending();
  await thread.decide({ [pending?.id ?? ""]: { type: "approve", always: true } }).result;
  isSlow = true;
  thread.send("Again.");
  await until(() => running(store));
  let runs = 0;
  const agent = createAgent({
    ...options,
    model: scriptedModel([{ text: "Done." }]),
    store: afterDeath(store),
    tools: [{ ...fetchPage, execute: () => `run ${++runs}` }],
  });
  const [allowance] = await agent.thread("t").allowed();
  await agent.thread("t").revoke(allowance?.id ?? "");
  await (
    await agent.thread("t").recover()
  )?.result;
  expect(runs).toBe(0);
  const calls = await agent.thread("t").calls();
  expect(calls.map(({ status }) => status)).toEqual(["succeeded", "lost"]);
});
