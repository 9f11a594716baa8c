import { randomUUID } from "node:crypto";

import { copyJson, UndangleError } from "#core";
import type { JsonObject } from "#core";
import { memoryStore } from "#store";
import type { Store, StoredThread, ThreadQuery } from "#store";

import { agentCore } from "./agent-core.ts";
import type { AgentCore } from "./agent-core.ts";
import { validateAgentOptions } from "./agent-options.ts";
import type { AgentOptions } from "./agent-options.ts";
import { allowedForAgent, allowing, removeAgentAllowance, unknownAllowance } from "./approvals/allowances.ts";
import type { StateAllowance } from "./approvals/allowances.ts";
import { checkRules, createDenier, createGateKeeper, refuseUnknownTools } from "./approvals/rules.ts";
import type { ApprovalRule, GateKeeping, RuleList } from "./approvals/rules.ts";
import { checkedOptions, yesOrNo, checkedQuery } from "./checked-options.ts";
import { childThreads } from "./children/run-child.ts";
import type { Allowance } from "./events.ts";
import { hasAllowances, metaOf } from "./journal/thread-head.ts";
import { present } from "./ledger/call.ts";
import { quiet, silent } from "./logger.ts";
import { composeHooks } from "./middleware/hooks.ts";
import type { AgentHost, Middleware, RuledAgent } from "./middleware/middleware.ts";
import { stateHandle, unrestrictedState } from "./thread/stored-state.ts";
import { wording } from "./run/notice-texts.ts";
import type { Wording } from "./run/notice-texts.ts";
import type { Run } from "./run/run.ts";
import { defaultLimits } from "./run/limits.ts";
import type { Setup } from "./run/setup.ts";
import { outputTool } from "./run/structured-output.ts";
import type { FinalAnswerOf, ToolInput } from "./schema/input-schema.ts";
import { createThread } from "./thread.ts";
import type { Thread } from "./thread.ts";
import { createSemaphore, recover } from "./thread/commands/recover.ts";
import { createExpiryTimers } from "./thread/expiry-timers.ts";
import { createProcessLease } from "./thread/process-lease.ts";
import type { ProcessLease } from "./thread/process-lease.ts";
import { ThreadActor } from "./thread/thread-actor.ts";
import { cachePool } from "./thread/thread-cache.ts";
import type { AnyTool } from "./tool.ts";
import { isToolSource, createToolbox } from "./toolbox.ts";
import type { ToolSource, ToolEntry, ToolTable } from "./toolbox.ts";

/** Runs a model with tools on threads whose histories stay valid, even after a crash. */
export interface Agent<Output = unknown> {
  /** Returns the thread with this id, which may be any text. Without an id, a new thread. */
  thread(id?: string): Thread<Output>;
  /**
   * Resumes threads of dead processes, and settles expired approvals: now, and again every ten seconds, because a
   * process on another machine counts as dead only after a silence.
   */
  recover(): Promise<readonly Run<Output>[]>;
  /** Lists threads, the most recently changed first. */
  threads(query?: ThreadQuery): Promise<readonly FoundThread[]>;
  /** The head of a thread, even of a deleted one; undefined if there is none. */
  find(id: string): Promise<FoundThread | undefined>;
  /** Stops the thread and marks it as deleted, or removes it with `purge`. False if there is no such thread. */
  delete(id: string, options?: DeleteOptions): Promise<boolean>;
  restore(id: string): Promise<boolean>;
  /** The allowances for all threads of agents with this name. */
  allowed(): Promise<readonly Allowance[]>;
  /** Revokes an allowance from the next call on, also for calls in other processes. */
  revoke(id: string): Promise<void>;
  /**
   * Waits for running runs, without stopping them, and leaves. The store stays open, because it belongs to the caller.
   */
  close(): Promise<void>;
  readonly store: Store;
}

export interface DeleteOptions {
  /** Removes the thread permanently, also if it is marked as deleted. */
  readonly purge?: boolean | undefined;
}

/** A thread in a list. */
export interface FoundThread extends StoredThread {
  /** The metadata set with `thread.describe()`. */
  readonly meta: JsonObject;
  /** True if it has allowances with the scope `thread`. */
  readonly hasAllowances: boolean;
}

/** The number of threads of dead processes that are resumed concurrently. */
const mostRecoveries = 32;

/** Milliseconds between two searches for threads with dead owners or expired approvals. */
const sweepInterval = 10_000;

/** `output` is the schema of the final answer, and types the `output` of runs. */
export function createAgent<const Output extends ToolInput | undefined = undefined>(
  options: AgentOptions<Output>,
): Agent<FinalAnswerOf<Output>>;
export function createAgent(options: AgentOptions): Agent {
  return agentWith(options);
}

/** Creates an agent. An agent for child threads shares the lease of its parent, so that both live and die together. */
function agentWith(options: AgentOptions, parentLease?: ProcessLease): Agent {
  validateAgentOptions(options);
  const { store = memoryStore(), now = Date.now, language, logger } = options;
  const lease = parentLease ?? createProcessLease(store, now);
  const children: Agent[] = [];
  const setup = setupOf({ ...options, store, now }, (given) => {
    const named = present({ name: childName(options.name, given.name) });
    const child = agentWith({ ...present({ language, logger }), ...given, ...named, store, now }, lease);
    children.push(child);
    return child;
  });
  const recoveries = createSemaphore(mostRecoveries);

  /** Checks a thread whose approval has expired, or that has unsaved changes. */
  const onTime = (id: string): void => {
    recover(actorOf(id), recoveries).catch((error: unknown) => {
      if (isOwned(error)) return; // the process that runs it handles it
      setup.logger.warn({ threadId: id, err: error }, "A thread could not be checked in time; trying again");
      timers.set(id, now() + sweepInterval);
    });
  };
  const timers = createExpiryTimers(now, onTime);

  const actors = cachePool.createCache((id) => new ThreadActor(id, { setup, lease, timers }));
  const actorOf = actors.get;

  /** Resumes threads of dead processes, and settles expired approvals. */
  const sweep = async (): Promise<readonly Run[]> => {
    const owned = await store.list({ isOwned: true });
    const due = await store.list({ dueBefore: now() + 1 });
    const runs: Run[] = [];
    const faults: unknown[] = [];
    for (const id of new Set([...owned, ...due].map((thread) => thread.id))) {
      try {
        const run = await recover(actorOf(id), recoveries);
        if (run !== undefined) runs.push(run);
      } catch (error) {
        if (!isOwned(error)) faults.push(error); // otherwise another process runs it
      }
    }
    if (faults.length === 0) return runs;
    throw faults.length === 1
      ? faults[0]
      : new AggregateError(faults, `${faults.length} threads could not be recovered`);
  };
  let sweeping: NodeJS.Timeout | undefined;

  const agent: Agent & { readonly [agentCore]: AgentCore } = {
    [agentCore]: { options, actorOf },
    store,
    thread: (id = randomUUID()) => createThread(checkedId(id), { setup, actorOf, recoveries }),
    async recover() {
      sweeping ??= setInterval(() => void sweep().catch(() => undefined), sweepInterval).unref();
      return sweep();
    },
    threads: async (query = {}) => (await store.list(checkedQuery(query))).map(found),
    async find(id) {
      const head = await store.load(checkedId(id));
      return head === undefined ? undefined : found(head);
    },
    async delete(id, options = {}) {
      const { purge = false } = checkedOptions(options, ["purge"], { purge: yesOrNo });
      const thread = actors.find(checkedId(id))?.thread;
      const { owner } = (await store.load(id)) ?? {};
      if (thread?.session() !== undefined) await thread.endRun("stopped");
      else if (owner !== undefined && (await lease.isAlive(owner)))
        throw new UndangleError("thread/owned", { threadId: id, owner });
      return purge ? store.remove(id) : store.delete(id, now());
    },
    restore: async (id) => store.restore(checkedId(id)),
    async allowed() {
      const ofChildren = await Promise.all(children.map((each) => each.allowed()));
      const all = [await allowedForAgent(setup), ...ofChildren].flat();
      return [...new Map(all.map((each) => [each.id, each])).values()]; // agents with the same name share them
    },
    async revoke(id) {
      const { name } = setup;
      for (const child of children) if ((await child.allowed()).some((each) => each.id === id)) return child.revoke(id);
      if (name === undefined) throw unknownAllowance(id, "agent", []);
      await removeAgentAllowance(store, name, id);
      setup.logger.info({ agent: name, allowance: id }, "Allowance revoked");
    },
    async close() {
      clearInterval(sweeping);
      sweeping = undefined;
      const ends = await Promise.allSettled(actors.all().map((actor) => actor.settled()));
      for (const child of children) ends.push(...(await Promise.allSettled([child.close()]))); // may still stop threads
      timers.close();
      if (parentLease === undefined) await lease.close();
      for (const end of ends) {
        if (end.status === "rejected") throw end.reason; // unsaved changes are lost with the process
      }
    },
  };
  return agent;
}

/** The name of an agent for child threads: what is allowed for it applies only in threads of agents with the name of its parent. */
const childName = (parent: string | undefined, own: string | undefined): string | undefined =>
  parent === undefined || own === undefined ? own : `${parent}/${own}`;

/** Validates a thread id, because callers may not use types. */
function checkedId(id: unknown): string {
  if (typeof id === "string" && id !== "") return id;
  throw new UndangleError("options/value", { option: "thread id", value: id, allowed: ["a non-empty string"] });
}

const found = (head: StoredThread): FoundThread => ({
  ...head,
  meta: copyJson(metaOf(head)),
  hasAllowances: hasAllowances(head),
});

const isOwned = (error: unknown): boolean => error instanceof UndangleError && error.is("thread/owned");

/** Applies the defaults of all options. */
function setupOf(options: AgentHost["options"], createChild: AgentHost["createChild"]): Setup {
  const { store, model, name, instructions = "", approvals = [], middleware = [] } = options;
  const { language = "en", onInput = "supersede", mode = "ask" } = options;
  const logger = options.logger === undefined ? silent : quiet(options.logger);
  const limits = { ...defaultLimits, ...present(options.limits ?? {}) };
  const output = options.output === undefined ? undefined : { tool: outputTool(options.output, language) };
  const placed = (tools: AgentOptions["tools"] = [], before = ""): readonly ToolEntry[] =>
    tools.map((given, i) => ({ place: `${before}tools[${i}]`, given }));
  const entries: readonly ToolEntry[] = [
    ...placed(options.tools),
    ...middleware.flatMap((each) => placed(toolsOf(each, { options, createChild }), `${each.name}.`)),
    ...(output === undefined ? [] : [{ place: "output", given: output.tool }]),
  ];
  const toolbox = createToolbox(entries, logger);
  const ruleLists = (agent?: RuledAgent): readonly RuleList[] => [
    ...middleware.map((each) => ({ option: `${each.name}.approvals`, from: each.name, rules: rulesOf(each, agent) })),
    { option: "approvals", from: "agent", rules: approvals },
  ];
  const fixed = ruleLists();
  fixed.forEach(checkRules);
  const lists = ruleLists({ language, hasApprovals: hasApprovals(fixed, toolbox.table()) });
  lists.forEach(checkRules);
  const keeping: GateKeeping = {
    agent: name,
    onFault: ({ id, name: tool }, fault) =>
      logger.warn({ callId: id, tool, err: fault }, "An approval rule failed; the call waits for a decision"),
    scopes: name === undefined ? ["thread"] : ["thread", "agent"],
    isOfSource: toolbox.isOfSource,
  };
  const wordings = middleware.map((each: Middleware & { readonly [wording]?: Wording }) => each[wording]);
  const allowances = middleware.map((each: Middleware & { readonly [allowing]?: StateAllowance["find"] }) => ({
    name: each.name,
    find: each[allowing],
  }));
  const hasSource = entries.some(({ given }) => isToolSource(given)); // it may add the named tools later
  const unmatched = hasSource ? [] : lists.flatMap((list) => refuseUnknownTools(list, [...toolbox.table().keys()]));
  if (unmatched.length > 0) logger.warn({ tools: unmatched }, "A pattern of an approval rule matches no tool");
  return {
    model,
    name,
    system: instructions === "" ? [] : [{ type: "text", path: "", text: instructions }],
    get tools() {
      return toolbox.table();
    },
    get descriptions() {
      return toolbox.descriptions();
    },
    gate: createGateKeeper(lists, keeping),
    deny: createDenier(lists, {
      ...keeping,
      onFault: ({ id, name: tool }, fault) =>
        logger.warn({ callId: id, tool, err: fault }, "An approval rule failed; the call is denied"),
    }),
    store,
    limits,
    onInput,
    mode,
    output,
    middleware,
    hooks: composeHooks(middleware),
    children: childThreads,
    wording: wordings.find((each) => each !== undefined),
    stateOwners: new Set(middleware.flatMap(({ name: owner, state }) => (state === undefined ? [] : [owner]))),
    allowing: allowances.flatMap(({ name: owner, find }) => (find === undefined ? [] : [{ name: owner, find }])),
    projection: { language, longestResult: limits.resultLength },
    language,
    logger,
    now: options.now ?? Date.now,
  };
}

/** Whether calls of the agent can wait for a person. */
const hasApprovals = (lists: readonly RuleList[], tools: ToolTable): boolean =>
  lists.some(({ rules }) => rules.some(({ deny, required }) => deny !== true && required !== false)) ||
  [...tools.values()].some(({ approval }) => approval !== false);

/** The rules of a middleware. Those of a function are known only after those of others. */
function rulesOf({ name, approvals = [] }: Middleware, agent: RuledAgent | undefined): readonly ApprovalRule[] {
  if (typeof approvals === "function" && agent === undefined) return [];
  const made: unknown = typeof approvals === "function" && agent !== undefined ? approvals(agent) : approvals;
  if (Array.isArray(made)) return made as readonly ApprovalRule[]; // each rule is checked next
  throw new UndangleError("options/value", { option: `${name}.approvals`, value: made, allowed: ["a list of rules"] });
}

/** The tools of a middleware, which can access its state. */
function toolsOf(middleware: Middleware, host: AgentHost): readonly (AnyTool | ToolSource)[] {
  const { name, tools = [] } = middleware;
  const made: unknown =
    typeof tools === "function" ? tools(({ state }) => stateHandle(middleware, unrestrictedState(state)), host) : tools;
  if (Array.isArray(made)) return made as readonly (AnyTool | ToolSource)[]; // the toolbox validates each tool
  throw new UndangleError("options/value", { option: `${name}.tools`, value: made, allowed: ["a list of tools"] });
}
