import { UndangleError } from "#core";
import { createAgent, tool } from "#engine";
import type { Agent, Decision, LedgerCall, Middleware, Run, RunEnd, Thread } from "#engine";
import type { ModelRequest } from "#model";
import type { Store } from "#store";
import { scriptedModel } from "#testing";
import type { ScriptedModel, ScriptedTurn } from "#testing";
import fc from "fast-check";

import { isSettled } from "../../src/engine/ledger/call.ts";
import { afterDeath } from "./after-death.ts";
import { unpaired } from "./all-formats.ts";
import { promised, quiet, soon } from "./promised.ts";
import type { Promised } from "./promised.ts";
import { messagesIn } from "./recorded.ts";
import { watchedStore } from "./watched-store.ts";

/** Something that a person, the network or the power supply does. */
export interface Deed {
  readonly type:
    | "send"
    | "decide"
    | "decide wrongly"
    | "approve all"
    | "revoke"
    | "stop"
    | "stop a run"
    | "end a tool"
    | "read"
    | "recover"
    | "die"
    | "be taken for dead"
    | "let the store fail"
    | "wait";
  readonly dice: number;
}

export const deeds: fc.Arbitrary<readonly Deed[]> = fc.array(
  fc.record({
    type: fc.constantFrom<Deed["type"][]>(
      ...(["send", "send", "decide", "decide", "end a tool", "end a tool", "wait", "wait"] as const),
      ...(["decide wrongly", "approve all", "revoke", "stop", "stop a run", "read", "recover"] as const),
      ...(["die", "be taken for dead", "let the store fail"] as const),
    ),
    dice: fc.nat(10_000),
  }),
  { minLength: 1, maxLength: 40, size: "max" },
);

/** A thread, and all that is known of what was done to it. */
export interface Life {
  readonly store: Store;
  readonly act: (deed: Deed) => Promise<void>;
  /** Lets everything come to its end, and says something more. */
  readonly end: () => Promise<RunEnd>;
  /** All that was wrong on the way. */
  readonly wrong: readonly string[];
  /** How often the tool of each call was started that may start only once. */
  readonly starts: ReadonlyMap<string, number>;
  /** What models were asked. */
  readonly requests: () => readonly ModelRequest[];
  /** What was said, and whether it must be there. */
  readonly said: readonly { readonly text: string; readonly run: Run; readonly isOrphan: () => boolean }[];
}

/** One process: what it writes can be cut off, as when it dies. */
interface Process {
  readonly agent: Agent;
  readonly thread: Thread;
  isDead: boolean;
}

/** Begins a life; the seed says what the model will say. */
export function createLife(seed: number, inner: Store, middleware: () => readonly Middleware[] = () => []): Life {
  const wrong: string[] = [];
  const keys = new Map<string, string>();
  const starts = new Map<string, number>();
  const said: { readonly text: string; readonly run: Run; readonly isOrphan: () => boolean }[] = [];
  const decided: { readonly run: Run; readonly isOrphan: () => boolean }[] = [];
  const open: Promised[] = [];
  const outcomes = new Map<string, string>();
  const processes: Process[] = [];
  const models: ScriptedModel[] = [];
  let failures = 0;
  let serial = 0;
  let current = begin();

  /** What was saved once stays as it is. */
  function remember(call: LedgerCall): void {
    const known = outcomes.get(call.id);
    if (known !== undefined && known !== JSON.stringify(call)) wrong.push(`${call.id} was settled, and has changed`);
    if (isSettled(call)) outcomes.set(call.id, JSON.stringify(call));
  }

  function begin(): Process {
    const never = new Promise<never>(() => undefined);
    const made: { isDead: boolean } = { isDead: false };
    const alive = async (): Promise<void> => {
      if (made.isDead) await never;
      if (failures > 0) {
        failures--;
        throw new UndangleError("store/busy", { path: "x", canRetry: failures % 3 !== 0 });
      }
    };
    const watched = watchedStore(inner, {
      before: alive,
      async after({ calls }) {
        for (const { value } of calls) remember(value as LedgerCall); // of the ledger
        wrong.push(...unpaired(await messagesIn(inner, "t")));
        if (made.isDead) await never;
      },
    });
    const model = scriptedModel([() => randomTurn(mixed(seed + serial++))], { loop: true });
    models.push(model);
    const store: Store = {
      ...watched,
      async write(key, value, version) {
        await alive();
        await inner.write(key, value, version);
        if (made.isDead) await never;
      },
    };
    const agent = createAgent({
      model,
      name: "life",
      middleware: middleware(),
      store: afterDeath(store),
      limits: { steps: 6, storeWait: 30 },
      tools: tools(),
    });
    const process = Object.assign(made, { agent, thread: agent.thread("t") });
    processes.push(process);
    return process;
  }

  function tools() {
    const slow = (name: string, idempotent: boolean, approval: boolean) =>
      tool({
        name,
        description: `Does ${name}.`,
        idempotent,
        approval,
        execute(_: unknown, { callId, idempotencyKey }) {
          if ((keys.get(callId) ?? idempotencyKey) !== idempotencyKey) wrong.push(`the key of ${callId} has changed`);
          keys.set(callId, idempotencyKey);
          if (!idempotent) starts.set(callId, (starts.get(callId) ?? 0) + 1);
          const result = promised();
          open.push(result);
          return result.promise;
        },
      });
    return [
      slow("slow", false, false),
      slow("fetch", true, false),
      slow("pay", false, true),
      tool({ name: "quick", description: "Quick.", execute: () => "quick" }),
      tool({ name: "boom", description: "Throws.", execute: () => Promise.reject(new Error("boom")) }),
    ];
  }

  const endTool = (dice: number): void => {
    const [one] = open.splice(dice % Math.max(1, open.length), 1);
    if (dice % 3 === 0) one?.reject(new Error("it failed"));
    else one?.resolve(`result ${dice}`);
  };

  /** A process that nobody hears of any more, and another one by whose clock it is dead. */
  const replace = (isDead: boolean): void => {
    current.isDead = isDead;
    current = begin();
  };

  const say = (text: string, dice: number): void => {
    const speaker = current;
    const onInput = (["supersede", "queue", "refuse"] as const)[dice % 3];
    said.push({ text, run: speaker.thread.send(text, { onInput }), isOrphan: () => speaker.isDead });
  };

  const decide = (make: (thread: Thread) => Run): void => {
    const speaker = current;
    decided.push({ run: make(speaker.thread), isOrphan: () => speaker.isDead });
  };

  const decideOne = async (dice: number): Promise<void> => {
    const pending = await current.thread.pending();
    const call = pending[dice % Math.max(1, pending.length)];
    const decision = decisions[dice % decisions.length] ?? { type: "approve" };
    if (call !== undefined) decide((given) => given.decide({ [call.id]: decision }));
  };

  const revokeOne = async (dice: number): Promise<void> => {
    const { thread, agent } = current;
    const allowed = await thread.allowed();
    const { id, scope } = allowed[dice % Math.max(1, allowed.length)] ?? {};
    if (id !== undefined) await (scope === "agent" ? agent : thread).revoke(id);
  };

  const act = async ({ type, dice }: Deed): Promise<void> => {
    const { thread, agent } = current;
    switch (type) {
      case "send":
        say(`Message ${said.length}.`, dice);
        break;
      case "decide":
        decideOne(dice).catch(ignored);
        break;
      case "decide wrongly":
        decide((given) => given.decide({ [`call_${dice % 9}`]: { type: "approve", digest: "of another call" } }));
        break;
      case "approve all":
        decide((given) => given.approveAll());
        break;
      case "revoke":
        revokeOne(dice).catch(ignored);
        break;
      case "stop":
        thread.stop().catch(ignored);
        break;
      case "stop a run":
        void said[dice % Math.max(1, said.length)]?.run.stop();
        break;
      case "end a tool":
        endTool(dice);
        break;
      case "read":
        void thread.history("openai-chat").catch(ignored);
        break;
      case "recover":
        agent.recover().catch(ignored);
        break;
      case "die":
        replace(true);
        break;
      case "be taken for dead":
        replace(false);
        break;
      case "let the store fail":
        failures = dice % 4;
        break;
      case "wait":
        await quiet(1 + (dice % 5));
    }
    if (dice % 2 === 0) await quiet(1);
  };

  /** Tools that are started on the way to the end, end too. */
  const untilQuiet = async <T>(promise: Promise<T>): Promise<T> => {
    const over = promise.then(
      () => true,
      () => true,
    );
    const begun = performance.now();
    while (performance.now() - begun < patience) {
      while (open.length > 0) endTool(1);
      if (await Promise.race([over, quiet(1)])) break;
    }
    return soon(promise, 1);
  };

  const end = async (): Promise<RunEnd> => {
    failures = 0;
    for (const { run, isOrphan } of [...said, ...decided]) if (!isOrphan()) await untilQuiet(run.result);
    for (const { agent, isDead } of processes) if (!isDead) await untilQuiet(agent.close());
    current = begin();
    for (const run of await untilQuiet(current.agent.recover())) await untilQuiet(run.result);
    if ((await current.thread.pending()).length > 0) await untilQuiet(current.thread.rejectAll().result);
    await untilQuiet(current.thread.stop());
    const last = current.thread.send("The end.");
    return untilQuiet(last.result);
  };

  const requests = (): readonly ModelRequest[] => models.flatMap((each) => each.requests);
  return { store: inner, act, end, wrong, starts, said, requests };
}

/** So long, in milliseconds, something may take that has nothing to wait for. */
const patience = 10_000;

/** A refusal is told to whoever asked, and here nobody did. */
const ignored = (): void => undefined;

const decisions: readonly Decision[] = [
  { type: "approve" },
  { type: "reject", reason: "no" },
  { type: "edit", arguments: {} },
  { type: "respond", result: "from a person" },
  { type: "approve", always: true },
  { type: "edit", arguments: {}, always: { match: "arguments" } },
  { type: "approve", always: { scope: "agent" } },
];

const names = ["slow", "fetch", "pay", "quick", "boom", "slow", "pay", "none"];

/** A number that looks like no other. */
function mixed(number: number): number {
  let bits = Math.imul(number ^ 0x9e3779b9, 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** An answer of the model, by a number. */
function randomTurn(number: number): ScriptedTurn {
  if (number % 3 === 0) return { text: `Answer ${number}.` };
  const calls = Array.from({ length: 1 + (number % 4) }, (_, i) => {
    const name = names[mixed(number + i) % names.length] ?? "quick";
    return { id: `functions.${name}:${i}`, name, ...(number % 11 === i && { raw: '{"cut":' }) };
  });
  return { text: "Let me see.", calls };
}
