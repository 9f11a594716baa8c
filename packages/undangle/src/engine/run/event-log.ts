import type { AgentEvent, EventDraft } from "../events.ts";

/** The events of a thread on their way: told to whoever listens, and taken to the store. */
export interface EventLog {
  /** Told when it is saved. */
  readonly note: (event: EventDraft) => void;
  /** Told at once, and saved with the next save; pieces of one text are saved as one. */
  readonly tell: (event: EventDraft) => void;
  /** Told at once, and not saved. */
  readonly mention: (event: EventDraft) => void;
  readonly isWaiting: () => boolean;
  /** What was told and is not saved yet. */
  readonly unsaved: () => AgentEvent[];
  /** What is to be saved now; either `saved` or `putBack` follows before it is asked again. */
  readonly take: () => WaitingEvents;
  readonly saved: (events: WaitingEvents) => void;
  readonly putBack: (events: WaitingEvents) => void;
}

/** Events on their way to the store, and which of them are told already. */
export interface WaitingEvents {
  readonly drafts: EventDraft[];
  readonly areTold: boolean[];
}

export function createEventLog(lastEvent: number, onEvent: (event: AgentEvent) => void): EventLog {
  let last = lastEvent; // the number of the last event that is saved, or being saved
  let waiting: WaitingEvents = { drafts: [], areTold: [] };
  let taken = none; // being saved
  let lastTold = String(lastEvent);
  const tellAs = ({ type, data }: EventDraft, id: string): void => {
    lastTold = id;
    onEvent({ id, type, data } as AgentEvent); // of that type
  };
  return {
    note(event) {
      waiting.drafts.push(event);
      waiting.areTold.push(false);
    },
    tell(event) {
      const { drafts, areTold } = waiting;
      const before = areTold.at(-1) === true ? drafts.at(-1) : undefined;
      const whole = before === undefined ? undefined : joined(before, event);
      if (whole === undefined) {
        drafts.push(event);
        areTold.push(true);
      } else drafts[drafts.length - 1] = whole;
      const number = last + drafts.length;
      const length = lengthOf(whole ?? event);
      tellAs(event, length === undefined ? String(number) : `${number}:${length}`);
    },
    mention: (event) => tellAs(event, lastTold), // a reader that goes on behind it misses nothing
    isWaiting: () => waiting.drafts.length > 0,
    unsaved() {
      const drafts = [...taken.drafts, ...waiting.drafts];
      const areTold = [...taken.areTold, ...waiting.areTold];
      const first = last - taken.drafts.length + 1;
      return drafts.flatMap((draft, i): readonly AgentEvent[] => {
        const length = lengthOf(draft);
        const id = length === undefined ? String(first + i) : `${first + i}:${length}`;
        return areTold[i] === true ? [{ ...draft, id }] : [];
      });
    },
    take() {
      taken = waiting;
      waiting = { drafts: [], areTold: [] };
      last += taken.drafts.length;
      return taken;
    },
    saved({ drafts, areTold }) {
      let number = last - drafts.length;
      for (const draft of drafts) {
        if (areTold[number - last + drafts.length] === false) tellAs(draft, String(number + 1));
        number++;
      }
      taken = none;
    },
    putBack({ drafts, areTold }) {
      last -= drafts.length;
      taken = none;
      waiting = { drafts: [...drafts, ...waiting.drafts], areTold: [...areTold, ...waiting.areTold] };
    },
  };
}

const none: WaitingEvents = { drafts: [], areTold: [] };

/** Two pieces of one text as one event; undefined when they are not of one. */
function joined(one: EventDraft, other: EventDraft): EventDraft | undefined {
  if (one.type === "text_delta" && other.type === "text_delta")
    return { type: one.type, data: { text: one.data.text + other.data.text } };
  if (one.type === "reasoning_delta" && other.type === "reasoning_delta")
    return { type: one.type, data: { text: one.data.text + other.data.text } };
  if (one.type === "tool_call_delta" && other.type === "tool_call_delta" && one.data.id === other.data.id)
    return { type: one.type, data: { id: one.data.id, text: one.data.text + other.data.text } };
  return undefined;
}

/** How long the text of a piece is; undefined for events that come whole. */
export function lengthOf(event: EventDraft): number | undefined {
  switch (event.type) {
    case "text_delta":
    case "reasoning_delta":
    case "tool_call_delta":
      return event.data.text.length;
    default:
      return undefined;
  }
}

/** What is left of an event for a reader that has come to `offset` in its text; undefined when it has seen all. */
export function restOf(event: EventDraft, offset: number): EventDraft | undefined {
  const length = lengthOf(event);
  if (length === undefined || offset === 0) return event; // it is another event than the one that the reader saw begin
  if (offset >= length) return undefined;
  switch (event.type) {
    case "text_delta":
    case "reasoning_delta":
      return { type: event.type, data: { text: event.data.text.slice(offset) } };
    case "tool_call_delta":
      return { type: event.type, data: { ...event.data, text: event.data.text.slice(offset) } };
    default:
      return event;
  }
}
