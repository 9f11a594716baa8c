import type { Commit, Store, StoredCall, StoredEvent } from "#store";

import type { EventDraft, ToolCallEnd } from "../events.ts";
import { isSettled } from "../ledger/call.ts";
import type { LedgerCall } from "../ledger/call.ts";
import type { Session } from "../run/session.ts";
import { endView, pendingCalls } from "../views/call-view.ts";
import type { ThreadJournal } from "./thread-journal.ts";

/** Emits the ends of calls when they are saved. */
export function emitEnds({ journal, setup }: Pick<Session, "journal" | "setup">, ids: readonly string[]): void {
  for (const id of ids) {
    const call = journal.callOf(id);
    if (call !== undefined && isSettled(call))
      journal.events.emitOnSave({ type: "tool_call_end", data: endView(call, setup.language) });
  }
}

/** Emits the pending calls of the thread when they are saved, or those that one call waits for. */
export function emitPending(journal: ThreadJournal, callId?: string): void {
  const calls = journal.ledger().turn?.calls.filter(({ id }) => callId === undefined || id === callId) ?? [];
  for (const pending of pendingCalls(calls)) journal.events.emitOnSave({ type: "approval_required", data: pending });
}

/** The calls of a thread that are not settled. */
export const openIds = (journal: ThreadJournal): readonly string[] =>
  journal
    .ledger()
    .turn?.calls.filter((call) => !isSettled(call))
    .map(({ id }) => id) ?? [];

/** The size in bytes from which a result is stored only with its call, not with its `tool_call_end` event as well. */
const longest = 100_000;

/** The end of a call without its result, which is stored with this entry of the thread. */
interface ShortEnd extends Pick<ToolCallEnd, "id" | "name" | "success" | "status"> {
  readonly resultAt: number;
}

/** An event as it is stored, given the calls of the same commit. */
export function withoutLongResult(event: EventDraft, calls: ReadonlyMap<string, StoredCall>): Commit["events"][number] {
  if (event.type !== "tool_call_end") return event;
  const { id, name, success, status, result, error } = event.data;
  const call = calls.get(id);
  if (call === undefined || weightOf(result ?? error) < longest) return event;
  const data: ShortEnd = { id, name, success, status, resultAt: call.entry };
  return { type: event.type, data };
}

/** Restores an event from its stored form. */
export async function withResult(event: StoredEvent, threadId: string, store: Store): Promise<StoredEvent> {
  if (event.type !== "tool_call_end" || !isShort(event.data)) return event;
  const { id, resultAt } = event.data;
  const calls = await store.calls(threadId, { from: resultAt, to: resultAt + 1 });
  const call = calls.find((each) => each.id === id)?.value as LedgerCall | undefined; // written by the ledger
  return call === undefined ? event : { ...event, data: endView(call, "en") }; // results do not depend on the language
}

const isShort = (data: unknown): data is ShortEnd => typeof data === "object" && data !== null && "resultAt" in data;

/**
 * The approximate memory of a JSON value and its serialized form in bytes. The factors were measured on many kinds of
 * threads.
 */
export function weightOf(value: unknown): number {
  let weight = 0;
  const left: unknown[] = [value]; // a stack, because nesting may exceed the call stack
  while (left.length > 0) {
    const each = left.pop();
    if (typeof each === "string") weight += stringWeight + each.length * (isWide(each) ? 2 : 1);
    else if (typeof each === "object" && each !== null) {
      const parts = Object.values(each);
      weight += objectWeight + parts.length * partWeight;
      for (const part of parts) left.push(part);
    }
  }
  return weight;
}

const stringWeight = 24;
const objectWeight = 64;
const partWeight = 16;

/** Strings with a character beyond Latin-1 take two bytes per character. Most have one near their start. */
function isWide(text: string): boolean {
  for (let i = Math.min(text.length, 16) - 1; i >= 0; i--) if (text.charCodeAt(i) > 255) return true;
  return false;
}
