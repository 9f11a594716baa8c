import type { Format } from "#codecs";
import type { Finish, JsonObject, Seal, TurnMedia, TurnReasoning } from "#core";

import type { LedgerCall, OutcomePart } from "./call.ts";

/** An element of a thread, in order. Entries are only ever added. */
export type Entry = InputEntry | TurnEntry | SystemEntry | OriginalEntry | RetractEntry | RestoreEntry;

/** An entry with the calls that belong to it. */
export interface Recorded {
  readonly entry: Entry;
  readonly calls: readonly LedgerCall[];
}

/** A message of the user, or of the engine on their behalf. */
export interface InputEntry {
  readonly type: "input";
  /** The model receives the message, but it is not used as a title and not searched. */
  readonly by?: "engine";
  readonly at: number;
  readonly parts: readonly InputPart[];
}

export type InputPart = OutcomePart;

/** A turn of the model. Its calls are stored separately, because they change. */
export interface TurnEntry {
  readonly type: "answer";
  readonly at: number;
  /** The name of the model. */
  readonly model: string;
  readonly parts: readonly TurnEntryPart[];
  /** `stopped`: a person stopped the turn, and this is the part they saw. */
  readonly finish: Exclude<Finish, null> | "stopped";
  readonly usage?: JsonObject;
  /** Tools that hooks hid from the request. No call of this turn may run one of them. */
  readonly hidden?: readonly string[];
}

/** Instructions from an imported history. */
export interface SystemEntry {
  readonly type: "system";
  readonly at: number;
  readonly parts: readonly { readonly type: "text"; readonly text: string }[];
}

/** An imported history, unchanged. The entries after it were read from it. No model gets it. */
export interface OriginalEntry {
  readonly type: "original";
  readonly at: number;
  readonly format: Format;
  readonly value: unknown;
}

/** Hides the entries from `from` up to this one from the model. They stay in the thread. */
export interface RetractEntry {
  readonly type: "retract";
  readonly at: number;
  readonly from: number;
}

/** Restores retracted entries, because no other response followed. */
export interface RestoreEntry {
  readonly type: "restore";
  readonly at: number;
  /** The number of the retraction. */
  readonly retraction: number;
}

/**
 * A part of a turn in its order, with the provider's signatures. Adjacent texts are one text; only signatures separate
 * them.
 */
export type TurnEntryPart =
  | { readonly type: "text"; readonly text: string; readonly seal?: Seal }
  | TurnReasoning
  | TurnMedia
  /** The ledger's id of the call. */
  | { readonly type: "call"; readonly id: string };

/** The searchable text of an entry. */
export function entryText(entry: Entry): string {
  if (!isSpoken(entry) || (entry.type === "input" && entry.by === "engine")) return "";
  let text = "";
  let before: string | undefined;
  for (const part of entry.parts) {
    if (part.type === "text") {
      const isMore = text === "" || (entry.type === "answer" && before === "text");
      text += isMore ? part.text : `\n${part.text}`;
    }
    before = part.type;
  }
  return text;
}

const isSpoken = (entry: Entry): entry is InputEntry | TurnEntry => entry.type === "input" || entry.type === "answer";
