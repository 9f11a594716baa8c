import { copyJson } from "#core";

import type { AgentEvent, EventDraft } from "../events.ts";

/** `isKept` is false for an event that is not saved. Such an event has the id of the event before it. */
export type OnEvent = (event: AgentEvent, isKept: boolean) => void;

/** An unsaved event. A live event may be emitted before it is saved. */
interface Waiting {
  draft: EventDraft;
  readonly isLive: boolean;
}

/**
 * Delivers the events of a thread to listeners and to the store in the same order. An event that must be saved first
 * holds back the events after it until the save.
 */
export class EventLog {
  readonly #onEvent: OnEvent;
  #last: number; // the number of the last saved event
  #lastId: string;
  #waiting: Waiting[] = []; // the events after it
  #taken = 0; // how many of them are being saved
  #emitted = 0; // how many of them were emitted
  #growing: GrowingText | undefined; // the last of them, while its text grows

  constructor(lastEvent: number, onEvent: OnEvent) {
    this.#onEvent = onEvent;
    this.#last = lastEvent;
    this.#lastId = String(lastEvent);
  }

  /** Emits the event when it is saved. */
  emitOnSave(event: EventDraft): void {
    this.#add(event, false);
  }

  /** Like `emitOnSave`, for the start of a run. It precedes what expired since the last run and is saved with it. */
  emitStartOnSave(event: Extract<EventDraft, { type: "run_start" }>): void {
    this.#finishText();
    const end = this.#waiting.findLastIndex(({ draft }) => draft.type === "run_end") + 1; // the end of a run whose process died
    this.#waiting.splice(Math.max(this.#emitted, end), 0, { draft: event, isLive: false });
  }

  /**
   * Emits the event at once, unless an earlier event is held back. It is saved with the next save; deltas of one text
   * are saved as one event.
   */
  emit(event: EventDraft): void {
    const isHeld = this.isHolding();
    if (this.#growing !== undefined && isMoreOf(this.#growing.first, event)) {
      this.#growing.deltas.push(event.data.text);
      this.#growing.length += event.data.text.length;
    } else {
      this.#add(event, true);
      if (!isHeld) this.#emitted++;
      if (isText(event)) this.#growing = { first: event, deltas: [event.data.text], length: event.data.text.length };
    }
    if (isHeld) return;
    const number = this.#last + this.#waiting.length;
    this.#deliver(event, liveId({ number, length: this.#growing?.length, saved: this.#last }));
  }

  /** Emits the event at once, without saving it. */
  emitUnsaved(event: EventDraft): void {
    this.#onEvent({ id: this.#lastId, ...event }, false); // a reader that resumes after it misses nothing
  }

  /** True while there are unsaved events. */
  isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** True while an event is held back until the next save. */
  isHolding(): boolean {
    return this.#emitted < this.#waiting.length;
  }

  /** The events that were emitted but not saved yet. */
  unsaved(): AgentEvent[] {
    this.#joinText();
    const saved = this.#last;
    return this.#waiting.slice(0, this.#emitted).map(({ draft }, i) => ({
      ...draft,
      id: liveId({ number: saved + 1 + i, length: lengthOf(draft), saved }),
    }));
  }

  /** The number of the last saved event. */
  lastSaved(): number {
    return this.#last;
  }

  /** The events to save. `saved` or `putBack` must follow before the next call. */
  take(): readonly EventDraft[] {
    this.#finishText();
    this.#taken = this.#waiting.length;
    return this.#waiting.map(({ draft }) => draft);
  }

  saved(): void {
    this.#joinText();
    const from = this.#emitted;
    const taken = this.#taken;
    const last = this.#last + taken;
    while (this.isHolding() && (this.#emitted < taken || this.#waiting[this.#emitted]?.isLive === true))
      this.#emitted++;
    const due = this.#waiting.slice(from, this.#emitted).map(({ draft }, i) => {
      const number = this.#last + 1 + from + i;
      return { draft, id: number <= last ? String(number) : liveId({ number, length: lengthOf(draft), saved: last }) };
    });
    this.#waiting = this.#waiting.slice(taken);
    this.#emitted -= taken;
    this.#last = last;
    this.#taken = 0;
    for (const { draft, id } of due) this.#deliver(draft, id);
  }

  putBack(): void {
    this.#taken = 0;
  }

  #add(draft: EventDraft, isLive: boolean): void {
    this.#finishText();
    this.#waiting.push({ draft, isLive });
  }

  #deliver({ type, data }: EventDraft, id: string): void {
    this.#lastId = id;
    this.#onEvent({ id, type, data } as AgentEvent, true); // the draft has this type
  }

  #finishText(): void {
    this.#joinText();
    this.#growing = undefined;
  }

  /** Joins the growing text. If deltas were concatenated one by one, V8 would keep all of them as long as the text. */
  #joinText(): void {
    const item = this.#waiting.at(-1);
    const growing = this.#growing;
    if (growing === undefined || item === undefined || growing.deltas.length === 1) return;
    const text = growing.deltas.join("");
    growing.deltas = [text];
    item.draft = withText(growing.first, text);
  }
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
  one.path?.join("/") === other.path?.join("/") &&
  (one.type !== "tool_call_delta" || other.type !== "tool_call_delta" || one.data.id === other.data.id);

/** A delta with another text. */
export function withText(delta: TextDraft, text: string): TextDraft {
  const path = delta.path === undefined ? {} : { path: delta.path };
  return delta.type === "tool_call_delta"
    ? { type: delta.type, data: { id: delta.data.id, text }, ...path }
    : { type: delta.type, data: { text }, ...path };
}

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
