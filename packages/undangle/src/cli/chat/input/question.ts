import type { Key } from "./keys.ts";
import { insert, pressIn } from "./line.ts";
import type { Line } from "./line.ts";
import type { Face } from "../view/face.ts";

/** Something that a person is asked: to press one of some keys, or to write a line. */
export type Question = ChoiceQuestion | { readonly type: "line"; readonly label: string; readonly line: Line };

export interface ChoiceQuestion {
  readonly type: "choice";
  readonly choices: readonly Choice[];
  /** Keys that choose the same as when they are offered. */
  readonly silent?: readonly string[];
  /** What is shown after a key that chooses nothing, in place of the usual text. */
  readonly otherKey?: string;
  readonly card?: Card;
  /** Nobody has asked for it: what is typed in its first moment was meant for something else. */
  readonly isSudden?: boolean;
}

/** What a choice is about. */
export interface Card {
  /** The call that it is about, which is not shown elsewhere meanwhile. */
  readonly call?: string;
  readonly lines: (face: Face) => readonly string[];
  /** It is only the title: all of it stands above. */
  readonly isCut?: boolean;
}

export interface Choice {
  /** A letter, in the case that it has here; or Enter. */
  readonly key: string;
  readonly label: string;
}

/** A question after a key, and the answer where there is one; `text: undefined` takes the question away. */
export interface Answered {
  readonly question: Question;
  readonly answer?: { readonly text: string | undefined };
  /** The key chooses nothing. */
  readonly isStray?: boolean;
}

/** What a key does to a question. What is pasted answers none: a text is no decision. */
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
