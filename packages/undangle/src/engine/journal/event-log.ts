import { copyJson } from "#core";

import type { AgentEvent, EventDraft } from "../events.ts";

/**
 * The events of a thread on their way to listeners and to the store. Both get them in one order: an event is emitted after all
 * events before it, so one that must be saved first holds back those that follow until the save.
 */
export interface EventLog {
  /** Emitted when it is saved. */
  readonly note: (event: EventDraft) => void;
  /** The same for the start of a run, which comes before what expired since the last run and is saved with it. */
  readonly noteStart: (event: Extract<EventDraft, { type: "run_start" }>) => void;
  /** Emitted at once, unless an event before it is held back, and saved with the next save; deltas of one text are saved as one. */
  readonly tell: (event: EventDraft) => void;
  /** Emitted at once, and not saved. */
  readonly mention: (event: EventDraft) => void;
  /** True while there are events to be saved. */
  readonly isWaiting: () => boolean;
  /** True while an event is held back until the next save. */
  readonly isHolding: () => boolean;
  /** What was emitted and is not saved yet. */
  readonly unsaved: () => AgentEvent[];
  /** The number of the last event that is saved. */
  readonly lastSaved: () => number;
  /** The events to save. `saved` or `putBack` must follow before the next call. */
  readonly take: () => readonly EventDraft[];
  readonly saved: () => void;
  readonly putBack: () => void;
}

/** `isKept` is false for an event that is not saved: it has the id of the event before it. */
export type OnEvent = (event: AgentEvent, isKept: boolean) => void;

/** An event that is not saved yet; a live one need not be saved before it is emitted. */
interface Waiting {
  draft: EventDraft;
  readonly isLive: boolean;
}

export function createEventLog(lastEvent: number, onEvent: OnEvent): EventLog {
  let last = lastEvent; // the number of the last event that is saved
  let waiting: Waiting[] = []; // those after it
  let taken = 0; // so many of them are being saved
  let emitted = 0; // so many of them were emitted
  let growing: GrowingText | undefined; // the last of them, while its text continues
  let lastId = String(lastEvent);
  /** Joins the text that is growing. Concatenated one by one, its deltas would be kept as long as the text is. */
  const joinText = (): void => {
    const item = waiting.at(-1);
    if (growing === undefined || item === undefined || growing.pieces.length === 1) return;
    const text = growing.pieces.join("");
    growing.pieces = [text];
    item.draft = withText(growing.first, text);
  };
  const finishText = (): void => {
    joinText();
    growing = undefined;
  };
  const emit = ({ type, data }: EventDraft, id: string): void => {
    lastId = id;
    onEvent({ id, type, data } as AgentEvent, true); // of that type
  };
  const add = (draft: EventDraft, isLive: boolean): void => {
    finishText();
    waiting.push({ draft, isLive });
  };
  return {
    note: (event) => add(event, false),
    noteStart(event) {
      finishText();
      const end = waiting.findLastIndex(({ draft }) => draft.type === "run_end") + 1; // of a run whose process died
      waiting.splice(Math.max(emitted, end), 0, { draft: event, isLive: false });
    },
    tell(event) {
      const isHeld = emitted < waiting.length;
      if (growing !== undefined && isMoreOf(growing.first, event)) {
        growing.pieces.push(event.data.text);
        growing.length += event.data.text.length;
      } else {
        add(event, true);
        if (!isHeld) emitted++;
        if (isText(event)) growing = { first: event, pieces: [event.data.text], length: event.data.text.length };
      }
      if (!isHeld) emit(event, liveId({ number: last + waiting.length, length: growing?.length, saved: last }));
    },
    mention({ type, data }) {
      onEvent({ id: lastId, type, data } as AgentEvent, false); // of that type; a reader that resumes after it misses nothing
    },
    isWaiting: () => waiting.length > 0,
    isHolding: () => emitted < waiting.length,
    unsaved() {
      joinText();
      return waiting.slice(0, emitted).map(({ draft }, i) => ({
        ...draft,
        id: liveId({ number: last + 1 + i, length: lengthOf(draft), saved: last }),
      }));
    },
    lastSaved: () => last,
    take() {
      finishText();
      taken = waiting.length;
      return waiting.map(({ draft }) => draft);
    },
    saved() {
      joinText();
      const from = emitted;
      while (emitted < waiting.length && (emitted < taken || waiting[emitted]?.isLive === true)) emitted++;
      const due = waiting.slice(from, emitted).map(({ draft }, i) => {
        const number = last + 1 + from + i;
        const isSaved = from + i < taken;
        return {
          draft,
          id: isSaved ? String(number) : liveId({ number, length: lengthOf(draft), saved: last + taken }),
        };
      });
      waiting = waiting.slice(taken);
      emitted -= taken;
      last += taken;
      taken = 0;
      for (const { draft, id } of due) emit(draft, id);
    },
    putBack() {
      taken = 0;
    },
  };
}

/**
 * The id of an event that is not saved: its number, how long its text is so far, and the last event that is saved. If the process
 * dies, other events get the numbers after that one, and a reader that resumes finds out.
 */
const liveId = ({ number, length, saved }: LivePlace): string => `${number}:${length ?? ""}:${saved}`;

interface LivePlace {
  readonly number: number;
  /** Undefined for events that come whole. */
  readonly length: number | undefined;
  readonly saved: number;
}

/** A text that is emitted in deltas and saved as one event. */
interface GrowingText {
  readonly first: TextDraft;
  pieces: string[];
  length: number;
}

/** A text delta. */
export type TextDraft = Extract<EventDraft, { type: "text_delta" | "reasoning_delta" | "tool_call_delta" }>;

/** True for a text delta; other events are complete. */
export const isText = (event: EventDraft): event is TextDraft =>
  event.type === "text_delta" || event.type === "reasoning_delta" || event.type === "tool_call_delta";

/** True for a delta of the same text. */
export const isMoreOf = (one: TextDraft, other: EventDraft): other is TextDraft =>
  one.type === other.type &&
  (one.type !== "tool_call_delta" || other.type !== "tool_call_delta" || one.data.id === other.data.id);

/** A delta with another text. */
export const withText = (piece: TextDraft, text: string): TextDraft =>
  piece.type === "tool_call_delta"
    ? { type: piece.type, data: { id: piece.data.id, text } }
    : { type: piece.type, data: { text } };

/** The length of a text delta; undefined for complete events. */
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
