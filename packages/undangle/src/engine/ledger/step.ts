import type { FileChange } from "#store";

import { withAllowances, nextNumber, isReady, isSettled, isWaiting, present, withoutPending } from "./call.ts";
import type { ChildDecisions, LedgerCall, SettledState } from "./call.ts";
import type { PendingCall } from "../events.ts";
import type { InputEntry } from "./entry.ts";
import { noUsage } from "./ledger.ts";
import type {
  AppliedDecision,
  Closing,
  EndedCall,
  Ledger,
  LedgerAction,
  LedgerEvent,
  LedgerRun,
  Next,
  OpenTurn,
  ParentCall,
  ResumedCall,
  Usage,
} from "./ledger.ts";
import { importEndingOf, isInputOrTurn, supersede, notRetracted } from "./recorded.ts";

/**
 * One transition: the next state of a thread and the effects. It never leaves an open call before an entry, and never
 * changes a settled call, except the unanswered calls of an imported history, whose cause the next user message
 * decides.
 */
export function step(ledger: Ledger, event: LedgerEvent): readonly [Ledger, readonly LedgerAction[]] {
  const actions: LedgerAction[] = [];
  return [settleTurn(moved(ledger, event, actions), event, actions), actions];
}

/** The next action of a thread, derived from its state. */
export function nextOf({ turn, isAsking }: Ledger): Next {
  if (turn === undefined) return isAsking ? "ask" : "rest";
  return turn.calls.every((call) => isSettled(call) || isWaiting(call)) ? "wait" : "call";
}

function moved(ledger: Ledger, event: LedgerEvent, actions: LedgerAction[]): Ledger {
  switch (event.type) {
    case "begin":
      return {
        ...ledger,
        key: ledger.key || event.run,
        run: { id: event.run, at: event.at, steps: 0, calls: 0, usage: noUsage, faulty: 0 },
        mode: event.mode ?? ledger.mode,
        isOwing: false,
      };
    case "say":
      if (ledger.turn !== undefined) throw new Error("A message was added between calls and their results.");
      return withMessages(ledger, [...ledger.queue, event.entry], actions);
    case "queue":
      return { ...ledger, queue: [...ledger.queue, event.entry] };
    case "withdraw":
      if (event.last !== undefined) return { ...ledger, entries: ledger.entries - 1, ...event.last };
      return { ...ledger, queue: ledger.queue.filter((each) => each !== event.entry) };
    case "answer":
      return withTurn(ledger, event, actions);
    case "start":
      return withRun(
        changed(ledger, actions, (call) => (event.ids.includes(call.id) ? started(call, event.at) : call)),
        (run) => ({ ...run, calls: run.calls + newIn(ledger, event.ids) }),
      );
    case "hand-on":
      return changed(ledger, actions, (call) => (call.id === event.id ? substituted(call, event) : call));
    case "end":
      return ended(ledger, event.calls, actions);
    case "gate":
      return changed(ledger, actions, (call) => (call.state === "proposed" ? gated(call, event) : call));
    case "decide": {
      const decisions = new Map(event.decisions.map((each) => [each.id, each]));
      const decide = (call: LedgerCall): LedgerCall => {
        const decision = decisions.get(call.id);
        return decision === undefined ? call : decided(call, decision);
      };
      return allowing(changed(ledger, actions, decide), event.decisions);
    }
    case "revoke":
      return { ...ledger, allowed: ledger.allowed.filter(({ id }) => !event.ids.includes(id)) };
    case "close":
      return changed(ledger, actions, (call) => (event.ids?.includes(call.id) === false ? call : closed(call, event)));
    case "reclaim":
      return changed(ledger, actions, (call) =>
        call.state === "running" && event.ids.includes(call.id) ? reclaimed(call, event.hasBegun) : call,
      );
    case "track-child":
      return tracked(ledger, event, actions);
    case "delegate": {
      const pending = new Map(event.calls.map((each) => [each.id, each.pending]));
      return changed(ledger, actions, (call) => delegated(call, pending.get(call.id)));
    }
    case "resume": {
      const given = new Map(event.calls.map((each) => [each.id, each]));
      return changed(ledger, actions, (call) => resumed(call, given.get(call.id)));
    }
    case "receive":
      return changed(ledger, actions, (call) => (call.id === event.id ? received(call, event.given) : call));
    case "nest":
      return { ...ledger, parent: { ...event.parent, deleted: [] } };
    case "import":
      return imported(ledger, event, actions);
    case "retract": {
      if (ledger.turn !== undefined) throw new Error("Something was retracted whose calls have no results yet.");
      const { type, from, ending, at } = event;
      actions.push({ type: "append", entry: { type, from, at } });
      return { ...ledger, entries: ledger.entries + 1, isAsking: true, ending };
    }
    case "restore": {
      if (ledger.turn !== undefined) throw new Error("Something was restored between calls and their results.");
      const { type, retraction, at, isAsking, ending } = event;
      actions.push({ type: "append", entry: { type, retraction, at } });
      return { ...ledger, entries: ledger.entries + 1, isAsking, ending };
    }
    case "remember":
      return { ...ledger, state: remembered(ledger.state, event.values) };
    case "spend":
      return spent(ledger, event.usage);
    case "write-files":
      actions.push(event);
      return ledger.parent === undefined ? ledger : { ...ledger, parent: withDeleted(ledger.parent, event.changes) };
    case "describe":
      return { ...ledger, meta: described(ledger.meta, event.meta) };
    case "finish":
      return { ...ledger, run: undefined, isOwing: event.isOwing ?? false };
  }
}

/** Merges metadata. Null removes a key. */
const described = (meta: Ledger["meta"], changes: Ledger["meta"]): Ledger["meta"] =>
  Object.fromEntries(Object.entries({ ...meta, ...changes }).filter(([, value]) => value !== null));

function withMessages(ledger: Ledger, entries: readonly InputEntry[], actions: LedgerAction[]): Ledger {
  supersede(ledger.ending, actions);
  for (const entry of entries) actions.push({ type: "append", entry });
  return { ...ledger, entries: ledger.entries + entries.length, isAsking: true, queue: [], ending: undefined };
}

function imported(
  ledger: Ledger,
  { recorded, state = {}, queue = [], mode = ledger.mode }: Extract<LedgerEvent, { type: "import" }>,
  actions: LedgerAction[],
): Ledger {
  if (ledger.turn !== undefined) throw new Error("A history was imported between calls and their results.");
  const firstMessage = recorded.find(isInputOrTurn);
  if (firstMessage?.entry.type === "input") supersede(ledger.ending, actions);
  recorded.forEach(({ entry, calls }, i) => {
    actions.push({ type: "append", entry });
    calls.forEach((call, place) => actions.push({ type: "save", call, entry: ledger.entries + i, place }));
  });
  const last = recorded.at(-1);
  const isOpen = last?.calls.every(isSettled) === false;
  const speaker = notRetracted(recorded).findLast(isInputOrTurn);
  return {
    ...ledger,
    entries: ledger.entries + recorded.length,
    calls: nextNumber(
      ledger.calls,
      recorded.flatMap(({ calls }) => calls.map(({ id }) => id)),
    ),
    turn: isOpen ? { entry: ledger.entries + recorded.length - 1, calls: last.calls } : undefined,
    ending: firstMessage === undefined ? ledger.ending : importEndingOf(recorded, ledger.entries),
    isAsking: !isOpen && (speaker?.entry.type === "input" || (speaker?.calls.length ?? 0) > 0),
    state: { ...ledger.state, ...state },
    mode,
    queue: [...ledger.queue, ...queue], // added at once if there are no open calls
  };
}

function withTurn(
  ledger: Ledger,
  { entry, calls: given, usage }: Extract<LedgerEvent, { type: "answer" }>,
  actions: LedgerAction[],
): Ledger {
  if (ledger.turn !== undefined) throw new Error("The model responded before its calls had results.");
  const calls = given.map((call) => (isSettled(call) ? { ...call, endedAt: entry.at } : call));
  const turn = { entry: ledger.entries, calls };
  actions.push({ type: "append", entry });
  calls.forEach((call, place) => actions.push({ type: "save", call, entry: turn.entry, place }));
  const isFaulty = calls.length > 0 && calls.every(({ state }) => state === "failed");
  const next = {
    ...ledger,
    entries: ledger.entries + 1,
    calls: nextNumber(
      ledger.calls,
      calls.map(({ id }) => id), // a stream may have started calls that were discarded
    ),
    turn: calls.length > 0 ? turn : undefined,
    ending: undefined,
    isAsking: false,
    usage: sum(ledger.usage, usage),
  };
  return withRun(next, (run) => ({
    ...run,
    steps: run.steps + 1,
    usage: sum(run.usage, usage),
    faulty: isFaulty ? run.faulty + 1 : 0,
  }));
}

function ended(ledger: Ledger, ends: readonly EndedCall[], actions: LedgerAction[]): Ledger {
  const byId = new Map(ends.map((end) => [end.id, end]));
  return changed(ledger, actions, (call) => {
    const end = call.state === "running" ? byId.get(call.id) : undefined;
    return end === undefined
      ? call
      : { ...withoutPending(call), state: end.state, outcome: end.outcome, endedAt: end.at };
  });
}

/** How many of these calls start for the first time. A call with a child thread starts again after each wait. */
const newIn = ({ turn }: Ledger, ids: readonly string[]): number =>
  turn?.calls.filter(({ id, child }) => child === undefined && ids.includes(id)).length ?? 0;

/** Adds what a child thread has used since it was last counted. */
function tracked(
  ledger: Ledger,
  { id, thread, usage }: Extract<LedgerEvent, { type: "track-child" }>,
  actions: LedgerAction[],
): Ledger {
  const before = ledger.turn?.calls.find((call) => call.id === id && !isSettled(call));
  if (before === undefined) return ledger;
  const more = difference(usage, before.child?.usage ?? noUsage);
  const next = changed(ledger, actions, (call) =>
    call.id === id ? { ...call, child: { ...call.child, thread, usage } } : call,
  );
  return spent(next, more);
}

/** Adds usage to the run and the thread. */
const spent = (ledger: Ledger, usage: Usage): Ledger =>
  withRun({ ...ledger, usage: sum(ledger.usage, usage) }, (run) => ({ ...run, usage: sum(run.usage, usage) }));

function delegated(call: LedgerCall, pending: readonly PendingCall[] | undefined): LedgerCall {
  if (pending === undefined) return call;
  if (call.state !== "running" || call.child === undefined)
    throw new Error(`The call ${call.id} cannot wait for a child thread: it is ${call.state}.`);
  const isDecided = call.child.decisions !== undefined; // since the child was last read
  return { ...call, state: isDecided ? "approved" : "delegated", child: { ...call.child, pending } };
}

/** A call whose child thread continues. More decisions may follow before it has them. */
function resumed(call: LedgerCall, given: ResumedCall | undefined): LedgerCall {
  if (given === undefined || call.child === undefined) return call;
  const isRunning = call.state === "running";
  if (call.state !== "delegated" && !isRunning && !isReady(call))
    throw new Error(`The call ${call.id} cannot be resumed: it is ${call.state}.`);
  const next: LedgerCall = isRunning ? call : { ...call, state: "approved" };
  const { decisions } = given;
  if (decisions === undefined) return next;
  return { ...next, child: { ...call.child, decisions: [...(call.child.decisions ?? []), decisions] } };
}

/** A call without decisions that its child thread has. */
function received(call: LedgerCall, given: ChildDecisions): LedgerCall {
  if (call.child === undefined) return call;
  const { decisions = [], pending = [], ...child } = call.child;
  const left = decisions.filter((each) => each !== given);
  const undecided = pending.filter(({ id }) => !Object.hasOwn(given.decisions, id));
  return { ...call, child: { ...child, pending: undecided, ...(left.length > 0 && { decisions: left }) } };
}

/** The files of the parent that a child does not see any more. */
function withDeleted(parent: ParentCall, changes: readonly FileChange[]): ParentCall {
  const deleted = new Set(parent.deleted);
  for (const { path, data } of changes) {
    if (data === null) deleted.add(path);
    else deleted.delete(path);
  }
  return { ...parent, deleted: [...deleted] };
}

/** The ledger after all calls of its turn are settled: the model gets their results, then the queued messages. */
function settleTurn(ledger: Ledger, event: LedgerEvent, actions: LedgerAction[]): Ledger {
  if (ledger.turn?.calls.every(isSettled) === false) return ledger;
  const next: Ledger = ledger.turn === undefined ? ledger : { ...ledger, turn: undefined, isAsking: true };
  // While the model responds, or something is only stored or retracted, nothing is interrupted.
  if (next.queue.length === 0 || quietEvents.has(event.type)) return next;
  return withMessages(next, next.queue, actions);
}

const quietEvents: ReadonlySet<LedgerEvent["type"]> = new Set([
  "queue",
  "withdraw",
  "remember",
  "spend",
  "revoke",
  "track-child",
  "receive",
  "write-files",
  "describe",
]);

/** Changes calls of the open turn, and saves those that differ. */
function changed(ledger: Ledger, actions: LedgerAction[], change: (call: LedgerCall) => LedgerCall): Ledger {
  const { turn } = ledger;
  if (turn === undefined) return ledger;
  let isSame = true;
  const calls = turn.calls.map((call, place) => {
    const next = isSettled(call) ? call : withoutDisplay(change(call));
    if (next === call) return call;
    isSame = false;
    actions.push({ type: "save", call: next, entry: turn.entry, place });
    return next;
  });
  return isSame ? ledger : { ...ledger, turn: { ...turn, calls } satisfies OpenTurn };
}

/** A call without what is shown to the person who decides, once it does not wait any more. It can be long. */
function withoutDisplay(call: LedgerCall): LedgerCall {
  if (call.state === "awaiting" || call.gate?.display === undefined) return call;
  const { display: _, ...gate } = call.gate;
  return { ...call, gate };
}

/** Sets keys of the state. Undefined removes a key. */
const remembered = (state: Ledger["state"], values: Ledger["state"]): Ledger["state"] =>
  Object.fromEntries(Object.entries({ ...state, ...values }).filter(([, value]) => value !== undefined));

function started(call: LedgerCall, at: number): LedgerCall {
  if (!isReady(call)) throw new Error(`The call ${call.id} cannot be started: it is ${call.state}.`);
  return { ...call, state: "running", attempts: call.attempts + 1, startedAt: call.startedAt ?? at };
}

/** A call that may start again. */
function reclaimed(call: LedgerCall, hasBegun: boolean): LedgerCall {
  if (hasBegun) return { ...call, state: "approved" };
  const { startedAt, ...rest } = call;
  const attempts = call.attempts - 1;
  return { ...rest, state: "approved", attempts, ...(attempts > 0 && present({ startedAt })) };
}

/** A call that runs as something other than proposed, or as proposed again. */
function substituted(
  call: LedgerCall,
  { name, raw, allowance }: Extract<LedgerEvent, { type: "hand-on" }>,
): LedgerCall {
  if (call.state !== "running") throw new Error(`The call ${call.id} cannot be handed on: it is ${call.state}.`);
  const { name: before, raw: text, allowance: by, ...rest } = call;
  const { proposed = { name: before, raw: text, ...present({ allowance: by }) }, ...others } = rest;
  const next = { ...others, name, raw, ...present({ allowance }) };
  return proposed.name === name && proposed.raw === raw ? next : { ...next, proposed };
}

/** A call without a decision: it waits, unless an allowance covers it. */
function gated(call: LedgerCall, { gates, allowances }: Extract<LedgerEvent, { type: "gate" }>): LedgerCall {
  const gate = gates.get(call.id);
  const allowance = allowances.get(call.id);
  if (gate !== undefined) {
    const { allowance: _revoked, ...rest } = call;
    return { ...rest, state: "awaiting", gate };
  }
  return allowance === undefined || allowance.id === call.allowance?.id ? call : { ...call, allowance };
}

/** Adds the allowances of decisions to the thread. */
function allowing(ledger: Ledger, decisions: readonly AppliedDecision[]): Ledger {
  const more = decisions.flatMap(({ always }) => (always?.scope === "thread" ? [always.allowance] : []));
  const allowed = withAllowances(ledger.allowed, more);
  return allowed === ledger.allowed ? ledger : { ...ledger, allowed };
}

function decided(call: LedgerCall, decision: AppliedDecision): LedgerCall {
  const { type, at, digest, by, reason, edited, outcome, always } = decision;
  if (call.state !== "awaiting") throw new Error(`The call ${call.id} cannot be decided: it is ${call.state}.`);
  const proposed = edited && { name: call.name, raw: call.raw };
  const allowed = always && { scope: always.scope, match: always.match };
  const record = { type, at, digest, ...present({ by, reason, proposed, always: allowed }) };
  const next: LedgerCall = { ...call, ...edited, decision: record };
  if (type === "reject") {
    const rejection = { type: "notice", cause: "rejected", ...present({ reason }) } as const;
    return { ...next, state: "rejected", outcome: rejection, endedAt: at };
  }
  return outcome === undefined ? { ...next, state: "approved" } : { ...next, state: "responded", outcome, endedAt: at };
}

/** The outcome of a closed call, by whether its tool was started, and its notice. */
const closings: Readonly<Record<Closing, (hasBegun: boolean) => readonly [SettledState, LedgerCause]>> = {
  superseded: (hasBegun) => (hasBegun ? ["stopped", "stopped-running"] : ["superseded", "superseded"]),
  expired: (hasBegun) => (hasBegun ? ["stopped", "stopped-running"] : ["expired", "expired"]),
  stopped: (hasBegun) => ["stopped", hasBegun ? "stopped-running" : "stopped"],
  limit: (hasBegun) => ["stopped", hasBegun ? "stopped-running" : "limit"],
  crashed: (hasBegun) => ["lost", hasBegun ? "crashed" : "interrupted"],
};

type LedgerCause = "superseded" | "expired" | "stopped" | "stopped-running" | "limit" | "crashed" | "interrupted";

function closed(call: LedgerCall, { how, at }: Extract<LedgerEvent, { type: "close" }>): LedgerCall {
  const hasBegun = call.attempts > 0; // its tool was started, in this process or in one that died
  const [state, cause] = closings[how](hasBegun);
  const isEndKnown = how !== "crashed" || !hasBegun;
  return { ...withoutPending(call), state, outcome: { type: "notice", cause }, ...(isEndKnown && { endedAt: at }) };
}

function withRun(ledger: Ledger, change: (run: LedgerRun) => LedgerRun): Ledger {
  return ledger.run === undefined ? ledger : { ...ledger, run: change(ledger.run) };
}

const difference = (one: Usage, other: Usage): Usage => ({
  inputTokens: one.inputTokens - other.inputTokens,
  outputTokens: one.outputTokens - other.outputTokens,
  totalTokens: one.totalTokens - other.totalTokens,
  cachedTokens: one.cachedTokens - other.cachedTokens,
});

const sum = (one: Usage, other: Usage): Usage => ({
  inputTokens: one.inputTokens + other.inputTokens,
  outputTokens: one.outputTokens + other.outputTokens,
  totalTokens: one.totalTokens + other.totalTokens,
  cachedTokens: one.cachedTokens + other.cachedTokens,
});
