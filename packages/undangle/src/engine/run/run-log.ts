import type { AgentEvent } from "../events.ts";
import { isMoreOf, isText, withText } from "../journal/event-log.ts";

/** The events of a run, for any number of readers. Deltas of one text that all readers have passed are joined. */
export interface RunLog {
  readonly push: (event: AgentEvent) => void;
  /** The position after the last event. It stays valid, because nothing before it is joined later. */
  readonly mark: () => number;
  /** Reads from a position: 0, or a marked one. */
  readonly read: (from: number) => LogReader;
  /** How many events are kept. */
  readonly size: () => number;
}

export interface LogReader {
  /** The next event; undefined while there is none. */
  readonly next: () => AgentEvent | undefined;
  /** Stops reading, so that the log can join the deltas it kept for this reader. */
  readonly leave: () => void;
}

/** Deltas are joined in groups of this size. If they were joined one by one, V8 would keep all of them in the text. */
const atOnce = 256;

export function createRunLog(): RunLog {
  const events: AgentEvent[] = [];
  const readers = new Set<{ place: number }>();
  let joinedTo = 0; // events before this position do not change any more
  let deltas = 0; // the most later deltas that may continue a text

  /** Joins the deltas that every reader has passed. */
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
    deltas = events.length - joinedTo;
  };

  return {
    push(event) {
      const last = events.at(-1);
      events.push(event);
      if (last === undefined || !isText(last) || !isMoreOf(last, event)) return;
      deltas++;
      if (deltas >= atOnce) join();
    },
    mark() {
      joinedTo = events.length;
      deltas = 0;
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
          if (deltas >= atOnce) join();
        },
      };
    },
    size: () => events.length,
  };
}

/** The index after the last delta of the text that starts at `place`, at most `limit`. */
function endOfText(events: readonly AgentEvent[], place: number, limit: number): number {
  const first = events[place];
  let end = place + 1;
  if (first === undefined || !isText(first)) return end;
  for (let next = events[end]; end < limit && next !== undefined && isMoreOf(first, next); next = events[end]) end++;
  return end;
}

/** Joins deltas of one text into one event, with the id of the last delta. */
function joined(deltas: readonly AgentEvent[]): AgentEvent {
  const [first] = deltas;
  const last = deltas.at(-1);
  if (first === undefined || last === undefined || !isText(first)) throw new Error("There is no text to join.");
  const text = deltas.map((delta) => (isText(delta) ? delta.data.text : "")).join("");
  return { ...withText(first, text), id: last.id };
}
