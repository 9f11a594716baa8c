import type { Finish } from "#core";

import type { OutcomePart } from "./call.ts";

/** What a thread consists of, in its order. Entries are only ever added. */
export type Entry = InputEntry | AnswerEntry;

/** What a person said. */
export interface InputEntry {
  readonly type: "input";
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
}

export type AnswerPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  /** The id is that of the ledger. */
  | { readonly type: "call"; readonly id: string };

/** What a search finds of an entry. */
export function spokenText({ parts }: Entry): string {
  let text = "";
  for (const part of parts) {
    if (part.type === "text") text += text === "" ? part.text : `\n${part.text}`;
  }
  return text;
}
