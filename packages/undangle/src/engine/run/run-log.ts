import type { AgentEvent } from "../events.ts";
import { isMoreOf, isText, withText } from "../journal/event-log.ts";

/** The events of a run, for those who read it and those who read it again. Pieces of a text that all readers have passed are joined. */
export interface RunLog {
  readonly push: (event: AgentEvent) => void;
  /** The place behind the last event. It stays right: nothing before it is joined any more. */
  readonly mark: () => number;
  /** Reads from a place on: 0, or one that was marked. */
  readonly read: (from: number) => LogReader;
  /** How many events are kept. */
  readonly size: () => number;
}

export interface LogReader {
  /** The next event; undefined while there is none. */
  readonly next: () => AgentEvent | undefined;
  /** It reads no more, and nothing is kept apart for it. */
  readonly leave: () => void;
}

/** So many pieces are joined at a time: joined one by one, they would all be kept inside of the whole. */
const atOnce = 256;

export function createRunLog(): RunLog {
  const events: AgentEvent[] = [];
  const readers = new Set<{ place: number }>();
  let joinedTo = 0; // nothing before this place changes any more
  let pieces = 0; // the most later deltas that may continue a text

  /** Joins what every reader has passed. */
  const join = (): void => {
    let passed = events.length;
    for (const { place } of readers) passed = Math.min(passed, place);
    if (passed - joinedTo < atOnce) return;
    const from = joinedTo;
    for (let place = from; place < passed;) {
      const end = endOfText(events, place, passed);
      const event = events[place];
      if (event !== undefined) events[joinedTo++] = end === place + 1 ? event : joined(events.slice(place, end));
      place = end;
    }
    events.copyWithin(joinedTo, passed);
    events.length -= passed - joinedTo;
    for (const reader of readers) reader.place -= passed - joinedTo;
    pieces = events.length - joinedTo;
  };

  return {
    push(event) {
      const last = events.at(-1);
      events.push(event);
      if (last === undefined || !isText(last) || !isMoreOf(last, event)) return;
      pieces++;
      if (pieces >= atOnce) join();
    },
    mark() {
      joinedTo = events.length;
      pieces = 0;
      return joinedTo;
    },
    read(from) {
      const reader = { place: from };
      readers.add(reader);
      return {
        next() {
          const event = events[reader.place];
          if (event !== undefined) reader.place++;
          return event;
        },
        leave() {
          readers.delete(reader);
          if (pieces >= atOnce) join();
        },
      };
    },
    size: () => events.length,
  };
}

/** The place behind the last piece of the text that the event at a place is of, if all of it is before a limit. */
function endOfText(events: readonly AgentEvent[], place: number, limit: number): number {
  const first = events[place];
  let end = place + 1;
  if (first === undefined || !isText(first)) return end;
  for (let next = events[end]; end < limit && next !== undefined && isMoreOf(first, next); next = events[end]) end++;
  return end;
}

/** Pieces of one text as one event, which ends where the last of them does. */
function joined(pieces: readonly AgentEvent[]): AgentEvent {
  const [first] = pieces;
  const last = pieces.at(-1);
  if (first === undefined || last === undefined || !isText(first)) throw new Error("There is no text to join.");
  const text = pieces.map((piece) => (isText(piece) ? piece.data.text : "")).join("");
  return { ...withText(first, text), id: last.id };
}
