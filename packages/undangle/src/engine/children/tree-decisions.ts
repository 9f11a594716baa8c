import { isRecord, UndangleError } from "#core";

import { resolveDecisions } from "../approvals/decisions.ts";
import type { Decisions } from "../approvals/decisions.ts";
import type { PendingCall } from "../events.ts";
import type { ThreadJournal } from "../journal/thread-journal.ts";
import type { CallState, LedgerCall } from "../ledger/call.ts";
import type { AppliedDecision } from "../ledger/ledger.ts";
import type { ThreadActor } from "../thread/thread-actor.ts";
import { fromChild, pendingCalls } from "../views/call-view.ts";
import { childOf } from "./child-thread.ts";

/** Valid decisions about calls of a thread and of its children. */
export interface TreeDecisions {
  readonly own: readonly AppliedDecision[];
  readonly children: readonly DecisionsForChild[];
}

/** Decisions for the child thread of a call, by the ids of the child. */
export interface DecisionsForChild {
  readonly call: LedgerCall;
  readonly actor: ThreadActor;
  readonly decisions: Decisions;
}

/** Decisions, and who made them. */
export interface GivenDecisions {
  readonly decisions: unknown;
  readonly by: string | undefined;
}

/**
 * Checks decisions for a thread and its children, each with the rules and tools of its own agent. If one is refused, an
 * error lists the problems and none takes effect.
 */
export async function resolveTree(
  actor: ThreadActor,
  journal: ThreadJournal,
  { decisions, by }: GivenDecisions,
): Promise<TreeDecisions> {
  const { threadId, setup } = actor;
  const { tools, gate, language, now, name: agent } = setup;
  const { turn } = journal.ledger();
  const { hidden = [] } = journal.openTurn() ?? {};
  const stateOf = (id: string): CallState | undefined => journal.callOf(id)?.state;
  const { own, children } = split(decisions, actor, journal);
  const problems: { callId: string; problem: string }[] = [];
  for (const child of children) {
    const found = await child.actor.read();
    const refused = await problemsIn(resolveTree(child.actor, found, { decisions: child.decisions, by }));
    problems.push(...refused.map(({ callId, problem }) => ({ callId: `${child.call.id}/${callId}`, problem })));
  }
  const deciding = { turn, stateOf, threadId, tools, hidden, gate, agent, at: now(), by, language };
  const resolved = children.length > 0 && Object.keys(own).length === 0 ? [] : resolveDecisions(own, deciding);
  if (problems.length === 0) return { own: await resolved, children };
  problems.push(...(await problemsIn(Promise.resolve(resolved))));
  throw new UndangleError("decision/refused", { problems, language });
}

/** Divides decisions by the thread of their calls. An id of a child starts with the id of the call that the child runs. */
function split(
  decisions: unknown,
  { threadId, setup }: ThreadActor,
  journal: ThreadJournal,
): { readonly own: Decisions; readonly children: readonly DecisionsForChild[] } {
  if (!isRecord(decisions)) return { own: decisions as Decisions, children: [] }; // `resolveDecisions` refuses it
  const own: Record<string, unknown> = {};
  const children = new Map<string, { call: LedgerCall; actor: ThreadActor; decisions: Record<string, unknown> }>();
  for (const [id, decision] of Object.entries(decisions)) {
    const at = id.indexOf("/");
    const call = at === -1 ? undefined : journal.ledger().turn?.calls.find((each) => each.id === id.slice(0, at));
    const actor = call === undefined ? undefined : childOf(call, threadId, setup);
    if (call === undefined || actor === undefined) {
      own[id] = decision; // also the id of an unknown child, which is refused
      continue;
    }
    const child = children.get(call.id) ?? { call, actor, decisions: {} };
    child.decisions[id.slice(at + 1)] = decision;
    children.set(call.id, child);
  }
  return { own: own as Decisions, children: [...children.values()] as readonly DecisionsForChild[] }; // checked by `resolveDecisions`
}

async function problemsIn(
  checking: Promise<unknown>,
): Promise<readonly { readonly callId: string; readonly problem: string }[]> {
  try {
    await checking;
    return [];
  } catch (error) {
    if (error instanceof UndangleError && error.is("decision/refused")) return error.data.problems;
    throw error;
  }
}

/** The pending calls of a thread and of its children, also of those that run. */
export async function pendingInTree(actor: ThreadActor, journal: ThreadJournal): Promise<readonly PendingCall[]> {
  const { threadId, setup } = actor;
  const calls = journal.ledger().turn?.calls ?? [];
  const running = calls.filter(({ state }) => state === "running");
  const inRunning = await Promise.all(
    running.map(async (call) => {
      const child = childOf(call, threadId, setup);
      const pending = child === undefined ? [] : await pendingInTree(child, await child.read());
      const given = call.child?.decisions ?? []; // the child may not have them yet
      return pending
        .filter(({ id }) => !given.some((each) => Object.hasOwn(each.decisions, id)))
        .map((each) => fromChild(call, each));
    }),
  );
  return [...pendingCalls(calls, setup.now()), ...inRunning.flat()];
}
