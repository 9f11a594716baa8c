import { randomUUID } from "node:crypto";

import { isRecord, UndangleError } from "#core";
import type { Store } from "#store";

import { canonicalArguments, shownText } from "../arguments-text.ts";
import type { Allowance, InexactArguments } from "../events.ts";
import type { ThreadJournal } from "../journal/thread-journal.ts";
import { present, withAllowances } from "../ledger/call.ts";
import type {
  AllowanceMatch,
  AllowanceScope,
  AppliedAlways,
  CallAllowance,
  Gate,
  LedgerAllowance,
  LedgerCall,
} from "../ledger/call.ts";
import type { Session } from "../run/session.ts";
import type { Setup } from "../run/setup.ts";
import { readable } from "../views/call-view.ts";
import type { DecisionTexts } from "./decision-texts.ts";
import { digestOf } from "./rules.ts";
import type { OpenGate } from "./rules.ts";

/** The allowance that covers a call; undefined if there is none. */
export function findAllowance(
  allowed: readonly LedgerAllowance[],
  { name, raw }: Pick<LedgerCall, "name" | "raw">,
  scope: AllowanceScope,
): CallAllowance | undefined {
  const ofTool = allowed.filter(({ tool }) => tool === name);
  if (ofTool.length === 0) return undefined;
  const isForAll = ({ digest }: LedgerAllowance): boolean => digest === undefined;
  const digest = ofTool.some(isForAll) ? undefined : argumentsDigest(name, raw);
  const found = ofTool.find(isForAll) ?? (digest && ofTool.find((each) => each.digest === digest));
  if (!found) return undefined;
  const { id, at, by } = found;
  return { id, scope, at, ...(by !== undefined && { by }) };
}

/**
 * A digest of arguments that ignores white space and key order; numbers count as written. Undefined for arguments that
 * are nested too deeply.
 */
export function argumentsDigest(name: string, raw: string): string | undefined {
  try {
    return digestOf(name, canonicalArguments(raw));
  } catch {
    return undefined; // not valid JSON: the call needs a decision
  }
}

/**
 * Creates an allowance. `true` covers calls of this tool in this thread. An object extends it to all threads of the
 * agent, or limits it to calls with the same arguments.
 */
export type Always =
  | boolean
  | { readonly scope?: AllowanceScope | undefined; readonly match?: AllowanceMatch | undefined };

/** An approved call as it will be executed, with the time and the author of the approval. */
export interface ApprovedCall extends Pick<LedgerCall, "id" | "name" | "raw"> {
  readonly gate: Gate | undefined;
  readonly at: number;
  readonly by?: string | undefined;
  /** The name of the deciding agent, if it has one. */
  readonly agent: string | undefined;
  readonly texts: DecisionTexts["always"];
}

const scopes: readonly unknown[] = ["thread", "agent"] satisfies readonly AllowanceScope[];
const matches: readonly unknown[] = ["tool", "arguments"] satisfies readonly AllowanceMatch[];

/** The allowance that a decision creates, or an error message. */
export function allowanceFromDecision(always: unknown, call: ApprovedCall): AppliedAlways | undefined | string {
  if (always === undefined || always === false) return undefined;
  const { id, name, raw, gate, at, by, agent, texts } = call;
  const given = always === true ? {} : always;
  const unknown = isRecord(given) ? Object.keys(given).find((key) => key !== "scope" && key !== "match") : undefined;
  if (!isRecord(given) || unknown !== undefined) return texts.shape(unknown);
  const { scope = "thread", match = "tool" } = given;
  if (!isScope(scope)) return texts.scope(scopes);
  if (!isMatch(match)) return texts.match(matches);
  if (gate?.always === undefined) return texts.never(name);
  if (scope === "agent" && (agent === undefined || !gate.always.includes(scope))) return texts.nameless(name);
  const digest = match === "arguments" ? argumentsDigest(name, raw) : undefined;
  if (match === "arguments" && digest === undefined) return texts.tooDeep;
  return {
    scope,
    match,
    allowance: { id: randomUUID(), tool: name, ...present({ digest }), call: id, at, ...present({ by }) },
  };
}

const isScope = (value: unknown): value is AllowanceScope => scopes.includes(value);
const isMatch = (value: unknown): value is AllowanceMatch => matches.includes(value);

/** Finds the allowance that lets a call pass its gate. Undefined if the call needs a decision. */
export type Allowances = (
  call: LedgerCall,
  gate: OpenGate,
) => CallAllowance | undefined | Promise<CallAllowance | undefined>;

/** The key under which a middleware allows calls by its state in the thread. It is not public. */
export const allowing: unique symbol = Symbol("allowing");

/** Finds the allowance for a tool in the state of a middleware. */
export interface StateAllowance {
  /** The name of the middleware. */
  readonly name: string;
  readonly find: (state: unknown, tool: string) => CallAllowance | undefined;
}

function allowanceIn(
  state: Readonly<Record<string, unknown>>,
  { name: tool }: Pick<LedgerCall, "name">,
  middleware: readonly StateAllowance[],
): CallAllowance | undefined {
  for (const { name, find } of middleware) {
    const found = Object.hasOwn(state, name) ? find(state[name], tool) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** For the calls of one turn. The allowances of the agent are read from the store once, and only if there is a gate. */
export function createAllowances({ journal, setup }: Pick<Session, "journal" | "setup">): Allowances {
  const { name, store, logger } = setup;
  let ofAgent: ReturnType<typeof readAgentAllowances> | undefined;
  return (call, { always = [] }) => {
    if (always.length === 0) return undefined; // each call needs its own decision, whatever was allowed before
    const { allowed, state } = journal.ledger();
    const found = findAllowance(allowed, call, "thread") ?? allowanceIn(state, call, setup.allowing);
    if (found !== undefined || name === undefined) return found;
    ofAgent ??= readAgentAllowances(store, name);
    return ofAgent
      .then((allowed) => findAllowance(allowed, call, "agent"))
      .catch((error: unknown) => {
        const facts = { threadId: journal.threadId, callId: call.id, tool: call.name, err: error };
        logger.warn(facts, "What is allowed could not be read; the call waits for a person");
        return undefined;
      });
  };
}

/** An allowance for all threads of an agent. */
export interface AgentAllowance extends LedgerAllowance, InexactArguments {
  /** The thread in which it was created. */
  readonly thread: string;
  /** The covered arguments, for display, if it does not cover all calls. */
  readonly arguments?: unknown;
}

/** The current allowances for all threads of the agents of a name. */
export async function readAgentAllowances(store: Store, name: string): Promise<readonly AgentAllowance[]> {
  return (await readList(store, name)).allowed;
}

/** Adds allowances, without losing those that other processes add concurrently. */
export function addAgentAllowances(store: Store, name: string, more: readonly AgentAllowance[]): Promise<void> {
  return change(store, name, (allowed) => withAllowances(allowed, more));
}

/** Removes an allowance. Throws if there is no such allowance. */
export function removeAgentAllowance(store: Store, name: string, id: string): Promise<void> {
  return change(store, name, (allowed) => {
    if (!allowed.some((each) => each.id === id)) throw unknownAllowance(id, "agent", allowed);
    return allowed.filter((each) => each.id !== id);
  });
}

export const unknownAllowance = (
  id: unknown,
  scope: AllowanceScope,
  allowed: readonly LedgerAllowance[],
): UndangleError => new UndangleError("allowance/unknown", { id, scope, known: allowed.map((each) => each.id) });

const keyOf = (name: string): string => `allowed/${name}`;

async function readList(
  store: Store,
  name: string,
): Promise<{ readonly allowed: readonly AgentAllowance[]; readonly version: number }> {
  const { value = [], version = 0 } = (await store.read(keyOf(name))) ?? {};
  return { allowed: value as readonly AgentAllowance[], version }; // written by this module
}

/** The number of retries after concurrent writes. */
const mostAttempts = 100;

async function change(
  store: Store,
  name: string,
  next: (allowed: readonly AgentAllowance[]) => readonly AgentAllowance[],
): Promise<void> {
  for (let left = mostAttempts; ; left--) {
    const { allowed, version } = await readList(store, name);
    const changed = next(allowed);
    if (changed === allowed) return;
    try {
      await store.write(keyOf(name), changed, version);
      return;
    } catch (error) {
      if (left === 0 || !(error instanceof UndangleError && error.is("store/stale"))) throw error;
    }
  }
}

/** The allowances of a thread, for display. */
export const allowedInThread = (journal: ThreadJournal): readonly Allowance[] =>
  journal.ledger().allowed.map((each) => {
    const { raw } = journal.callOf(each.call) ?? {};
    const args = raw === undefined ? {} : { arguments: readable(raw), ...shownText(raw) };
    return { ...shown(each), scope: "thread", threadId: journal.threadId, ...argumentsOf(each, args) };
  });

/** The allowances for all threads of an agent, for display. */
export async function allowedForAgent({ name, store }: Pick<Setup, "name" | "store">): Promise<readonly Allowance[]> {
  const allowed = name === undefined ? [] : await readAgentAllowances(store, name);
  return allowed.map((each) => ({
    ...shown(each),
    scope: "agent",
    threadId: each.thread,
    ...argumentsOf(each, each),
  }));
}

const shown = ({ id, tool, digest, call, at, by }: LedgerAllowance): Omit<Allowance, "scope" | "threadId"> => ({
  id,
  tool,
  match: digest === undefined ? "tool" : "arguments",
  callId: call,
  at,
  ...(by !== undefined && { by }),
});

/** The covered arguments, if the allowance does not cover all calls. */
function argumentsOf(
  { digest }: LedgerAllowance,
  { arguments: value, raw, inexact }: Partial<Pick<Allowance, "arguments" | "raw" | "inexact">>,
): Pick<Allowance, "arguments" | "raw" | "inexact"> {
  return digest === undefined ? {} : { arguments: value, ...present({ raw, inexact }) };
}
