import { setTimeout as pause } from "node:timers/promises";

import type { Store, StoredEvent } from "#store";

import type { AgentEvent, EventDraft } from "../events.ts";
import type { Actor } from "./actor.ts";
import { lengthOf, ownEvent, restOf } from "./event-log.ts";
import { withResult } from "./long-results.ts";

const atOnce = 500;

/** How often a store that tells nobody is asked what other processes have done, in milliseconds. */
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
  actor: Actor,
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
    let place = from;
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
    let isOver = false; // the end of a run is told while it still counts as one
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
      const at = placeOf(event.id);
      if (at.number > place.number + 1) place = yield* stored(place, at.number - 1); // of another process
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

/** What this process does to the thread: an event, or that those after a number were told and will never be saved. */
type Heard = { readonly event: AgentEvent; readonly isKept: boolean } | { readonly lastEvent: number };

/** Somebody waits for it: the process stays. */
async function staying(woken: Promise<void>): Promise<void> {
  const stay = setInterval(() => undefined, 60_000);
  await woken;
  clearInterval(stay);
}

interface Place {
  readonly number: number;
  /** How much of its text was seen; Infinity for all of it. */
  readonly offset: number;
}

/**
 * The place, or the end of the thread when it lies beyond that: it is one of another thread that had the same id. What
 * another process has told, and not saved yet, lies beyond it too.
 */
async function existing(place: Place, { threadId, store, actor, told }: Reading): Promise<Place> {
  if (place.number === 0) return place;
  const head = await store.load(threadId);
  const last = Math.max(placeOf(told?.id ?? 0).number, head?.lastEvent ?? 0);
  const isElsewhere = head?.owner !== undefined && !actor.isLive();
  return place.number <= last || isElsewhere ? place : { number: last, offset: Infinity };
}

interface Reading {
  readonly threadId: string;
  readonly store: Store;
  readonly actor: Actor;
  /** The last event that was told and is not saved yet. */
  readonly told: AgentEvent | undefined;
}

/** True for a place in the events of a thread, as `after` takes it. */
export const isPlace = (value: unknown): boolean =>
  (typeof value === "string" || typeof value === "number") && /^\d{1,15}(?::\d{1,15})?$/u.test(String(value));

/** What a reader has not seen of a piece of text that ends at a place. */
function unseen(event: AgentEvent, { offset }: Place, { offset: seen }: Place): AgentEvent | undefined {
  const rest = restOf(event, Math.max(0, seen - (offset - (lengthOf(event) ?? 0))));
  return rest === undefined ? undefined : { ...rest, id: event.id };
}

/** The last event of which all was seen. */
const lastWhole = ({ number, offset }: Place): number => (offset === Infinity ? number : number - 1);

function placeOf(id: string | number): Place {
  const [number = "0", offset] = String(id).split(":");
  return { number: Number(number) || 0, offset: offset === undefined ? Infinity : Number(offset) || 0 };
}

function eventOf({ seq, type, data }: StoredEvent, offset: number): AgentEvent | undefined {
  const event = restOf({ type, data } as EventDraft, offset); // what a store gives back is what it was given
  return event === undefined ? undefined : { ...event, id: String(seq) };
}
