import type { Key } from "./keys.ts";
import { insert, pressIn } from "./line.ts";
import type { Line } from "./line.ts";
import type { Face } from "../view/face.ts";

/** A prompt: a choice by key, or a line of text. */
export type Question = ChoiceQuestion | { readonly type: "line"; readonly label: string; readonly line: Line };

export interface ChoiceQuestion {
  readonly type: "choice";
  readonly choices: readonly Choice[];
  /** Keys that work although they are not shown. */
  readonly silent?: readonly string[];
  /** The hint after an invalid key, instead of the usual text. */
  readonly otherKey?: string;
  readonly card?: Card;
  /** True if the user did not request the prompt. Keys in its first moment were meant for something else. */
  readonly isSudden?: boolean;
}

/** The details of a choice. */
export interface Card {
  /** The call, which is not shown elsewhere meanwhile. */
  readonly call?: string;
  readonly lines: (face: Face) => readonly string[];
  /** True if only the title is shown, because the details are printed above. */
  readonly isCut?: boolean;
}

export interface Choice {
  /** A letter (case-sensitive) or Enter. */
  readonly key: string;
  readonly label: string;
}

/** A prompt after a key, and its reply. `text: undefined` closes the prompt. */
export interface Answered {
  readonly question: Question;
  readonly answer?: { readonly text: string | undefined };
  /** The key has no meaning here. */
  readonly isStray?: boolean;
}

/** Applies a key to a prompt. A paste is never a decision. */
export function answerTo(question: Question, key: Key): Answered {
  if (key.type === "press" && key.name === "escape") return { question, answer: { text: undefined } };
  if (question.type === "choice") {
    const pressed = key.type === "text" ? key.text : key.type === "press" && key.name === "enter" ? "Enter" : "";
    const keys = [...question.choices.map(({ key: offered }) => offered), ...(question.silent ?? [])];
    return keys.includes(pressed) ? { question, answer: { text: pressed } } : { question, isStray: true };
  }
  if (key.type === "press" && key.name === "enter") return { question, answer: { text: question.line.text } };
  if (key.type !== "press") return { question: { ...question, line: insert(question.line, key.text) } };
  return { question: { ...question, line: pressIn(question.line, key.name) ?? question.line } };
}
