import { isDeepStrictEqual } from "node:util";

import { emptyLedger, step } from "#engine";
import type { Ledger, LedgerAction, LedgerEvent } from "#engine";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { isSettled } from "../../src/engine/ledger/call.ts";
import type { LedgerCall } from "../../src/engine/ledger/call.ts";
import type { Entry, Recorded } from "../../src/engine/ledger/entry.ts";
import { importEndingOf, notRetracted } from "../../src/engine/ledger/recorded.ts";
import { project } from "../../src/engine/ledger/project.ts";
import { nextOf } from "../../src/engine/ledger/step.ts";
import { headOf, ledgerOf } from "../../src/engine/journal/thread-head.ts";
import type { StoredJournal } from "../../src/engine/journal/thread-journal.ts";
import { refusals } from "./all-formats.ts";
import { eventOf, moves } from "./random-events.ts";
import type { Move } from "./random-events.ts";

/** What a store has of a thread. */
interface Rows {
  readonly entries: readonly Entry[];
  readonly calls: ReadonlyMap<string, { readonly call: LedgerCall; readonly entry: number; readonly place: number }>;
}

/** A thread between two events. */
interface Instant {
  readonly ledger: Ledger;
  readonly rows: Rows;
}

/** One event, and what it did; an event that is refused does nothing. */
interface Transition {
  readonly before: Instant;
  readonly event: LedgerEvent;
  readonly after: Instant;
  readonly actions: readonly LedgerAction[];
  readonly isRefused: boolean;
}

const nothing: Instant = { ledger: emptyLedger, rows: { entries: [], calls: new Map() } };

/** Everything that happens to a thread by these moves. */
function* history(given: readonly Move[]): Generator<Transition, void, undefined> {
  let before = nothing;
  for (const move of given) {
    const event = withEnding(eventOf(move, before.ledger), before.rows);
    const taken = attempt(before.ledger, event);
    if (taken === undefined) {
      yield { before, event, after: before, actions: [], isRefused: true };
      continue;
    }
    const [ledger, actions] = taken;
    const after = { ledger, rows: saved(before.rows, actions) };
    yield { before, event, after, actions, isRefused: false };
    before = after;
  }
}

/** What changes which answers stand, with the calls at the end of an import that it leaves there. */
function withEnding(event: LedgerEvent, rows: Rows): LedgerEvent {
  if (event.type !== "retract" && event.type !== "restore") return event;
  const { at } = event;
  const entry: Entry =
    event.type === "retract"
      ? { type: event.type, from: event.from, at }
      : { type: event.type, retraction: event.retraction, at };
  return { ...event, ending: importEndingOf([...recordedOf(rows), { entry, calls: [] }]) };
}

/** A step; undefined when it is refused, as some reckless moves are. */
function attempt(ledger: Ledger, event: LedgerEvent): ReturnType<typeof step> | undefined {
  try {
    return step(ledger, event);
  } catch {
    return undefined; // nothing has happened then, and the laws are asked again
  }
}

function saved({ entries, calls }: Rows, actions: readonly LedgerAction[]): Rows {
  const rows = { entries: [...entries], calls: new Map(calls) };
  for (const action of actions) {
    if (action.type === "append") rows.entries.push(action.entry);
    if (action.type === "save") rows.calls.set(action.call.id, action);
  }
  return rows;
}

function recordedOf({ entries, calls }: Rows): readonly Recorded[] {
  return entries.map((entry, i) => ({
    entry,
    calls: [...calls.values()]
      .filter((row) => row.entry === i)
      .toSorted((a, b) => a.place - b.place)
      .map(({ call }) => call),
  }));
}

/** What a law finds wrong with a transition; nothing when it holds. */
type Law = (transition: Transition) => readonly unknown[];

/** The first breach of a law in many random threads, with the moves that lead to it; undefined when there is none. */
function breachOf(law: Law, numRuns = 300): string | undefined {
  const property = fc.property(moves, (given) => {
    for (const transition of history(given)) {
      const [wrong] = law(transition);
      if (wrong !== undefined) throw new Error(`${transition.event.type}: ${JSON.stringify(wrong)}`);
    }
  });
  const found = fc.check(property, process.env["FUZZ"] ? {} : { numRuns });
  return found.failed ? `${String(found.errorInstance)}\n${fc.stringify(found.counterexample)}` : undefined;
}

const callsIn = ({ calls }: Rows): readonly LedgerCall[] => [...calls.values()].map(({ call }) => call);

/** The calls that an event has changed, as they were and as they are. */
function changes({ before, after }: Transition): readonly (readonly [LedgerCall, LedgerCall])[] {
  return callsIn(before.rows).flatMap((earlier) => {
    const call = after.rows.calls.get(earlier.id)?.call ?? earlier;
    return call === earlier ? [] : [[earlier, call] as const];
  });
}

/** True for a call without a result at the end of an import, once it is known that the user spoke next. */
function isSuperseded(earlier: LedgerCall, call: LedgerCall): boolean {
  const outcome = (cause: "interrupted" | "superseded") => ({ type: "notice" as const, cause });
  return (
    isDeepStrictEqual(earlier.outcome, outcome("interrupted")) &&
    isDeepStrictEqual(call, { ...earlier, outcome: outcome("superseded") })
  );
}

describe("whatever happens to a thread,", () => {
  test("no call that is settled ever changes, but for one at the end of an import before a message of the user", () => {
    const law: Law = (transition) =>
      changes(transition).filter(([earlier, call]) => isSettled(earlier) && !isSuperseded(earlier, call));
    expect(breachOf(law)).toBeUndefined();
  });

  test("a call has an outcome exactly when it is settled", () => {
    const law: Law = ({ after }) =>
      callsIn(after.rows).filter((call) => (call.outcome !== undefined) !== isSettled(call));
    expect(breachOf(law)).toBeUndefined();
  });

  test("only the last answer has open calls, and the ledger knows them as the rows do", () => {
    const law: Law = ({ after: { ledger, rows } }) => {
      const open = [...rows.calls.values()].filter(({ call }) => !isSettled(call));
      return [
        ...open.filter(({ entry }) => entry !== rows.entries.length - 1 || ledger.turn?.entry !== entry),
        ...(ledger.turn?.calls ?? []).filter((call) => rows.calls.get(call.id)?.call !== call),
        ...(ledger.turn !== undefined && open.length === 0 ? ["an open turn without an open call"] : []),
      ];
    };
    expect(breachOf(law)).toBeUndefined();
  });

  test("entries are only added, and counted", () => {
    const law: Law = ({ before, after: { ledger, rows } }) => [
      ...before.rows.entries.filter((entry, i) => rows.entries[i] !== entry),
      ...(ledger.entries === rows.entries.length ? [] : ["entries are not counted"]),
      ...(ledger.calls === rows.calls.size ? [] : ["calls are not counted"]),
    ];
    expect(breachOf(law)).toBeUndefined();
  });

  test("nothing that was said is lost, but for what was taken back", () => {
    const law: Law = ({ before, event, after, isRefused }) => {
      const kept = new Set<Entry>([...after.rows.entries, ...after.ledger.queue]);
      const isSaid = event.type === "say" || event.type === "queue" || event.type === "answer";
      const said: readonly Entry[] = isSaid && !isRefused ? [event.entry] : [];
      const withdrawn = event.type === "withdraw" ? event.entry : undefined;
      return [...before.ledger.queue, ...said].filter((entry) => !kept.has(entry) && entry !== withdrawn);
    };
    expect(breachOf(law)).toBeUndefined();
  });

  test("a call moves to the right only: nothing runs that is not ready, and nothing is decided twice", () => {
    const law: Law = (transition) =>
      changes(transition).filter(([earlier, call]) => {
        const { event } = transition;
        const isDecided = call.decision !== earlier.decision;
        const isEdited = call.raw !== earlier.raw || call.name !== earlier.name;
        const hasEnded = ["succeeded", "failed", "timed-out"].includes(call.state);
        const isTakenBack = event.type === "reclaim" && !event.hasBegun;
        const more = call.attempts - earlier.attempts;
        const isForChild = event.type === "track-child" || event.type === "receive";
        if (isForChild || (event.type === "resume" && earlier.state === "running"))
          return earlier.state !== call.state || isDecided || isEdited || more !== 0;
        if (event.type === "hand-on")
          return earlier.state !== "running" || call.state !== "running" || isDecided || more !== 0;
        return (
          (call.state === "running" && !["proposed", "approved"].includes(earlier.state)) ||
          (isDecided && earlier.state !== "awaiting") ||
          (isEdited && call.decision?.type !== "edit") ||
          (hasEnded && !isDecided && earlier.state !== "running") ||
          more !== (isTakenBack ? -1 : call.state === "running" ? 1 : 0)
        );
      });
    expect(breachOf(law)).toBeUndefined();
  });

  test("a call whose tool has begun is never told as one that was not executed, and the other way round", () => {
    const unknown = ["stopped-running", "crashed", "timed-out"];
    const law: Law = ({ after }) =>
      callsIn(after.rows).filter(({ outcome, state, attempts }) => {
        if (outcome?.type !== "notice" || state === "failed") return false;
        return unknown.includes(outcome.cause) !== attempts > 0;
      });
    expect(breachOf(law)).toBeUndefined();
  });

  test("a decision touches no sibling", () => {
    const law: Law = (transition) => {
      const { event } = transition;
      if (event.type !== "decide") return [];
      const decided = new Set(event.decisions.map(({ id }) => id));
      return changes(transition).filter(([earlier, call]) => !decided.has(earlier.id) && !isSuperseded(earlier, call));
    };
    expect(breachOf(law)).toBeUndefined();
  });

  test("only decisions allow something, once; only what revokes it takes it back; and nothing waits that is allowed", () => {
    const law: Law = ({ before, event, after: { ledger, rows } }) => {
      const added = ledger.allowed.filter((each) => !before.ledger.allowed.includes(each));
      const gone = before.ledger.allowed.filter((each) => !ledger.allowed.includes(each));
      const asked = event.type === "decide" ? event.decisions.flatMap(({ always }) => always ?? []) : [];
      const mayAdd = asked.filter(({ scope }) => scope === "thread").map(({ allowance }) => allowance);
      return [
        ...added.filter((each) => !mayAdd.includes(each)),
        ...gone.filter(({ id }) => event.type !== "revoke" || !event.ids.includes(id)),
        ...ledger.allowed.filter(
          (each, i, all) => all.findIndex(({ tool, digest }) => tool === each.tool && digest === each.digest) !== i,
        ),
        ...callsIn(rows).filter(({ state, gate, allowance }) => state === "awaiting" && (allowance ?? !gate)),
      ];
    };
    expect(breachOf(law)).toBeUndefined();
  });

  test("a call waits in its child thread only after it has started, and starts again only as itself", () => {
    const law: Law = (transition) =>
      changes(transition).filter(([earlier, call]) => {
        const isResumed = earlier.state === "delegated" && call.outcome === undefined;
        return (
          (call.state === "delegated" && (earlier.state !== "running" || call.child?.pending === undefined)) ||
          (isResumed && (call.state !== "approved" || call.child?.thread !== earlier.child?.thread)) ||
          (call.outcome !== undefined && call.child?.pending !== undefined)
        );
      });
    expect(breachOf(law)).toBeUndefined();
  });

  test("decisions for a child thread stay with an open call until the child has them", () => {
    const decisionsOf = ({ child }: LedgerCall): readonly unknown[] => child?.decisions ?? [];
    const law: Law = (transition) =>
      changes(transition).filter(
        ([earlier, call]) =>
          (call.state === "delegated" && decisionsOf(call).length > 0) ||
          (call.outcome === undefined &&
            transition.event.type !== "receive" &&
            decisionsOf(earlier).some((each) => !decisionsOf(call).includes(each))),
      );
    expect(breachOf(law)).toBeUndefined();
  });

  test("what child threads use is counted once", () => {
    const law: Law = ({ before, event, after }) => {
      if (event.type !== "track-child") return [];
      const used = (rows: typeof after.rows): number =>
        callsIn(rows).reduce((sum, { child }) => sum + (child?.usage.totalTokens ?? 0), 0);
      const more = after.ledger.usage.totalTokens - before.ledger.usage.totalTokens;
      return more === used(after.rows) - used(before.rows) ? [] : [more];
    };
    expect(breachOf(law)).toBeUndefined();
  });

  test("what comes next is possible", () => {
    const law: Law = ({ after: { ledger } }) => {
      const next = nextOf(ledger);
      const states = (ledger.turn?.calls ?? []).map(({ state }) => state);
      const isPossible = {
        ask: states.length === 0,
        rest: states.length === 0,
        wait: states.includes("awaiting") || states.includes("delegated"),
        call: states.some((state) => state === "proposed" || state === "approved" || state === "running"),
      };
      return isPossible[next] ? [] : [`${next} with ${states.join()}`];
    };
    expect(breachOf(law)).toBeUndefined();
  });

  test("the saved rows give the same ledger back", () => {
    const law: Law = ({ after: { ledger, rows } }) => {
      const head = headOf(ledger, { epoch: 1, owner: "me", title: undefined });
      const about = { id: "t", version: 1, entries: 0, lastEvent: 0, createdAt: 1, updatedAt: 1, deletedAt: undefined };
      const recorded = recordedOf(rows);
      const stored = JSON.parse(JSON.stringify({ head: { ...about, ...head }, recorded })) as StoredJournal; // what was written there
      const read = ledgerOf(stored);
      return isDeepStrictEqual(asJson(read), asJson(ledger)) ? [] : [read];
    };
    expect(breachOf(law)).toBeUndefined();
  });

  test("its history is healthy in every format, at every instant", () => {
    const known = new Set<string>();
    const law: Law = ({ after: { rows } }) => {
      const messages = notRetracted(recordedOf(rows)).flatMap((each) =>
        project(each, { language: "en", longestResult: 200 }),
      );
      const text = JSON.stringify(messages);
      if (messages.length === 0 || known.has(text)) return [];
      const wrong = refusals({ messages });
      if (wrong.length === 0) known.add(text);
      return wrong;
    };
    expect(breachOf(law, 25)).toBeUndefined();
  });
});

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
