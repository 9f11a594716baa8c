import type { AnomalyKind } from "./anomalies.ts";
import type { Seal } from "./seal.ts";

/** A call that is being put together. */
export interface Slot {
  /** Its number in the stream. */
  readonly number: number;
  readonly choice: number;
  /** What the server calls it: an index is a label and not a position. */
  label: number | string | undefined;
  id: string | undefined;
  name: string;
  /** The pieces of its arguments, kept apart until the end: how they belong together shows only then. */
  fragments: string[];
  hasText: boolean;
  /** Arguments that came as a value and not as text, in formats that build them piece by piece. */
  value: Record<string, unknown> | undefined;
  seal: Seal | undefined;
  extras: Record<string, unknown> | undefined;
  /** More of it must come before it is whole: the server said so, or what came of it cannot be placed. */
  isOpen: boolean;
  /** The server said that nothing more of it comes: formats in which nothing says so have none that is. */
  isOver: boolean;
  /** A piece of the answer could not be read before it was over: it may have been one of this call. */
  isTorn: boolean;
  /** An event came in the place of its arguments, or may have, and contained none: without arguments it is not complete. */
  isDoubtful: boolean;
  /** Its value is built from deltas: a lost one does not show in it. */
  isPartial: boolean;
  /** Its input is free text and not JSON: a custom tool. */
  isFreeText: boolean;
  /** The frame that last named it, or spoke of it without an index. */
  touched: number;
  /** The call that this one may be once more: what it says tells, at the end, and until then it is not told. */
  repeats: Slot | undefined;
  /** Indexes and ids under which arguments of it came, other than its own: another call may turn out to have them. */
  aliases: { readonly labels: Set<Slot["label"]>; readonly ids: Set<Slot["id"]> } | undefined;
  /** The call that this one is more of, unless a name comes for it. */
  follows: Slot | undefined;
  /** Its beginning was told. */
  isTold: boolean;
  readonly seen: Set<AnomalyKind>;
  readonly balance: Balance;
  /** What was last read of its arguments, so that they are read once. */
  soFar: ArgumentsSoFar | undefined;
}

/** The arguments of a call up to some fragment. */
export interface ArgumentsSoFar {
  readonly fragments: readonly string[];
  /** How many of them there were. */
  readonly count: number;
  readonly raw: string;
  /** Undefined while they are not a JSON object. */
  readonly value: Readonly<Record<string, unknown>> | undefined;
}

/** How far the brackets of the fragments were followed. */
interface Balance {
  fragment: number;
  depth: number;
  inString: boolean;
  isEscaped: boolean;
  /** Something was opened and closed again. */
  isWhole: boolean;
}

export const createSlot = (number: number, choice: number, label: Slot["label"]): Slot => ({
  number,
  choice,
  label,
  id: undefined,
  name: "",
  fragments: [],
  hasText: false,
  value: undefined,
  seal: undefined,
  extras: undefined,
  isOpen: false,
  isOver: false,
  isTorn: false,
  isDoubtful: false,
  isPartial: false,
  isFreeText: false,
  touched: -1,
  repeats: undefined,
  aliases: undefined,
  follows: undefined,
  isTold: false,
  seen: new Set(),
  balance: { fragment: 0, depth: 0, inString: false, isEscaped: false, isWhole: false },
  soFar: undefined,
});

/** Puts a text in the place of all that came of the arguments. */
export function replaceText(slot: Slot, text: string): void {
  slot.fragments = [text];
  slot.hasText = true;
  Object.assign(slot.balance, { fragment: 0, depth: 0, inString: false, isEscaped: false, isWhole: false });
}

/** True when the arguments so far are a whole JSON value by their brackets. Each fragment is looked at once. */
export function isWhole({ fragments, balance }: Slot): boolean {
  for (; balance.fragment < fragments.length; balance.fragment++) follow(balance, fragments[balance.fragment] ?? "");
  return balance.isWhole;
}

function follow(balance: Balance, text: string): void {
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (balance.isEscaped) balance.isEscaped = false;
    else if (balance.inString) {
      if (sign === "\\") balance.isEscaped = true;
      else if (sign === '"') balance.inString = false;
    } else if (sign === '"') balance.inString = true;
    else if (sign === "{" || sign === "[") balance.depth++;
    else if (sign === "}" || sign === "]") balance.depth--;
    else continue;
    balance.isWhole = balance.depth === 0 && !balance.inString && !balance.isEscaped;
  }
}
