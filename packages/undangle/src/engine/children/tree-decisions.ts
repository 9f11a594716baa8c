import { copyJson, isRecord, UndangleError } from "#core";
import type { Language } from "#core";

import { decisionTexts } from "../approvals/decision-texts.ts";
import { acceptedBy, resolveDecisions } from "../approvals/decisions.ts";
import type { Decision, Decisions } from "../approvals/decisions.ts";
import type { PendingCall } from "../events.ts";
import type { ThreadJournal } from "../journal/thread-journal.ts";
import type { CallState, ChildDecisions, LedgerCall, StoredDecision } from "../ledger/call.ts";
import type { AppliedDecision } from "../ledger/ledger.ts";
import type { ThreadActor } from "../thread/thread-actor.ts";
import { ConvertedResult } from "../tool-result.ts";
import { fromChild, isDecidedInChild, pendingCalls } from "../views/call-view.ts";
import { childOf, readChild } from "./child-thread.ts";

/** Valid decisions about calls of a thread and of its children. */
export interface TreeDecisions {
  readonly own: readonly AppliedDecision[];
  readonly children: readonly DecisionsForChild[];
}

/** Decisions for the child thread of a call, by the ids of the child. */
export interface DecisionsForChild {
  readonly call: LedgerCall;
  readonly decisions: Readonly<Record<string, StoredDecision>>;
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
  const { own, given } = split(decisions, journal);
  const problems: { callId: string; problem: string }[] = [];
  const children: DecisionsForChild[] = [];
  for (const { call, decisions: forChild } of given) {
    const checked = await resolveChild(actor, call, { decisions: forChild, by });
    if (!("problems" in checked)) children.push(checked);
    else problems.push(...checked.problems.map(({ callId, problem }) => ({ callId: `${call.id}/${callId}`, problem })));
  }
  const deciding = { turn, stateOf, threadId, tools, hidden, gate, agent, at: now(), by, language };
  const resolved = given.length > 0 && Object.keys(own).length === 0 ? [] : resolveDecisions(own, deciding);
  if (problems.length === 0) return { own: await resolved, children };
  const ofOwn = await outcomeOf(Promise.resolve(resolved));
  throw new UndangleError("decision/refused", {
    problems: [...problems, ...("problems" in ofOwn ? ofOwn.problems : [])],
    language,
  });
}

type Problems = { readonly problems: readonly { readonly callId: string; readonly problem: string }[] };

/** Checks decisions for the child thread of a call. */
async function resolveChild(
  { threadId, setup }: ThreadActor,
  call: LedgerCall,
  { decisions, by }: GivenDecisions & { readonly decisions: Readonly<Record<string, unknown>> },
): Promise<DecisionsForChild | Problems> {
  const decided = Object.keys(decisions).filter((id) => isDecidedInChild(call, id)); // the child has not received it
  if (decided.length > 0)
    return { problems: decided.map((callId) => ({ callId, problem: decisionTexts[setup.language].decided })) };
  const actor = childOf(call, threadId, setup);
  const child = actor === undefined ? undefined : await readChild(actor);
  if (actor === undefined || child === undefined) return resolveWithoutAgent(call, decisions, setup.language);
  const checked = await outcomeOf(resolveTree(actor, child, { decisions, by }));
  return "problems" in checked ? checked : { call, decisions: storedDecisions(decisions, checked.value) };
}

/** Its agent is gone: after a decision about a pending call, the call starts again, and fails. */
function resolveWithoutAgent(
  call: LedgerCall,
  decisions: Readonly<Record<string, unknown>>,
  language: Language,
): DecisionsForChild | Problems {
  const pending = call.child?.pending?.map(({ id }) => id) ?? [];
  const unknown = Object.keys(decisions).filter((id) => !pending.includes(id));
  if (unknown.length === 0) return { call, decisions: {} };
  return { problems: unknown.map((callId) => ({ callId, problem: decisionTexts[language].unknown(pending) })) };
}

/** Divides decisions by the thread of their calls. An id of a child starts with the id of the call that the child runs. */
function split(
  decisions: unknown,
  journal: ThreadJournal,
): {
  readonly own: Decisions;
  readonly given: readonly { readonly call: LedgerCall; readonly decisions: Readonly<Record<string, unknown>> }[];
} {
  if (!isRecord(decisions)) return { own: decisions as Decisions, given: [] }; // `resolveDecisions` refuses it
  const own: Record<string, unknown> = {};
  const children = new Map<string, { readonly call: LedgerCall; readonly decisions: Record<string, unknown> }>();
  for (const [id, decision] of Object.entries(decisions)) {
    const at = id.indexOf("/");
    const call = at === -1 ? undefined : journal.ledger().turn?.calls.find((each) => each.id === id.slice(0, at));
    if (call?.child === undefined || call.outcome !== undefined) {
      own[id] = decision; // also the id of an unknown child, which is refused
      continue;
    }
    const child = children.get(call.id) ?? { call, decisions: {} };
    child.decisions[id.slice(at + 1)] = decision;
    children.set(call.id, child);
  }
  return { own: own as Decisions, given: [...children.values()] }; // checked by `resolveDecisions`
}

/** Decisions as JSON that a call stores for its child: with the arguments and results that were checked. */
function storedDecisions(
  decisions: Readonly<Record<string, unknown>>,
  { own, children }: TreeDecisions,
): Readonly<Record<string, StoredDecision>> {
  const stored: Record<string, StoredDecision> = {};
  for (const { id, edited, outcome } of own) {
    const given = decisions[id] as Decision; // checked
    if (given.type === "respond") {
      if (outcome?.type !== "result") throw new Error(`The response to ${id} has no result.`);
      stored[id] = { type: "respond", outcome, digest: given.digest };
    } else if (given.type === "edit" && edited !== undefined)
      stored[id] = {
        ...copyJson({ ...given, arguments: {} }),
        arguments: JSON.parse(edited.raw) as Record<string, unknown>,
      };
    else stored[id] = copyJson(given);
  }
  for (const { call, decisions: ofChild } of children)
    for (const [id, decision] of Object.entries(ofChild)) stored[`${call.id}/${id}`] = decision;
  return stored;
}

/** Stored decisions, for `decide`. */
export const givenDecisions = ({ decisions }: ChildDecisions): readonly (readonly [id: string, Decision])[] =>
  Object.entries(decisions).map(([id, decision]) => {
    if (decision.type !== "respond") return [id, decision];
    const { type, digest, outcome } = decision;
    return [id, { type, digest, result: new ConvertedResult(outcome) }];
  });

/** The value of a check, or the problems of refused decisions. */
async function outcomeOf<Value>(checking: Promise<Value>): Promise<{ readonly value: Value } | Problems> {
  try {
    return { value: await checking };
  } catch (error) {
    if (error instanceof UndangleError && error.is("decision/refused")) return error.data;
    throw error;
  }
}

/** The pending calls of a thread and of its children, also of those that run, with the decisions that are accepted now. */
export async function pendingInTree(actor: ThreadActor, journal: ThreadJournal): Promise<readonly PendingCall[]> {
  const { threadId, setup } = actor;
  const calls = journal.ledger().turn?.calls ?? [];
  const running = calls.filter(({ state }) => state === "running");
  const inRunning = await Promise.all(
    running.map(async (call) => {
      const child = childOf(call, threadId, setup);
      const pending = child === undefined ? [] : await pendingInTree(child, await child.read());
      return pending.filter(({ id }) => !isDecidedInChild(call, id)).map((each) => fromChild(call, each));
    }),
  );
  /**
   * The call with the decisions that are accepted now. An agent without the sub-agent cannot run its calls. That of a
   * deeper child is known by its name, which starts with those of its parents.
   */
  const shown = (pending: PendingCall): PendingCall => {
    const [first, ...rest] = pending.id.split("/");
    if (rest.length === 0) return acceptedBy(setup.name, pending);
    const call = calls.find(({ id }) => id === first);
    const child = call === undefined ? undefined : childOf(call, threadId, setup);
    const isDeeper =
      child !== undefined && rest.length > 1 && pending.agent?.startsWith(`${child.setup.name}/`) === true;
    return acceptedBy(isDeeper ? pending.agent : child?.setup.name, pending);
  };
  return [...pendingCalls(calls, setup.now()).map(shown), ...inRunning.flat()];
}
