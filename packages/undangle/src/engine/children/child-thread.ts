import { isRecord, UndangleError } from "#core";
import type { ErrorCode } from "#core";

import type { Agent } from "../agent.ts";
import { coreOf } from "../agent-core.ts";
import type { PendingCall } from "../events.ts";
import type { ThreadJournal } from "../journal/thread-journal.ts";
import { isSettled } from "../ledger/call.ts";
import type { LedgerCall } from "../ledger/call.ts";
import type { Session } from "../run/session.ts";
import type { Setup } from "../run/setup.ts";
import type { Input } from "../thread/commands/send.ts";
import type { ThreadActor } from "../thread/thread-actor.ts";
import { readable } from "../views/call-view.ts";

/** How the engine runs and stops child threads. Tools are below the commands of threads, so they receive it. */
export interface ChildThreads {
  readonly run: (session: Session, child: ChildRun) => Promise<ChildOutcome>;
  readonly stop: (actors: readonly ThreadActor[], cause: "stopped" | "superseded") => Promise<void>;
}

/** What a call does with its child thread. */
export interface ChildRun {
  readonly call: LedgerCall;
  readonly agent: Agent;
  readonly input: Input;
  readonly signal: AbortSignal;
}

/** The end of the child, the pending calls that it waits for, or nothing if the call was aborted. */
export type ChildOutcome =
  | { readonly type: "end"; readonly end: ChildEnd }
  | { readonly type: "waiting"; readonly pending: readonly PendingCall[] }
  | { readonly type: "aborted" };

/** How the run of a child thread ended. */
export interface ChildEnd {
  readonly status: "done" | "stopped" | "failed";
  /** The last text of the agent that is not empty. */
  readonly text: string;
  /** The structured output, if the agent has one. */
  readonly output?: unknown;
  /** Why it failed, or which limit stopped it. */
  readonly error?: { readonly code: ErrorCode; readonly message: string };
}

/** The agent that runs a call on a child thread. Undefined if the tool itself runs the call. */
export function childAgentOf(
  { tools }: Pick<Setup, "tools">,
  { name, raw }: Pick<LedgerCall, "name" | "raw">,
): Agent | undefined {
  const tool = tools.get(name);
  const args = tool?.agent === undefined ? undefined : readable(raw);
  try {
    return isRecord(args) ? tool?.agent?.(args) : undefined;
  } catch {
    return undefined; // the arguments are not validated here
  }
}

/** The id is derived, so that the thread is found again after a crash. */
const childId = (threadId: string, callId: string): string => `${threadId}/${callId}`;

/** The thread on which an agent runs a call. */
export const childActor = (agent: Agent, threadId: string, callId: string): ThreadActor =>
  coreOf(agent).actorOf(childId(threadId, callId));

/** Throws for a child thread: the commands of a caller are for its parent, which knows the agent that runs the child. */
export function refuseChild(journal: ThreadJournal): void {
  const { parent } = journal.ledger();
  if (parent !== undefined)
    throw new UndangleError("thread/child", { threadId: journal.threadId, parent: parent.thread });
}

/** The journal of a child thread, also before its start. Undefined for a thread of the application that has its id. */
export async function readChild(actor: ThreadActor): Promise<ThreadJournal | undefined> {
  const journal = await actor.read();
  return journal.version() === 0 || isChild(journal) ? journal : undefined;
}

/** False for a thread of the application that has the id of a child thread. */
export function isChild(journal: ThreadJournal): boolean {
  const { parent } = journal.ledger();
  return parent !== undefined && journal.threadId === childId(parent.thread, parent.call);
}

/** The child thread of an open call. Undefined if an agent does not run the call, or has not started. */
export function childOf(call: LedgerCall, threadId: string, setup: Pick<Setup, "tools">): ThreadActor | undefined {
  if (isSettled(call) || call.child === undefined) return undefined;
  const agent = childAgentOf(setup, call);
  return agent === undefined ? undefined : childActor(agent, threadId, call.id);
}

/**
 * The child threads of open calls that do not run: those that wait for decisions or, after a crash, for their parents.
 * Some may not exist: a call with an attempt has not always started its child.
 */
export const restingChildren = (journal: ThreadJournal, setup: Pick<Setup, "tools">): readonly ThreadActor[] =>
  (journal.ledger().turn?.calls ?? []).flatMap((call) => {
    if (isSettled(call) || call.state === "running" || call.attempts === 0) return [];
    const agent = childAgentOf(setup, call);
    return agent === undefined ? [] : [childActor(agent, journal.threadId, call.id)];
  });
