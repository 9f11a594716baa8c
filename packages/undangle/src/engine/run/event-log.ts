import { copyJson } from "#core";

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
  let growing: GrowingText | undefined; // the last of those that wait, while its text goes on
  let lastTold = String(lastEvent);
  /** Puts together the text that is growing. Added one to the other, its pieces would be kept as long as the text is. */
  const joinText = (): void => {
    if (growing === undefined || growing.pieces.length === 1) return;
    const text = growing.pieces.join("");
    growing.pieces = [text];
    waiting.drafts[waiting.drafts.length - 1] = withText(growing.first, text);
  };
  const finishText = (): void => {
    joinText();
    growing = undefined;
  };
  const tellAs = ({ type, data }: EventDraft, id: string): void => {
    lastTold = id;
    onEvent({ id, type, data } as AgentEvent); // of that type
  };
  return {
    note(event) {
      finishText();
      waiting.drafts.push(event);
      waiting.areTold.push(false);
    },
    tell(event) {
      const { drafts, areTold } = waiting;
      if (growing !== undefined && isMoreOf(growing.first, event)) {
        growing.pieces.push(event.data.text);
        growing.length += event.data.text.length;
      } else {
        finishText();
        drafts.push(event);
        areTold.push(true);
        if (isText(event)) growing = { first: event, pieces: [event.data.text], length: event.data.text.length };
      }
      const number = last + drafts.length;
      tellAs(event, growing === undefined ? String(number) : `${number}:${growing.length}`);
    },
    mention: (event) => tellAs(event, lastTold), // a reader that goes on behind it misses nothing
    isWaiting: () => waiting.drafts.length > 0,
    unsaved() {
      joinText();
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
      finishText();
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

/** A text whose pieces are told one by one, and saved as one event. */
interface GrowingText {
  readonly first: TextDraft;
  pieces: string[];
  length: number;
}

/** A piece of a text. */
export type TextDraft = Extract<EventDraft, { type: "text_delta" | "reasoning_delta" | "tool_call_delta" }>;

/** True for a piece of a text; other events come whole. */
export const isText = (event: EventDraft): event is TextDraft =>
  event.type === "text_delta" || event.type === "reasoning_delta" || event.type === "tool_call_delta";

/** True for a piece of the text that another one is of. */
export const isMoreOf = (one: TextDraft, other: EventDraft): other is TextDraft =>
  one.type === other.type &&
  (one.type !== "tool_call_delta" || other.type !== "tool_call_delta" || one.data.id === other.data.id);

/** A piece with another text. */
export const withText = (piece: TextDraft, text: string): TextDraft =>
  piece.type === "tool_call_delta"
    ? { type: piece.type, data: { id: piece.data.id, text } }
    : { type: piece.type, data: { text } };

/** How long the text of a piece is; undefined for events that come whole. */
export const lengthOf = (event: EventDraft): number | undefined => (isText(event) ? event.data.text.length : undefined);

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

/** An event as its reader gets it: theirs to change. */
export const ownEvent = (event: AgentEvent): AgentEvent => copyJson(event);
