import { copyJson } from "#core";

import type { AgentEvent, EventDraft } from "../events.ts";

/**
 * Delivers the events of a thread to listeners and to the store in the same order. An event that must be saved first
 * holds back the events after it until the save.
 */
export interface EventLog {
  /** Emits the event when it is saved. */
  readonly emitOnSave: (event: EventDraft) => void;
  /** Like `emitOnSave`, for the start of a run. It precedes what expired since the last run and is saved with it. */
  readonly emitStartOnSave: (event: Extract<EventDraft, { type: "run_start" }>) => void;
  /**
   * Emits the event at once, unless an earlier event is held back. It is saved with the next save; deltas of one text
   * are saved as one event.
   */
  readonly emit: (event: EventDraft) => void;
  /** Emits the event at once, without saving it. */
  readonly emitUnsaved: (event: EventDraft) => void;
  /** True while there are unsaved events. */
  readonly isWaiting: () => boolean;
  /** True while an event is held back until the next save. */
  readonly isHolding: () => boolean;
  /** The events that were emitted but not saved yet. */
  readonly unsaved: () => AgentEvent[];
  /** The number of the last saved event. */
  readonly lastSaved: () => number;
  /** The events to save. `saved` or `putBack` must follow before the next call. */
  readonly take: () => readonly EventDraft[];
  readonly saved: () => void;
  readonly putBack: () => void;
}

/** `isKept` is false for an event that is not saved. Such an event has the id of the event before it. */
export type OnEvent = (event: AgentEvent, isKept: boolean) => void;

/** An unsaved event. A live event may be emitted before it is saved. */
interface Waiting {
  draft: EventDraft;
  readonly isLive: boolean;
}

export function createEventLog(lastEvent: number, onEvent: OnEvent): EventLog {
  let last = lastEvent; // the number of the last saved event
  let waiting: Waiting[] = []; // the events after it
  let taken = 0; // how many of them are being saved
  let emitted = 0; // how many of them were emitted
  let growing: GrowingText | undefined; // the last of them, while its text grows
  let lastId = String(lastEvent);
  /** Joins the growing text. If deltas were concatenated one by one, V8 would keep all of them as long as the text. */
  const joinText = (): void => {
    const item = waiting.at(-1);
    if (growing === undefined || item === undefined || growing.deltas.length === 1) return;
    const text = growing.deltas.join("");
    growing.deltas = [text];
    item.draft = withText(growing.first, text);
  };
  const finishText = (): void => {
    joinText();
    growing = undefined;
  };
  const deliver = ({ type, data }: EventDraft, id: string): void => {
    lastId = id;
    onEvent({ id, type, data } as AgentEvent, true); // the draft has this type
  };
  const add = (draft: EventDraft, isLive: boolean): void => {
    finishText();
    waiting.push({ draft, isLive });
  };
  return {
    emitOnSave: (event) => add(event, false),
    emitStartOnSave(event) {
      finishText();
      const end = waiting.findLastIndex(({ draft }) => draft.type === "run_end") + 1; // the end of a run whose process died
      waiting.splice(Math.max(emitted, end), 0, { draft: event, isLive: false });
    },
    emit(event) {
      const isHeld = emitted < waiting.length;
      if (growing !== undefined && isMoreOf(growing.first, event)) {
        growing.deltas.push(event.data.text);
        growing.length += event.data.text.length;
      } else {
        add(event, true);
        if (!isHeld) emitted++;
        if (isText(event)) growing = { first: event, deltas: [event.data.text], length: event.data.text.length };
      }
      if (!isHeld) deliver(event, liveId({ number: last + waiting.length, length: growing?.length, saved: last }));
    },
    emitUnsaved({ type, data }) {
      onEvent({ id: lastId, type, data } as AgentEvent, false); // the draft has this type; a reader that resumes after it misses nothing
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
      for (const { draft, id } of due) deliver(draft, id);
    },
    putBack() {
      taken = 0;
    },
  };
}

/**
 * The id of an unsaved event: its number, the length of its text so far, and the last saved event. If the process dies,
 * other events get the following numbers, and a resuming reader detects that.
 */
const liveId = ({ number, length, saved }: LivePlace): string => `${number}:${length ?? ""}:${saved}`;

interface LivePlace {
  readonly number: number;
  /** Undefined for complete events. */
  readonly length: number | undefined;
  readonly saved: number;
}

/** A text that is emitted in deltas and saved as one event. */
interface GrowingText {
  readonly first: TextDraft;
  deltas: string[];
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
export const withText = (delta: TextDraft, text: string): TextDraft =>
  delta.type === "tool_call_delta"
    ? { type: delta.type, data: { id: delta.data.id, text } }
    : { type: delta.type, data: { text } };

/** The length of a text delta; undefined for complete events. */
export const lengthOf = (event: EventDraft): number | undefined => (isText(event) ? event.data.text.length : undefined);

/** The rest of an event for a reader that has read its text up to `offset`. Undefined if nothing is left. */
export function restOf(event: EventDraft, offset: number): EventDraft | undefined {
  if (!isText(event) || offset === 0) return event; // not the event whose beginning the reader saw
  const { text } = event.data;
  return offset >= text.length ? undefined : withText(event, text.slice(offset));
}

/** A copy of an event, which its reader may change. */
export const ownEvent = (event: AgentEvent): AgentEvent => copyJson(event);
