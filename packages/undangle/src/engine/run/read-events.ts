import { setTimeout as pause } from "node:timers/promises";

import type { Store, StoredEvent } from "#store";

import type { AgentEvent, EventDraft } from "../events.ts";
import type { Actor } from "./actor.ts";
import { lengthOf, restOf } from "./event-log.ts";

const atOnce = 500;

/** How often the store is asked what other processes have done, in milliseconds. */
const interval = 500;

/** The events of a thread behind a place in it: those that are stored, and then those that happen. */
export async function* readEvents(
  threadId: string,
  store: Store,
  actor: Actor,
  { after = 0, signal }: { readonly after?: string | number; readonly signal?: AbortSignal },
): AsyncGenerator<AgentEvent, void, undefined> {
  const heard: AgentEvent[] = actor.unsaved();
  let wake = (): void => undefined;
  const stop = actor.listen((event) => {
    heard.push(event);
    wake();
  });
  const onAbort = (): void => wake();
  signal?.addEventListener("abort", onAbort);
  try {
    let place = placeOf(after);
    for (;;) {
      const stored = await store.events(threadId, { after: lastWhole(place), limit: atOnce });
      for (const each of stored) {
        if (signal?.aborted === true) return;
        const event = eventOf(each, each.seq === place.number ? place.offset : 0);
        if (event !== undefined) yield event;
      }
      const last = stored.at(-1);
      if (last !== undefined) place = { number: last.seq, offset: Infinity };
      if (stored.length < atOnce) break;
    }
    for (;;) {
      if (signal?.aborted === true) return;
      const event = heard.shift();
      if (event === undefined) {
        const woken = new Promise<void>((resolve) => {
          wake = resolve;
        });
        if (actor.isLive()) {
          await woken;
          continue;
        }
        const others = await store.events(threadId, { after: lastWhole(place), limit: atOnce }); // of another process
        for (const each of others) {
          const told = eventOf(each, each.seq === place.number ? place.offset : 0);
          place = { number: each.seq, offset: Infinity };
          if (told !== undefined) yield told;
        }
        if (others.length === 0 && heard.length === 0) await Promise.race([woken, pause(interval)]); // somebody waits for it: the process stays
        continue;
      }
      if (isMention(event)) {
        yield event;
        continue;
      }
      const at = placeOf(event.id);
      const isNew = at.number > place.number || (at.number === place.number && at.offset > place.offset);
      if (!isNew) continue;
      const rest = at.number === place.number ? unseen(event, at, place) : event;
      place = at;
      if (rest !== undefined) yield rest;
    }
  } finally {
    stop();
    signal?.removeEventListener("abort", onAbort);
  }
}

interface Place {
  readonly number: number;
  /** How much of its text was seen; Infinity for all of it. */
  readonly offset: number;
}

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

/** What is told and not kept: the progress of a tool. */
const isMention = ({ type, data }: AgentEvent): boolean => type === "tool_call_running" && "progress" in data;

function eventOf({ seq, type, data }: StoredEvent, offset: number): AgentEvent | undefined {
  const event = restOf({ type, data } as EventDraft, offset); // what a store gives back is what it was given
  return event === undefined ? undefined : { ...event, id: String(seq) };
}
