import { setTimeout as pause } from "node:timers/promises";

import type { Store, StoredEvent } from "#store";

import type { AgentEvent, EventData, EventDraft } from "../events.ts";
import type { OpenThread, ThreadListener } from "../thread/open-thread.ts";
import { withResult } from "./call-events.ts";
import { lengthOf, ownEvent, restOf } from "./event-log.ts";

const atOnce = 500;

/** The polling interval for a store without notifications, in milliseconds. */
const interval = 500;

export interface EventsOptions {
  /**
   * The id or number of the last event that was read. 0 by default, for all events. After the last event: only new
   * events.
   */
  readonly after?: string | number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The calls that lead to a child thread, to read its events, with the ids of that thread. */
  readonly path?: readonly string[] | undefined;
}

/** The events of a thread after a position: first the stored ones, then new ones. Each event appears once, in order. */
export async function* readEvents(
  threadId: string,
  store: Store,
  thread: OpenThread,
  { after = 0, signal }: EventsOptions,
): AsyncGenerator<AgentEvent, void, undefined> {
  const unsaved = thread.journal()?.events.unsaved() ?? [];
  const changes: LocalChange[] = unsaved.map((event) => ({ event, isKept: true }));
  let wake = (): void => undefined;
  let saved = 0; // the last event known to be stored
  const unwatch = store.watch?.(threadId, (last) => {
    saved = last;
    wake();
  });
  const listener: ThreadListener = {
    onEvent(event, isKept) {
      changes.push({ event, isKept });
      wake();
    },
    onLost(lastEvent) {
      changes.push({ lastEvent });
      wake();
    },
  };
  thread.listeners.add(listener);
  const onAbort = (): void => wake();
  signal?.addEventListener("abort", onAbort);

  /** Reads stored events after a position, up to an event. Returns the new position. */
  async function* stored(from: Place, to = Infinity): AsyncGenerator<AgentEvent, Place, undefined> {
    let place = from.saved === undefined ? from : ((await settled(from, threadId, store)) ?? from);
    if (place.saved !== undefined) return place; // what follows is not known yet
    for (;;) {
      const events = await store.events(threadId, { after: lastWhole(place), limit: atOnce });
      for (const each of events) {
        if (each.seq > to || signal?.aborted === true) return place;
        const event = eventOf(await withResult(each, threadId, store), each.seq === place.number ? place.offset : 0);
        place = { number: each.seq, offset: Infinity };
        if (event !== undefined) yield event;
      }
      if (events.length < atOnce) return place;
    }
  }

  try {
    let place = yield* stored(await existing(placeOf(after), { threadId, store, thread, lastUnsaved: unsaved.at(-1) }));
    let isOver = false; // the end of a run is emitted before its status changes
    for (;;) {
      if (signal?.aborted === true) return;
      const next = changes.shift();
      if (next === undefined) {
        const woken = new Promise<void>((resolve) => {
          wake = resolve;
        });
        if (thread.session() !== undefined && !isOver) {
          await woken;
          continue;
        }
        if (unwatch !== undefined && saved <= lastWhole(place)) {
          await keepingAlive(woken);
          continue;
        }
        const known = saved;
        const before = place;
        place = yield* stored(place); // events of another process
        if (place !== before || changes.length > 0) continue;
        if (unwatch === undefined) await Promise.race([woken, pause(interval)]);
        else if (saved === known) saved = 0; // everything stored was read
        continue;
      }
      if ("lastEvent" in next) {
        if (next.lastEvent < place.number) place = { number: next.lastEvent, offset: Infinity };
        isOver = true; // another process continues the thread
        continue;
      }
      const { event, isKept } = next;
      if (!isKept) {
        yield ownEvent(event);
        continue;
      }
      isOver = event.type === "run_end";
      const { number, offset } = placeOf(event.id);
      const at = { number, offset };
      const isLate = place.saved !== undefined || at.number > place.number + 1;
      if (isLate) place = yield* stored(place, at.number - 1); // events of another process
      const isNew = at.number > place.number || (at.number === place.number && at.offset > place.offset);
      if (!isNew) continue;
      const rest = at.number === place.number ? unseen(event, at, place) : event;
      place = at;
      if (rest !== undefined) yield ownEvent(rest);
    }
  } finally {
    thread.listeners.delete(listener);
    unwatch?.();
    signal?.removeEventListener("abort", onAbort);
  }
}

/** A local change of the thread: a new event, or the information that emitted events after a number will never be saved. */
type LocalChange = { readonly event: AgentEvent; readonly isKept: boolean } | { readonly lastEvent: number };

/** A waiting reader keeps the process alive. */
async function keepingAlive(woken: Promise<void>): Promise<void> {
  const timer = setInterval(() => undefined, 60_000);
  await woken;
  clearInterval(timer);
}

interface Place {
  readonly number: number;
  /** How much of the text was read; Infinity for all of it. */
  readonly offset: number;
  /**
   * The last saved event when the reader got this one. Undefined for a confirmed position. If the process died before it
   * saved the event, another event has its number.
   */
  readonly saved?: number | undefined;
}

/**
 * The position of a reader, or the end of the thread if the position is after it. Such a position belongs to a purged
 * thread with the same id, or to events that another process has emitted but not saved yet.
 */
async function existing(place: Place, { threadId, store, thread, lastUnsaved }: Reading): Promise<Place> {
  if (place.number === 0) return place;
  const known = place.saved === undefined ? undefined : await settled(place, threadId, store);
  if (known !== undefined) return known;
  const { number, offset } = place;
  const lastEmitted = placeOf(lastUnsaved?.id ?? 0).number;
  if (number <= lastEmitted) return { number, offset };
  const head = await store.load(threadId);
  const last = Math.max(lastEmitted, head?.lastEvent ?? 0);
  const isElsewhere = head?.owner !== undefined && thread.session() === undefined;
  return number <= last || isElsewhere ? place : { number: last, offset: Infinity };
}

/**
 * The confirmed position of a reader that got an event before it was saved: that event, or the last one before its
 * process crashed. Undefined while neither is stored. Up to that event the run had only live events, so any other event
 * means that a crash was settled.
 */
async function settled(
  { number, offset, saved = 0 }: Place,
  threadId: string,
  store: Store,
): Promise<Place | undefined> {
  let last = saved;
  for (let isMore = true; isMore && last < number;) {
    const events = await store.events(threadId, { after: last, limit: atOnce });
    const first = events.find(({ type, seq }, i) => seq <= number && (isSettling(type) || isAbandoned(events, i)));
    if (first !== undefined) return { number: first.seq - 1, offset: Infinity };
    isMore = events.length === atOnce;
    last = events.at(isMore ? -2 : -1)?.seq ?? last; // what follows the last event is not known
  }
  return last < number ? undefined : { number, offset };
}

/** True for the events that settle a crash and are emitted after they are saved. */
const isSettling = (type: string): boolean => type === "tool_call_end" || type === "run_end";

/** True for a turn that a crash interrupted. The end of the run follows in the same commit. */
const isAbandoned = (events: readonly StoredEvent[], i: number): boolean =>
  events[i]?.type === "model_discarded" && events[i + 1]?.type === "run_end" && isCrash(events[i + 1]?.data);

const isCrash = (data: unknown): boolean => (data as EventData["run_end"]).error?.code === "run/crashed"; // the engine wrote it

interface Reading {
  readonly threadId: string;
  readonly store: Store;
  readonly thread: OpenThread;
  /** The last event that is emitted but not saved. */
  readonly lastUnsaved: AgentEvent | undefined;
}

/** True for a valid value of `after`. */
export const isPlace = (value: unknown): boolean =>
  (typeof value === "string" || typeof value === "number") &&
  /^\d{1,15}(?::\d{1,15}|:\d{0,15}:\d{1,15})?$/u.test(String(value));

/** The part of a text event that a reader has not seen. */
function unseen(event: AgentEvent, { offset }: Place, { offset: seen }: Place): AgentEvent | undefined {
  const rest = restOf(event, Math.max(0, seen - (offset - (lengthOf(event) ?? 0))));
  return rest === undefined ? undefined : { ...rest, id: event.id };
}

/** The last event that was read completely. */
const lastWhole = ({ number, offset, saved }: Place): number => saved ?? (offset === Infinity ? number : number - 1);

function placeOf(id: string | number): Place {
  const [number = "0", offset = "", saved] = String(id).split(":");
  return {
    number: Number(number) || 0,
    offset: offset === "" ? Infinity : Number(offset) || 0,
    ...(saved !== undefined && { saved: Number(saved) || 0 }),
  };
}

function eventOf({ seq, type, data }: StoredEvent, offset: number): AgentEvent | undefined {
  const event = restOf({ type, data } as EventDraft, offset); // written by the engine
  return event === undefined ? undefined : { ...event, id: String(seq) };
}
