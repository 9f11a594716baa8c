import type { JsonObject } from "../json.ts";
import type { AnomalyKind } from "./anomalies.ts";
import type { Seal } from "./seal.ts";

/** A call while it is assembled. */
export interface Slot {
  /** Its number in the stream. */
  readonly number: number;
  readonly choice: number;
  /** The server's label. An index is a label, not a position. */
  label: number | string | undefined;
  id: string | undefined;
  name: string;
  /** The argument deltas, joined only at the end, when their relation is known. */
  fragments: string[];
  hasText: boolean;
  /** Arguments that arrived as a value, in formats that build them incrementally. */
  value: Record<string, unknown> | undefined;
  seal: Seal | undefined;
  extras: Record<string, unknown> | undefined;
  /** True if more must arrive, because the server announced it or a delta cannot be assigned. */
  isOpen: boolean;
  /** True if the server ended the call. Some formats have no such event. */
  isOver: boolean;
  /** True if a chunk could not be read before its end, which may belong to this call. */
  isTruncated: boolean;
  /** True if an event without arguments arrived in their place. Without arguments the call is incomplete. */
  isDoubtful: boolean;
  /** True if its value is built from deltas, so that a lost delta does not show. */
  isPartial: boolean;
  /** True if its input is plain text: a custom tool. */
  isFreeText: boolean;
  /** The last frame that named it, or referred to it without an index. */
  touched: number;
  /** The call that this one may repeat. The arguments decide at the end; until then it is not emitted. */
  repeats: Slot | undefined;
  /** Other indexes and ids under which its arguments arrived. Another call may turn out to have them. */
  aliases: { readonly labels: Set<Slot["label"]>; readonly ids: Set<Slot["id"]> } | undefined;
  /** The call that this one continues, unless it gets a name. */
  follows: Slot | undefined;
  /** True if its start was emitted. */
  isEmitted: boolean;
  readonly seen: Set<AnomalyKind>;
  readonly balance: Balance;
  /** A cache of the parsed arguments. */
  soFar: ArgumentsSoFar | undefined;
}

/** The arguments of a call up to a fragment. */
export interface ArgumentsSoFar {
  readonly fragments: readonly string[];
  /** The number of fragments. */
  readonly count: number;
  readonly raw: string;
  /** Undefined if they are not a JSON object. */
  readonly value: JsonObject | undefined;
}

/** The state of the bracket scan. */
interface Balance {
  fragment: number;
  depth: number;
  inString: boolean;
  isEscaped: boolean;
  /** True if a bracket was opened and all are closed. */
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
  isTruncated: false,
  isDoubtful: false,
  isPartial: false,
  isFreeText: false,
  touched: -1,
  repeats: undefined,
  aliases: undefined,
  follows: undefined,
  isEmitted: false,
  seen: new Set(),
  balance: { fragment: 0, depth: 0, inString: false, isEscaped: false, isWhole: false },
  soFar: undefined,
});

/** Replaces the arguments so far. */
export function replaceText(slot: Slot, text: string): void {
  slot.fragments = [text];
  slot.hasText = true;
  Object.assign(slot.balance, { fragment: 0, depth: 0, inString: false, isEscaped: false, isWhole: false });
}

/** True if the brackets of the arguments are balanced. Each fragment is scanned once. */
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
