import fc from "fast-check";
import { expect, test } from "vitest";

import type { Ledger } from "#engine";
import { createAgent, emptyLedger } from "#engine";
import { memoryStore } from "#store";
import type { Store } from "#store";

import { refusals } from "../engine/all-formats.ts";
import { faultsOf } from "../engine/health.ts";
import { expectTraceLaws } from "../engine/trace-laws.ts";
import { allDeeds, calmDeeds, callsInTree, deadlyDeeds, growTree, work } from "./random-tree.ts";
import type { Deed, Tree, TreeCall, Work } from "./random-tree.ts";
import { playModel } from "./stage.ts";

/**
 * Random trees of tasks on real agents, with decisions in any order and grouping, at any moment. Whatever happens, each
 * approved call runs once, nothing else runs, the run ends, and the trace of the thread adds up.
 */
async function live(root: Work, deeds: readonly Deed[], seed: number): Promise<readonly string[]> {
  const store = memoryStore();
  const tree = growTree(root, store, seed);
  for (const deed of deeds) await tree.act(deed);
  const end = await tree.end();
  const calls = await callsInTree(store);
  expectTraceLaws(
    await createAgent({ model: playModel({}), store })
      .thread("t")
      .trace(),
  );
  const types = new Set(deeds.map(({ type }) => type));
  const isStopped = types.has("send") || types.has("stop") || types.has("abort");
  const hasDied = types.has("die");
  return [
    ...(end.status === "done" ? [] : [`the run ended as ${end.status}: ${end.error?.message ?? ""}`]),
    ...startedWrongly(calls, tree),
    ...(isStopped ? [] : await lostDecisions(calls, tree)),
    ...(isStopped || hasDied ? [] : leftOut(calls, tree)),
    ...(isStopped ? [] : await miscounted(store, calls)),
    ...(await unhealthy(store, calls, { isOrphanAllowed: isStopped && hasDied })),
    ...tree.requests().flatMap((request) => refusals(request)),
  ];
}

/** Calls that ran twice, or without an approval. */
const startedWrongly = (calls: readonly TreeCall[], { starts }: Tree): readonly string[] => {
  const known = new Set(calls.map(({ thread, call }) => `${thread}/${call.id}`));
  const unknown = [...starts.keys()].filter((id) => !known.has(id)).map((id) => `${id} ran, and no thread has it`);
  const wrong = calls.flatMap(({ thread, id, call: { id: callId, name, state, decision } }) => {
    const times = starts.get(`${thread}/${callId}`) ?? 0;
    const isApproved = name !== "gated" || decision?.type === "approve" || decision?.type === "edit";
    return [
      ...(times > 1 ? [`${id} ran ${times} times`] : []),
      ...(times > 0 && !isApproved ? [`${id} ran, and its decision is ${decision?.type ?? "missing"}`] : []),
      ...(state === "succeeded" && name !== "task" && times !== 1 ? [`${id} succeeded, and ran ${times} times`] : []),
    ];
  });
  return [...unknown, ...wrong];
};

/** Without stops and deaths, everything runs that was approved. */
const leftOut = (calls: readonly TreeCall[], { starts }: Tree): readonly string[] =>
  calls.flatMap(({ thread, id, call: { id: callId, name, state, decision } }) => {
    const mustRun = name === "free" || decision?.type === "approve" || decision?.type === "edit";
    if (name === "task") return state === "succeeded" ? [] : [`the task ${id} is ${state}`];
    return mustRun === (starts.get(`${thread}/${callId}`) === 1) ? [] : [`${id} is ${state}, and must run: ${mustRun}`];
  });

/** A decision that was accepted is the decision of its call. */
async function lostDecisions(calls: readonly TreeCall[], { given }: Tree): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const { id, call } of calls) {
    if (call.name !== "gated") continue;
    const types: string[] = [];
    for (const { id: decided, type, run, isOrphan } of given) {
      if (decided !== id) continue;
      const error = isOrphan() ? undefined : (await run.result).error;
      if (error === undefined) types.push(type);
    }
    const { decision } = call;
    if (decision === undefined || !types.includes(decision.type) || decision.by !== "Ana")
      problems.push(`${id} was decided as ${types.join()}, and has ${JSON.stringify(decision)}`);
  }
  return problems;
}

/** The usage of the root is the number of turns in all threads. */
async function miscounted(store: Store, calls: readonly TreeCall[]): Promise<readonly string[]> {
  let turns = 0;
  for (const thread of threadsOf(calls))
    turns += (await store.entries(thread)).filter(({ value }) => (value as { type: string }).type === "answer").length;
  const { usage } = ((await store.load("t")) ?? { data: emptyLedger }).data as Ledger; // of the engine
  return usage.totalTokens === turns ? [] : [`${turns} turns, and ${usage.totalTokens} are counted`];
}

const threadsOf = (calls: readonly TreeCall[]): readonly string[] =>
  [
    "t",
    ...calls.flatMap(({ call }) => (call.name === "task" && call.child !== undefined ? [call.child.thread] : [])),
  ].filter((thread, i, all) => all.indexOf(thread) === i);

async function unhealthy(
  store: Store,
  calls: readonly TreeCall[],
  { isOrphanAllowed }: { readonly isOrphanAllowed: boolean },
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const thread of threadsOf(calls)) {
    const head = await store.load(thread);
    const isOrphan = isOrphanAllowed && thread !== "t" && head?.status !== "idle";
    if (head?.status !== "idle" && !isOrphan) problems.push(`${thread} is ${head?.status}`);
    if (!isOrphan) problems.push(...(await faultsOf(store, [], thread)).map((fault) => `${thread}: ${fault}`));
  }
  return problems;
}

const { FUZZ } = process.env;

test.each([
  ["are decided in any order and grouping", calmDeeds, 40],
  ["are decided while processes die", deadlyDeeds, 40],
  ["are stopped, superseded and decided while processes die", allDeeds, 40],
] as const)(
  "tasks that %s run what was approved, once, and end",
  async (_, deeds, numRuns) => {
    const property = fc.asyncProperty(work, deeds, fc.nat(), async (root, given, seed) => {
      expect(await live(root, given, seed)).toEqual([]);
    });
    await fc.assert(property, FUZZ ? {} : { numRuns });
  },
  FUZZ ? 0 : 60_000,
);
