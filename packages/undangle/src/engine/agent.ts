import { randomUUID } from "node:crypto";

import { UndangleError } from "#core";
import { memoryStore } from "#store";
import type { Store, StoredThread, ThreadQuery } from "#store";

import { validateAgentOptions } from "./agent-options.ts";
import type { AgentOptions } from "./agent-options.ts";
import { createGateKeeper } from "./approvals/rules.ts";
import { quiet, silent } from "./logger.ts";
import { composeHooks } from "./middleware/hooks.ts";
import { createActor } from "./run/actor.ts";
import type { Actor } from "./run/actor.ts";
import { createOwner } from "./run/owner.ts";
import { outputTool } from "./run/output.ts";
import type { Run } from "./run/run.ts";
import { defaultLimits } from "./run/setup.ts";
import type { Setup } from "./run/setup.ts";
import { createThread } from "./thread.ts";
import type { Thread } from "./thread.ts";
import { toolTable } from "./tool-table.ts";
import type { Tool } from "./tool.ts";

/** Runs a model with tools on threads that stay healthy, whatever happens in the middle. */
export interface Agent {
  /** A thread by its id, which may be any text; left out, a new one. */
  thread(id?: string): Thread;
  /**
   * Goes on with the threads that dead processes left, and settles approvals whose time is over: now, and from now on every ten
   * seconds, because a process on another machine counts as dead only after it has been silent for a while.
   */
  recover(): Promise<readonly Run[]>;
  /** Threads, those that changed last first. */
  threads(query?: ThreadQuery): Promise<readonly StoredThread[]>;
  /** Marks a thread as deleted; `restore` takes that back. */
  delete(id: string): Promise<boolean>;
  restore(id: string): Promise<boolean>;
  /** Stops nothing: waits for the runs that go on, and leaves. The store stays open, for it is the caller's. */
  close(): Promise<void>;
  readonly store: Store;
}

const mostIdleActors = 256;

/** How often threads are looked for whose owners have died, or whose approvals have expired; in milliseconds. */
const sweepInterval = 10_000;

export function createAgent(options: AgentOptions): Agent {
  validateAgentOptions(options);
  const setup = setupOf(options);
  const { store, now } = setup;
  const owner = createOwner(store, now);
  const actors = new Map<string, Actor>();

  /** The one actor of a thread in this agent; those that rest are forgotten when there are many. */
  const actorOf = (id: string): Actor => {
    const known = actors.get(id);
    const actor = known ?? createActor(id, setup, owner);
    actors.delete(id);
    actors.set(id, actor); // the last one used is the last in the map
    if (actors.size > mostIdleActors) {
      for (const [key, each] of actors) {
        if (actors.size <= mostIdleActors) break;
        if (each !== actor && each.isIdle()) actors.delete(key);
      }
    }
    return actor;
  };

  /** Goes on with what dead processes left and with what has expired. */
  const sweep = async (): Promise<readonly Run[]> => {
    const owned = await store.list({ isOwned: true });
    const due = await store.list({ dueBefore: now() + 1 });
    const runs: Run[] = [];
    const faults: unknown[] = [];
    for (const id of new Set([...owned, ...due].map((thread) => thread.id))) {
      try {
        const run = await actorOf(id).recover();
        if (run !== undefined) runs.push(run);
      } catch (error) {
        if (!(error instanceof UndangleError && error.is("thread/owned"))) faults.push(error); // else somebody is at work there
      }
    }
    if (faults.length === 0) return runs;
    throw faults.length === 1
      ? faults[0]
      : new AggregateError(faults, `${faults.length} threads could not be recovered`);
  };
  let sweeping: NodeJS.Timeout | undefined;

  return {
    store,
    thread(id = randomUUID()) {
      if (typeof id !== "string" || id === "") {
        throw new UndangleError("options/value", {
          option: "thread id",
          value: id,
          allowed: ["a text that is not empty"],
        });
      }
      return createThread(id, setup, () => actorOf(id));
    },
    async recover() {
      sweeping ??= setInterval(() => void sweep().catch(() => undefined), sweepInterval).unref();
      return sweep();
    },
    threads: (query) => store.list(query),
    delete: (id) => store.delete(id, now()),
    restore: (id) => store.restore(id),
    async close() {
      clearInterval(sweeping);
      sweeping = undefined;
      await Promise.all([...actors.values()].map((actor) => actor.settled()));
      await owner.close();
    },
  };
}

/** Everything that the options leave open, decided. */
function setupOf(options: AgentOptions): Setup {
  const { model, instructions = "", approvals = [], middleware = [], language = "en", onInput = "supersede" } = options;
  const logger = options.logger === undefined ? silent : quiet(options.logger);
  const limits = { ...defaultLimits, ...withoutBlanks(options.limits ?? {}) };
  const output = options.output === undefined ? undefined : { tool: outputTool(options.output, language) };
  const own = (options.tools ?? []) as readonly Tool[]; // each is given only what it has validated
  const places = own.map((_, i) => `tools[${i}]`);
  const tools = [...own];
  for (const each of middleware) {
    for (const [i, added] of (each.tools ?? []).entries()) {
      tools.push(added);
      places.push(`${each.name}.tools[${i}]`);
    }
  }
  if (output !== undefined) tools.push(output.tool);
  const table = toolTable(tools, (index) => places[index] ?? "output");
  const hooks = composeHooks(middleware);
  return {
    model,
    system: instructions === "" ? [] : [{ type: "text", path: "", text: instructions }],
    tools: table,
    descriptions: [...table.values()].map(({ name, description, schema }) => ({ name, description, schema })),
    gate: createGateKeeper(approvals, ({ id, name }, fault) =>
      logger.warn({ callId: id, tool: name, err: fault }, "A rule for approvals failed; the call waits for a person"),
    ),
    store: options.store ?? memoryStore(),
    limits,
    onInput,
    output,
    hooks,
    telling: { language, longestResult: limits.resultLength },
    language,
    logger,
    now: options.now ?? Date.now,
    ask: hooks.wrapAsk((request) => model.stream(request)),
    execute: hooks.wrapTool(({ tool, arguments: args, context }) => tool.execute(args, context)),
  };
}

const withoutBlanks = <T extends object>(record: T): { readonly [Key in keyof T]: Exclude<T[Key], undefined> } =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as {
    readonly [Key in keyof T]: Exclude<T[Key], undefined>; // just those were kept
  };
