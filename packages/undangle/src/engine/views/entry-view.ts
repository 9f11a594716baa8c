import type { CallView } from "../events.ts";
import { isShown } from "../journal/read-entries.ts";
import type { SavedEntries } from "../journal/read-entries.ts";
import { present } from "../ledger/call.ts";
import type { Entry, InputPart, Recorded, TurnEntryPart } from "../ledger/entry.ts";
import type { Usage } from "../ledger/ledger.ts";
import type { RunMode } from "../run/run-mode.ts";
import { usageOf } from "../step/check-model-turn.ts";
import { callView } from "./call-view.ts";

/** A part of an entry, for display. */
export type EntryPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  /** The place of a call in its turn. */
  | { readonly type: "call"; readonly id: string }
  | {
      readonly type: "media";
      readonly kind: "image" | "audio" | "video" | "file";
      /** A data URL, or the address that the message contains. Absent for a file at a provider. */
      readonly url?: string;
      readonly name?: string;
    };

/** A message or a turn of a thread, for display. */
export interface EntryView {
  /** The number in the thread, for `fork(at)`. A queued message has no number yet: it gets one after the last entry. */
  readonly entry: number;
  /** `system`: instructions of an imported history. */
  readonly type: "input" | "turn" | "system";
  /** In milliseconds of the clock. */
  readonly at: number;
  readonly parts: readonly EntryPart[];
  /** The calls of a turn, in order. In a child thread, their ids start with the path. */
  readonly calls: readonly CallView[];
  /** The name of the model of a turn. `imported` for an imported turn. */
  readonly model?: string;
  readonly finish?: string;
  readonly tokens?: Usage;
  /** True for a message that the engine wrote. */
  readonly byEngine?: true;
  /** True if `regenerate` replaced it. The model does not receive it. */
  readonly retracted?: true;
  /** True for a message that waits until open calls have results. */
  readonly queued?: true;
}

/** A page of entries, the oldest first, as of one event. */
export interface ThreadEntries {
  readonly entries: readonly EntryView[];
  /** Pass it as `before` to read older entries. Null at the start of the thread. */
  readonly before: number | null;
  /** Pass it as `after` to `events()`: later events are not contained in the page, and all others are. */
  readonly lastEvent: string;
  /** The mode of the last run. A message without a mode keeps `read-only`. */
  readonly mode?: RunMode;
}

export interface EntryViewOptions {
  readonly language: "en" | "zh";
  /** The calls that lead to the child thread whose entries these are. */
  readonly path: readonly string[];
}

/** Saved entries, for display. */
export function entriesView(saved: SavedEntries, options: EntryViewOptions): ThreadEntries {
  const { first, recorded, following, queue, entries, lastEvent, mode } = saved;
  const isRetracted = retractedAmong([...recorded.map(({ entry }) => entry), ...following], first);
  const shown = recorded.flatMap((each, i): readonly EntryView[] => {
    if (!isShown(each.entry)) return [];
    const view = entryView(each, first + i, options);
    return [isRetracted(first + i) ? { ...view, retracted: true } : view];
  });
  const queued = queue.map((entry, i): EntryView => {
    const view = entryView({ entry, calls: [] }, entries + i, options);
    return { ...view, queued: true };
  });
  return {
    entries: [...shown, ...queued],
    before: first === 0 ? null : first,
    lastEvent: String(lastEvent),
    ...(mode !== undefined && { mode }),
  };
}

function entryView({ entry, calls }: Recorded, number: number, { language, path }: EntryViewOptions): EntryView {
  const idOf = (id: string): string => [...path, id].join("/");
  const common = { entry: number, at: entry.at, parts: partsView(entry, idOf), calls: [] };
  switch (entry.type) {
    case "answer": {
      const { model, finish, usage } = entry;
      return {
        ...common,
        type: "turn",
        calls: calls.map((call) => ({ ...callView(call, language), id: idOf(call.id) })),
        model,
        finish,
        ...present({ tokens: usage && usageOf(usage) }),
      };
    }
    case "input":
      return { ...common, type: "input", ...(entry.by === "engine" && { byEngine: true }) };
    default:
      return { ...common, type: "system" };
  }
}

/** The parts with content. Adjacent texts of a turn are one text, which signatures separate. */
function partsView(entry: Entry, idOf: (id: string) => string): readonly EntryPart[] {
  if (!("parts" in entry)) return [];
  const views: EntryPart[] = [];
  for (const part of entry.parts) {
    const view = partView(part, idOf);
    const last = views.at(-1);
    if (entry.type === "answer" && view.type === "text" && last?.type === "text")
      views[views.length - 1] = { type: "text", text: last.text + view.text };
    else if (!("text" in view) || view.text !== "") views.push(view);
  }
  return views;
}

function partView(part: InputPart | TurnEntryPart, idOf: (id: string) => string): EntryPart {
  switch (part.type) {
    case "text":
    case "reasoning":
      return { type: part.type, text: part.text };
    case "call":
      return { type: "call", id: idOf(part.id) };
    case "media": {
      const name = "name" in part ? part.name : undefined;
      return { type: "media", kind: part.kind, ...present({ url: addressOf(part), name }) };
    }
  }
}

type MediaPart = Extract<InputPart | TurnEntryPart, { type: "media" }>;

function addressOf({ source, mediaType = "application/octet-stream" }: MediaPart): string | undefined {
  if (source.type === "bytes") return `data:${mediaType};base64,${source.data}`;
  return source.type === "url" ? source.url : undefined;
}

/** Determines which of consecutive entries are retracted. `first` is the number of the first. */
function retractedAmong(entries: readonly Entry[], first: number): (number: number) => boolean {
  const restored = new Set(entries.map((entry) => (entry.type === "restore" ? entry.retraction : undefined)));
  const ranges = entries.flatMap((entry, i) =>
    entry.type === "retract" && !restored.has(first + i) ? [{ from: entry.from, to: first + i }] : [],
  );
  return (number) => ranges.some(({ from, to }) => from <= number && number < to);
}
