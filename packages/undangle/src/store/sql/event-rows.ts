import type { Commit, StoredEvent } from "../store.ts";

/** Several events in one row, because a row costs much more than its content. */
export interface EventRow {
  /** The number of the last event in its commit, from 1. */
  readonly last: number;
  readonly text: string;
}

/** A longer row is not extended, so that reading one event stays cheap. */
const longEnough = 16_000;

/** The events of a commit as rows: nearly always one, which is faster than one per event. */
export function eventRows(events: Commit["events"]): readonly EventRow[] {
  if (events.length === 0) return [];
  const text = JSON.stringify(events.map(({ type, data }) => [type, data]));
  return text.length < longEnough ? [{ last: events.length, text }] : shortRows(events);
}

function shortRows(events: Commit["events"]): readonly EventRow[] {
  const rows: EventRow[] = [];
  let text = "";
  let last = 0;
  for (const { type, data } of events) {
    text += `${text === "" ? "[" : ","}${JSON.stringify([type, data])}`;
    last += 1;
    if (text.length < longEnough && last < events.length) continue;
    rows.push({ last, text: `${text}]` });
    text = "";
  }
  return rows;
}

/** The events of a row; undefined for an invalid row. */
export function eventsOfRow(list: unknown, lastSeq: number, at: number): readonly StoredEvent[] | undefined {
  if (!Array.isArray(list) || !list.every(isEvent)) return undefined;
  const before = lastSeq - list.length;
  return list.map(([type, data], place) => ({ seq: before + place + 1, type, data, at }));
}

const isEvent = (value: unknown): value is readonly [type: string, data: unknown] =>
  Array.isArray(value) && value.length === 2 && typeof value[0] === "string";
