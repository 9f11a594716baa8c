import { setTimeout as pause } from "node:timers/promises";

import type { Store, StoredEvent } from "#store";

import type { AgentEvent, EventData, EventDraft } from "../events.ts";
import type { ThreadActor } from "../thread/thread-actor.ts";
import { lengthOf, ownEvent, restOf } from "./event-log.ts";
import { withResult } from "../step/long-results.ts";

const atOnce = 500;

/** The polling interval for a store without notifications, in milliseconds. */
const interval = 500;

export interface EventsOptions {
  /** The id of the last event that was seen, or a number; left out, 0: everything. Beyond the last event: what comes from now on. */
  readonly after?: string | number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The events of a thread after a place in it: those that are stored, and then those that happen. Each once, in their order. */
export async function* readEvents(
  threadId: string,
  store: Store,
  actor: ThreadActor,
  { after = 0, signal }: EventsOptions,
): AsyncGenerator<AgentEvent, void, undefined> {
  const unsaved = actor.unsaved();
  const heard: Heard[] = unsaved.map((event) => ({ event, isKept: true }));
  let wake = (): void => undefined;
  let saved = 0; // the last event that the store is known to have
  const unwatch = store.watch?.(threadId, (last) => {
    saved = last;
    wake();
  });
  const stop = actor.listen({
    onEvent(event, isKept) {
      heard.push({ event, isKept });
      wake();
    },
    onLost(lastEvent) {
      heard.push({ lastEvent });
      wake();
    },
  });
  const onAbort = (): void => wake();
  signal?.addEventListener("abort", onAbort);

  /** Reads what is stored after a place, up to an event; returns the place that it has come to. */
  async function* stored(from: Place, to = Infinity): AsyncGenerator<AgentEvent, Place, undefined> {
    let place = from.saved === undefined ? from : ((await settled(from, threadId, store)) ?? from);
    if (place.saved !== undefined) return place; // it is not known yet what follows
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
    let place = yield* stored(await existing(placeOf(after), { threadId, store, actor, told: unsaved.at(-1) }));
    let isOver = false; // the end of a run is emitted before its status changes
    for (;;) {
      if (signal?.aborted === true) return;
      const next = heard.shift();
      if (next === undefined) {
        const woken = new Promise<void>((resolve) => {
          wake = resolve;
        });
        if (actor.isLive() && !isOver) {
          await woken;
          continue;
        }
        if (unwatch !== undefined && saved <= lastWhole(place)) {
          await staying(woken);
          continue;
        }
        const known = saved;
        const before = place;
        place = yield* stored(place); // of another process
        if (place !== before || heard.length > 0) continue;
        if (unwatch === undefined) await Promise.race([woken, pause(interval)]);
        else if (saved === known) saved = 0; // that was all
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
      const isBehind = place.saved !== undefined || at.number > place.number + 1;
      if (isBehind) place = yield* stored(place, at.number - 1); // of another process
      const isNew = at.number > place.number || (at.number === place.number && at.offset > place.offset);
      if (!isNew) continue;
      const rest = at.number === place.number ? unseen(event, at, place) : event;
      place = at;
      if (rest !== undefined) yield ownEvent(rest);
    }
  } finally {
    stop();
    unwatch?.();
    signal?.removeEventListener("abort", onAbort);
  }
}

/** A local change of the thread: an event, or that emitted events after a number will never be saved. */
type Heard = { readonly event: AgentEvent; readonly isKept: boolean } | { readonly lastEvent: number };

/** A waiting reader keeps the process alive. */
async function staying(woken: Promise<void>): Promise<void> {
  const stay = setInterval(() => undefined, 60_000);
  await woken;
  clearInterval(stay);
}

interface Place {
  readonly number: number;
  /** How much of its text was seen; Infinity for all of it. */
  readonly offset: number;
  /**
   * The last event that was saved when the reader got this one. Undefined for a place that is known to be right: if the process
   * died before it saved the event, another one has its number.
   */
  readonly saved?: number | undefined;
}

/**
 * The place of a reader, or the end of the thread when it lies beyond that: it is one of another thread that had the same id. What
 * another process has emitted, and not saved yet, lies beyond it too.
 */
async function existing(place: Place, { threadId, store, actor, told }: Reading): Promise<Place> {
  if (place.number === 0) return place;
  const known = place.saved === undefined ? undefined : await settled(place, threadId, store);
  if (known !== undefined) return known;
  const { number, offset } = place;
  const lastTold = placeOf(told?.id ?? 0).number;
  if (number <= lastTold) return { number, offset };
  const head = await store.load(threadId);
  const last = Math.max(lastTold, head?.lastEvent ?? 0);
  const isElsewhere = head?.owner !== undefined && !actor.isLive();
  return number <= last || isElsewhere ? place : { number: last, offset: Infinity };
}

/**
 * The right place of a reader that got an event before it was saved: that event, or the last one before the crash of its process.
 * Undefined while neither is stored. Until that event the run had only live ones, so anything else settles a crash.
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
    last = events.at(isMore ? -2 : -1)?.seq ?? last; // what follows the last one is not known
  }
  return last < number ? undefined : { number, offset };
}

/** True for events that are emitted after they are saved, of those that settle a crash. */
const isSettling = (type: string): boolean => type === "tool_call_end" || type === "run_end";

/** True for a response that a crash abandoned: the end of the run follows, in the same commit. */
const isAbandoned = (events: readonly StoredEvent[], i: number): boolean =>
  events[i]?.type === "model_discarded" && events[i + 1]?.type === "run_end" && isCrash(events[i + 1]?.data);

const isCrash = (data: unknown): boolean => (data as EventData["run_end"]).error?.code === "run/crashed"; // the engine wrote it

interface Reading {
  readonly threadId: string;
  readonly store: Store;
  readonly actor: ThreadActor;
  /** The last event that is emitted but not saved. */
  readonly told: AgentEvent | undefined;
}

/** True for a place in the events of a thread, as `after` takes it. */
export const isPlace = (value: unknown): boolean =>
  (typeof value === "string" || typeof value === "number") &&
  /^\d{1,15}(?::\d{1,15}|:\d{0,15}:\d{1,15})?$/u.test(String(value));

/** The part of a text event that a reader has not seen. */
function unseen(event: AgentEvent, { offset }: Place, { offset: seen }: Place): AgentEvent | undefined {
  const rest = restOf(event, Math.max(0, seen - (offset - (lengthOf(event) ?? 0))));
  return rest === undefined ? undefined : { ...rest, id: event.id };
}

/** The last event of which all was seen. */
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
  const event = restOf({ type, data } as EventDraft, offset); // what a store returns is what it was given
  return event === undefined ? undefined : { ...event, id: String(seq) };
}
