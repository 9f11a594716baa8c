import { tool } from "#engine";
import type { Decision, LedgerCall, PendingCall, Run, RunEnd, Thread } from "#engine";
import { subagents } from "#middleware";
import type { ModelRequest } from "#model";
import type { Store } from "#store";
import { scriptedModel } from "#testing";
import type { ScriptedModel, ScriptedTurn } from "#testing";
import fc from "fast-check";

import { randomFrom } from "../../src/testing/random.ts";
import type { Random } from "../../src/testing/random.ts";
import { quiet, soon } from "../engine/promised.ts";
import { mortalAgent } from "./processes.ts";
import type { MortalAgent } from "./processes.ts";
import { textOf } from "./stage.ts";

/** What an agent does with its task: turns of calls, each of which may be a task for another agent. */
export interface Work {
  readonly turns: readonly (readonly ("free" | "gated" | Work)[])[];
}

/** Work that is delegated at most this many times. */
const workOf = (depth: number): fc.Arbitrary<Work> => {
  const call: fc.Arbitrary<"free" | "gated" | Work> =
    depth === 0
      ? fc.constantFrom("free", "gated", "gated")
      : fc.oneof(fc.constantFrom("free" as const, "gated" as const), workOf(depth - 1));
  return fc.record({ turns: fc.array(fc.array(call, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 2 }) });
};

export const work = workOf(3);

/** Something that a person, a process or the power supply does. */
export interface Deed {
  readonly type: "decide" | "decide all" | "send" | "queue" | "stop" | "abort" | "read" | "recover" | "die" | "wait";
  readonly dice: number;
}

const calm: readonly Deed["type"][] = ["decide", "decide", "decide", "decide all", "read", "queue", "wait", "wait"];
const deedsOf = (...types: readonly Deed["type"][]): fc.Arbitrary<readonly Deed[]> =>
  fc.array(fc.record({ type: fc.constantFrom(...types), dice: fc.nat(10_000) }), { maxLength: 25, size: "max" });

/** Nothing is stopped, and no process dies. */
export const calmDeeds = deedsOf(...calm);
/** No call is stopped by a person. */
export const deadlyDeeds = deedsOf(...calm, ...calm, "die", "die", "recover");
export const allDeeds = deedsOf(...calm, ...calm, "die", "recover", "send", "stop", "abort");

/** A tree of threads, and what is known of what was done to it. */
export interface Tree {
  readonly act: (deed: Deed) => Promise<void>;
  /** Approves everything that is left, and waits until the thread rests. */
  readonly end: () => Promise<RunEnd>;
  /** How often each tool was started, by thread and call. */
  readonly starts: ReadonlyMap<string, number>;
  /** The decisions given for a call, by its id in the root: those that were refused, and the others. */
  readonly given: readonly GivenDecision[];
  readonly requests: () => readonly ModelRequest[];
}

export interface GivenDecision {
  readonly id: string;
  readonly type: Decision["type"];
  readonly run: Run;
  readonly isOrphan: () => boolean;
}

interface Process extends MortalAgent {
  readonly thread: Thread;
  isDead: boolean;
}

/** Starts the work on a new thread. */
export function growTree(root: Work, inner: Store, seed: number): Tree {
  const store = hesitant(inner, randomFrom(seed));
  const starts = new Map<string, number>();
  const given: GivenDecision[] = [];
  const models: ScriptedModel[] = [];
  const runs: Run[] = [];
  const plays = new Map<string, Work>([["root", root]]);
  let current = begin();
  runs.push(current.thread.send("root"));

  function begin(): Process {
    const model = scriptedModel([(request) => turnOf(request, plays)], { loop: true });
    models.push(model);
    const counted = (name: string, approval: boolean) =>
      tool({
        name,
        description: name,
        approval,
        input: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
        async execute({ n }, { threadId, callId }) {
          const id = `${threadId}/${callId}`;
          starts.set(id, (starts.get(id) ?? 0) + 1);
          if (n % 3 > 0) await quiet(n % 3);
          return `${name} ${n}`;
        },
      });
    const nested = subagents({
      maxDepth: 3,
      defaults: [subagents({ maxDepth: 3, defaults: [subagents({ maxDepth: 3 })] })],
    });
    const mortal = mortalAgent({
      model,
      store,
      middleware: [nested],
      tools: [counted("free", false), counted("gated", true)],
    });
    return { ...mortal, thread: mortal.agent.thread("t"), isDead: false };
  }

  const decide = (pending: readonly PendingCall[], dice: number): void => {
    if (pending.length === 0) return;
    const { thread } = current;
    const process = current;
    const decisions = Object.fromEntries(pending.map(({ id }, i) => [id, decisionOf(dice + i)]));
    const run = thread.decide(decisions, { by: "Ana" });
    runs.push(run);
    for (const [id, { type }] of Object.entries(decisions))
      given.push({ id, type, run, isOrphan: () => process.isDead });
  };

  const act = async ({ type, dice }: Deed): Promise<void> => {
    const { agent, thread } = current;
    switch (type) {
      case "decide":
        await thread.pending().then((pending) =>
          decide(
            pending.filter((_, i) => (dice >> i) % 2 === 0),
            dice,
          ),
        );
        break;
      case "decide all":
        await thread.pending().then((pending) => decide(pending, dice));
        break;
      case "send":
        runs.push(thread.send(`Message ${dice}.`));
        break;
      case "queue":
        runs.push(thread.send(`Message ${dice}.`, { onInput: "queue" }));
        break;
      case "stop":
        await thread.stop();
        break;
      case "abort":
        void runs[dice % runs.length]?.stop();
        break;
      case "read":
        await Promise.all([
          thread.history("openai-chat"),
          thread.calls(),
          agent.thread("t/call_1").history("anthropic"),
        ]);
        break;
      case "recover":
        runs.push(...(await agent.recover()));
        break;
      case "die":
        current.die();
        current.isDead = true;
        current = begin();
        runs.splice(0); // they never end
        break;
      case "wait":
        await quiet(1 + (dice % 8));
    }
    if (dice % 2 === 0) await quiet(1);
  };

  const end = async (): Promise<RunEnd> => {
    const { agent, thread } = current;
    await quiet(10); // a commit of a process that died may still be on its way
    runs.push(...(await agent.recover()));
    for (let left = 50, isLast = false; left > 0; left--) {
      const ends = await soon(Promise.all(runs.map(({ result }) => result)), patience);
      const pending = await thread.pending();
      const { status } = (await store.load("t")) ?? { status: "idle" };
      const last = ends.at(-1);
      if (status === "running" || (status === "waiting" && pending.length === 0))
        throw new Error(`It is ${status}, and there is nothing to decide.`);
      if (pending.length > 0) decide(pending, 0);
      else if (isLast && last?.status === "done") return last;
      else {
        runs.push(thread.send("The end."));
        isLast = true;
      }
    }
    throw new Error("It does not end.");
  };

  return { act, end, starts, given, requests: () => models.flatMap(({ requests }) => requests) };
}

const patience = 20_000;

/** A store that takes its time, so that commands come between any two steps of others. */
function hesitant(store: Store, random: Random): Store {
  const wait = (): Promise<void> => quiet(random.below(4));
  return {
    ...store,
    async commit(commit) {
      await wait();
      await store.commit(commit);
      await wait();
    },
    async load(id) {
      await wait();
      return store.load(id);
    },
  };
}

/** Each answer counts, so that it shows whether all are counted once. */
export const usage = { prompt_tokens: 1, completion_tokens: 0, total_tokens: 1 };

/** The turn of a conversation, by its first message and the number of turns that it has. Tasks are named by their place. */
function turnOf({ messages }: ModelRequest, plays: Map<string, Work>): ScriptedTurn {
  const name = textOf(messages.find(({ role }) => role === "user"));
  const number = messages.filter(({ role }) => role === "assistant").length;
  const calls = plays.get(name)?.turns[number];
  if (calls === undefined) return { text: `${name} is done.`, usage };
  return {
    usage,
    calls: calls.map((call, i) => {
      const place = `${name}.${number}${i}`;
      if (typeof call === "string") return { name: call, arguments: { n: i + number } };
      plays.set(place, call);
      return { name: "task", arguments: { description: place, subagent_type: "general-purpose" } };
    }),
  };
}

const decisions: readonly Decision[] = [
  { type: "approve" },
  { type: "reject", reason: "No." },
  { type: "edit", arguments: { n: 7 } },
  { type: "respond", result: { by: "hand" } },
];

const decisionOf = (dice: number): Decision => decisions[dice % decisions.length] ?? { type: "approve" };

/** All calls of a tree of threads, with the ids that they have in the root. */
export async function callsInTree(store: Store, thread = "t", prefix = ""): Promise<readonly TreeCall[]> {
  const calls = (await store.calls(thread)).map(({ value }) => value as LedgerCall); // the ledger put them there
  const all = calls.map(async (call): Promise<readonly TreeCall[]> => {
    const id = `${prefix}${call.id}`;
    const below = call.name === "task" ? await callsInTree(store, `${thread}/${call.id}`, `${id}/`) : [];
    return [{ thread, id, call }, ...below];
  });
  return (await Promise.all(all)).flat();
}

export interface TreeCall {
  readonly thread: string;
  readonly id: string;
  readonly call: LedgerCall;
}
