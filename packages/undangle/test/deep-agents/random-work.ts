import { createAgent, tool } from "#engine";
import type { Agent, Decision, LedgerCall, Run, Thread } from "#engine";
import { memoryStore } from "#store";
import type { Store } from "#store";
import { wireServer } from "#testing";
import type { WireRequest } from "#testing";
import fc from "fast-check";

import { isSettled } from "../../src/engine/ledger/call.ts";
import { afterDeath } from "../engine/after-death.ts";
import { promised, quiet, soon } from "../engine/promised.ts";
import type { Promised } from "../engine/promised.ts";
import { callsOf } from "../engine/recorded.ts";
import { watchedStore } from "../engine/watched-store.ts";
import { createStack, sharedFiles } from "./random-stack.ts";
import type { Stack } from "./random-stack.ts";
import { mixed, randomTurn } from "./random-turns.ts";

/** Something that happens to an agent while it works. */
export interface Deed {
  readonly type:
    | "send"
    | "send a long message"
    | "decide"
    | "approve all"
    | "stop"
    | "abort"
    | "end a tool"
    | "change the memory"
    | "read"
    | "restart"
    | "wait";
  readonly dice: number;
}

export const deeds: fc.Arbitrary<readonly Deed[]> = fc.array(
  fc.record({
    type: fc.constantFrom<Deed["type"][]>(
      ...(["send", "send", "decide", "decide", "end a tool", "end a tool", "wait", "wait", "wait"] as const),
      ...(["send a long message", "approve all", "stop", "abort", "change the memory", "read", "restart"] as const),
    ),
    dice: fc.nat(10_000),
  }),
  { minLength: 4, maxLength: 24, size: "max" },
);

/** What happened, and what was wrong. */
export interface Work {
  readonly wrong: readonly string[];
  readonly requests: readonly WireRequest[];
  /** All events of all threads, by type. */
  readonly events: ReadonlyMap<string, number>;
}

/** One process. What it writes is lost after its death. */
interface Process {
  readonly agent: Agent;
  readonly thread: Thread;
  isDead: boolean;
}

/** Lets an agent with a random stack work on a thread, while things happen to it. */
export async function work(stack: Stack, seed: number, given: readonly Deed[]): Promise<Work> {
  const wrong: string[] = [];
  const starts = new Map<string, number>();
  const settled = new Map<string, string>();
  const open: Promised[] = [];
  const runs: { readonly run: Run; readonly abort: () => void; readonly isOrphan: () => boolean }[] = [];
  const inner = memoryStore();
  const files = await sharedFiles();
  let serial = 0;
  let isEnding = false;
  const server = await wireServer({
    turns: (request) => (isEnding ? { text: "The end." } : randomTurn(request, mixed(seed + serial++))),
    ...(stack.family.provider !== undefined && { provider: stack.family.provider }),
  });

  const remember = (threadId: string, call: LedgerCall): void => {
    const key = `${threadId} ${call.id}`;
    const known = settled.get(key);
    if (known !== undefined && known !== JSON.stringify(call)) wrong.push(`${key} was settled, and has changed`);
    if (isSettled(call)) settled.set(key, JSON.stringify(call));
  };

  const begin = (): Process => {
    const never = new Promise<never>(() => undefined);
    const made = { isDead: false };
    const alive = async (): Promise<void> => {
      if (made.isDead) await never;
    };
    const store = watchedStore(inner, {
      before: alive,
      async after({ thread: threadId, calls }) {
        for (const { value } of calls) remember(threadId, value as LedgerCall); // of the ledger
        await alive();
      },
    });
    const agent = createAgent({
      name: "worker",
      model: stack.family.make(server.baseUrl(stack.family.format)),
      language: stack.language,
      instructions: "You work.",
      tools: tools(),
      middleware: createStack(stack, files),
      store: afterDeath(store),
      limits: { steps: 8 },
    });
    return Object.assign(made, { agent, thread: agent.thread("t") });
  };

  const tools = () => {
    const counted = (name: string, result: () => unknown, approval = false) =>
      tool({
        name,
        description: `Does ${name}.`,
        approval,
        execute(_: unknown, { threadId, callId }) {
          const key = `${threadId} ${callId}`;
          starts.set(key, (starts.get(key) ?? 0) + 1);
          return result();
        },
      });
    const slow = (): unknown => {
      const result = promised();
      open.push(result);
      return result.promise;
    };
    return [
      counted("slow", slow),
      counted("pay", () => "paid", true),
      counted("quick", () => "quick"),
      counted("long", () => "a long result, line by line\n".repeat(60)),
      counted("boom", () => Promise.reject(new Error("boom"))),
    ];
  };

  const endTool = (dice: number): void => {
    const [one] = open.splice(dice % Math.max(1, open.length), 1);
    if (dice % 4 === 0) one?.reject(new Error("it failed"));
    else one?.resolve(dice % 3 === 0 ? "much to tell ".repeat(100) : `result ${dice}`);
  };

  const processes = [begin()];
  const current = (): Process => processes.at(-1) ?? begin();

  const start = (make: (thread: Thread, signal: AbortSignal) => Run): void => {
    const process = current();
    const controller = new AbortController();
    const run = make(process.thread, controller.signal);
    run.result.catch(ignored);
    runs.push({ run, abort: () => controller.abort(), isOrphan: () => process.isDead });
  };

  const act = async ({ type, dice }: Deed): Promise<void> => {
    const { thread } = current();
    switch (type) {
      case "send":
      case "send a long message": {
        const onInput = (["supersede", "queue", "refuse"] as const)[dice % 3];
        const text = type === "send" ? `Message ${runs.length}.` : `Message ${runs.length}: ${"word ".repeat(200)}`;
        start((given_, signal) => given_.send(text, { onInput, signal }));
        break;
      }
      case "decide": {
        const pending = await thread.pending();
        const call = pending[dice % Math.max(1, pending.length)];
        const decision = decisions[dice % decisions.length] ?? { type: "approve" };
        if (call !== undefined) start((given_, signal) => given_.decide({ [call.id]: decision }, { signal }));
        break;
      }
      case "approve all":
        start((given_, signal) => given_.approveAll({ signal }));
        break;
      case "stop":
        thread.stop().catch(ignored);
        break;
      case "abort":
        runs[dice % Math.max(1, runs.length)]?.abort();
        break;
      case "end a tool":
        endTool(dice);
        break;
      case "change the memory": {
        const text = `Remember ${dice}. ${"more ".repeat(dice % 100)}`;
        if (stack.hasBackend) await files.write("/AGENTS.md", new TextEncoder().encode(text));
        else thread.writeFile("/AGENTS.md", text).catch(ignored);
        break;
      }
      case "read":
        void thread.history("openai-chat").catch(ignored);
        break;
      case "restart":
        current().isDead = true;
        processes.push(begin());
        break;
      case "wait":
        await quiet(2 + (dice % 40));
    }
    if (dice % 2 === 0) await quiet(1 + (dice % 8));
  };

  /** Waits for something. Tools that start meanwhile end too. */
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

  try {
    for (const deed of given) await act(deed);
    for (const { run, isOrphan } of runs) if (!isOrphan()) await untilQuiet(run.result);
    for (const { agent, isDead } of processes) if (!isDead) await untilQuiet(agent.close());
    processes.push(begin());
    const { agent, thread } = current();
    for (const run of await untilQuiet(agent.recover())) await untilQuiet(run.result);
    const isCrashed = processes.some(({ isDead }) => isDead);
    wrong.push(...(await unreachableCalls(inner, thread, isCrashed)));
    for (let round = 0; (await thread.pending()).length > 0; round++) {
      isEnding = round > 2;
      const { error } = await untilQuiet((round % 2 === 0 ? thread.approveAll() : thread.rejectAll("no")).result);
      if (error?.code.startsWith("decision/") === true)
        wrong.push(`a pending call cannot be decided: ${error.message}`);
      if (round > 6) throw new Error("Calls are pending for ever.");
    }
    isEnding = true;
    await untilQuiet(thread.stop());
    const { status, text, error } = await untilQuiet(thread.send("Is it done?").result);
    if (status !== "done" || text !== "The end.") wrong.push(`the last run is ${status}: ${error?.message ?? text}`);
    wrong.push(...(await missingResults(inner, thread, settled)));
    for (const id of isCrashed ? ["t"] : await threadsIn(inner))
      for (const call of await callsOf(inner, id))
        if (!isSettled(call)) wrong.push(`${id} ${call.id} is ${call.state} at the end`);
    await untilQuiet(agent.close());
    for (const [key, count] of starts) if (count > 1) wrong.push(`${key} was started ${count} times`);
    for (const { refused, path } of server.requests) if (refused !== undefined) wrong.push(`${path}: ${refused}`);
    return { wrong, requests: [...server.requests], events: await eventCounts(inner) };
  } finally {
    await server.close();
  }
}

/** How long something may take that has nothing to wait for, in milliseconds. */
const patience = 15_000;

/** An error of a command that this test does not wait for. */
const ignored = (): void => undefined;

const decisions: readonly Decision[] = [
  { type: "approve" },
  { type: "reject", reason: "no" },
  { type: "edit", arguments: {} },
  { type: "respond", result: "from a person" },
  { type: "approve", always: true },
];

/** The thread and all that are below it. */
async function threadsIn(store: Store, id = "t"): Promise<readonly string[]> {
  const children = await store.list({ parent: id });
  const below = await Promise.all(children.map((child) => threadsIn(store, child.id)));
  return [id, ...below.flat()];
}

/**
 * The calls that wait for a person who cannot see them. A process that dies between two commits may leave a child thread
 * whose call has ended: nothing refers to it any more, and it settles its calls when it is opened.
 */
async function unreachableCalls(store: Store, thread: Thread, isCrashed: boolean): Promise<readonly string[]> {
  const pending = new Set((await thread.pending()).map(({ id }) => id));
  const wrong: string[] = [];
  for (const id of await threadsIn(store)) {
    if (isCrashed && (await isAbandoned(store, id))) continue;
    for (const call of await callsOf(store, id)) {
      const path = id === "t" ? call.id : `${id.slice(2)}/${call.id}`;
      if (call.state === "awaiting" && !pending.delete(path)) wrong.push(`${path} waits, and is not pending`);
    }
  }
  return [...wrong, ...[...pending].map((path) => `${path} is pending, and no call waits`)];
}

/** True for a child thread whose call has ended. */
async function isAbandoned(store: Store, id: string): Promise<boolean> {
  const end = id.lastIndexOf("/");
  const call =
    end === -1 ? undefined : (await callsOf(store, id.slice(0, end))).find((each) => each.id === id.slice(end + 1));
  return call !== undefined && isSettled(call);
}

/** The results that were saved once and are not in the thread any more. */
async function missingResults(
  store: Store,
  thread: Thread,
  settled: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  const shown = new Set((await thread.calls()).map(({ id }) => `t ${id}`));
  const stored = new Set<string>();
  for (const id of await threadsIn(store)) for (const call of await callsOf(store, id)) stored.add(`${id} ${call.id}`);
  return [...settled.keys()].flatMap((key) => {
    const isThere = key.startsWith("t ") ? shown.has(key) : stored.has(key);
    return isThere ? [] : [`the result of ${key} is lost`];
  });
}

async function eventCounts(store: Store): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const id of await threadsIn(store))
    for (const { type } of await store.events(id)) counts.set(type, (counts.get(type) ?? 0) + 1);
  return counts;
}
