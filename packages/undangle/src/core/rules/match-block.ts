import type { Means } from "../dialect.ts";
import type { Call, Entry, ResultEntry } from "../history.ts";
import { shorten } from "./describe.ts";
import { createTaker } from "./taker.ts";
import type { Turn } from "./turns.ts";

export interface Placed {
  readonly result: ResultEntry;
  readonly index: number;
}

const none: readonly Placed[] = [];

/** Matches the results of a block by id; duplicate ids are matched in order. Returns unmatched results. */
export function matchBlock(
  entries: readonly Entry[],
  turn: Turn,
  { extras, means }: { readonly extras: Map<Call, ResultEntry[]>; readonly means: Means },
): readonly Placed[] {
  const lookUp = createLookUp(turn.calls);
  let unmatched: Placed[] | undefined;
  for (let index = turn.end; index < turn.blockEnd; index++) {
    const result = entries[index];
    if (result?.role !== "result") continue;
    const call = result.id === "" ? undefined : lookUp(result.id);
    if (call === undefined) (unmatched ??= []).push({ result, index });
    else if (call.result === undefined) call.result = result;
    else {
      turn.edited = true;
      const others = extras.get(call);
      if (others === undefined) extras.set(call, [result]);
      else others.push(result);
    }
  }
  dropCopies(turn, means);
  return unmatched ?? none;
}

/** Finds the first call with an id and no result, or the last one if all have results. */
function createLookUp(calls: readonly Call[]): (id: string) => Call | undefined {
  if (calls.length <= 8)
    return (id) => calls.find((call) => call.id === id && !call.result) ?? calls.findLast((call) => call.id === id);
  const byId = new Map<string, { readonly calls: Call[]; next: number }>();
  for (const call of calls) {
    const same = byId.get(call.id);
    if (same === undefined) byId.set(call.id, { calls: [call], next: 0 });
    else same.calls.push(call);
  }
  return (id) => {
    const same = byId.get(id);
    return same?.calls[Math.min(same.next++, same.calls.length - 1)];
  };
}

/** Matches calls without an id to the remaining results of their turn, in order. */
export function matchNameless(turn: Turn, unmatched: readonly Placed[]): readonly Placed[] {
  if (unmatched.length === 0) return unmatched;
  const nameless = turn.calls.filter((call) => call.id === "");
  if (nameless.length === 0) return unmatched;
  const take = createTaker(nameless);
  return unmatched.filter(({ result }) => {
    const call = take(result.name);
    if (call !== undefined) call.result = result;
    return call === undefined;
  });
}

/** Removes an identical copy of a call without a result of its own. */
function dropCopies(turn: Turn, { dialect, journal }: Means): void {
  const copies = copiesIn(turn.calls);
  if (copies.size === 0) return;
  for (const assistant of turn.assistants) {
    for (const call of assistant.calls) {
      if (!copies.has(call)) continue;
      const from = dialect.from(assistant, call);
      const message = `The call ${shorten(call.id)} appears twice in the same turn.`;
      const finding = { rule: "duplicate-call-id" as const, from, message, callId: call.id };
      journal.report(finding, { type: "remove" });
      assistant.fresh = true;
    }
    assistant.calls = assistant.calls.filter((call) => !copies.has(call));
  }
  turn.calls = turn.calls.filter((call) => !copies.has(call));
  turn.edited = true;
}

const noCopies: ReadonlySet<Call> = new Set([]);

function copiesIn(calls: readonly Call[]): ReadonlySet<Call> {
  if (calls.length < 2) return noCopies;
  const first = new Map<string, Call>();
  const copies = new Set<Call>();
  for (const call of calls) {
    const same = first.get(call.id);
    if (same === undefined) first.set(call.id, call);
    else if (call.id !== "" && call.result === undefined && isCopy(call, same)) copies.add(call);
  }
  return copies;
}

function isCopy(a: Call, b: Call): boolean {
  return a.name === b.name && JSON.stringify(a.arguments) === JSON.stringify(b.arguments);
}
