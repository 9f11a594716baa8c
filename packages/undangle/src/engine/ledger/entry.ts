import type { Format } from "#codecs";
import type { Finish, Seal, TurnMedia, TurnReasoning } from "#core";

import type { OutcomePart } from "./call.ts";

/** What a thread consists of, in its order. Entries are only ever added. */
export type Entry = InputEntry | AnswerEntry | SystemEntry | OriginalEntry | RetractEntry | RestoreEntry;

/** What a person said, or the engine in their place. */
export interface InputEntry {
  readonly type: "input";
  /** The model hears it like any other message; it is nobody's words, and so no title, and no search finds it. */
  readonly by?: "engine";
  readonly at: number;
  readonly parts: readonly InputPart[];
}

export type InputPart = OutcomePart;

/** What the model said. Its calls are kept beside it: they change, and it does not. */
export interface AnswerEntry {
  readonly type: "answer";
  readonly at: number;
  /** Of the model. */
  readonly model: string;
  readonly parts: readonly AnswerPart[];
  /** `stopped`: it was cut off by the person, and this is what they saw of it. */
  readonly finish: Exclude<Finish, null> | "stopped";
  readonly usage?: Readonly<Record<string, unknown>>;
  /** Tools that hooks had hidden from the request: no call of this answer may run one of them. */
  readonly hidden?: readonly string[];
}

/** Instructions that stood in a history which was taken over. */
export interface SystemEntry {
  readonly type: "system";
  readonly at: number;
  readonly parts: readonly { readonly type: "text"; readonly text: string }[];
}

/** A history that was taken over, to the letter: the entries behind it were read from it. No model sees it. */
export interface OriginalEntry {
  readonly type: "original";
  readonly at: number;
  readonly format: Format;
  readonly value: unknown;
}

/** The model is not told any more what stands from an entry on up to this one. It is what happened all the same. */
export interface RetractEntry {
  readonly type: "retract";
  readonly at: number;
  readonly from: number;
}

/** What a retraction had taken back is told again: no other answer has come of it. */
export interface RestoreEntry {
  readonly type: "restore";
  readonly at: number;
  /** The number of the retraction. */
  readonly retraction: number;
}

/**
 * A piece of an answer, in the order in which the model said it, with the seals that its provider asks for later. Texts that
 * follow each other are one text: only seals keep them apart.
 */
export type AnswerPart =
  | { readonly type: "text"; readonly text: string; readonly seal?: Seal }
  | TurnReasoning
  | TurnMedia
  /** The id is that of the ledger. */
  | { readonly type: "call"; readonly id: string };

/** What a search finds of an entry: the words of the person, or of the model. */
export function spokenText(entry: Entry): string {
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

const isSpoken = (entry: Entry): entry is InputEntry | AnswerEntry => entry.type === "input" || entry.type === "answer";
