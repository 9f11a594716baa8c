import type { AnomalyKind } from "./anomalies.ts";
import type { Choice } from "./assembly.ts";
import { resolveArguments } from "./resolve-arguments.ts";
import type { Seal } from "./turn.ts";

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

/**
 * Merges calls that only repeat another. If a server sends no ids, or the same id, only the arguments show whether a
 * call is repeated or new.
 */
export function joinRepeats(slots: readonly Slot[], note: (kind: AnomalyKind, at: Slot) => void): readonly Slot[] {
  if (slots.every(({ repeats }) => repeats === undefined)) return slots; // the common case
  const joined = new Map<Slot, Slot>();
  const readTexts = new Map<Slot, Set<string>>(); // the texts that were merged into each call
  return slots.filter((slot) => {
    const before = slot.repeats && (joined.get(slot.repeats) ?? slot.repeats);
    if (before === undefined) return true;
    const texts = readTexts.get(before) ?? new Set();
    const text = slot.fragments.join("");
    const isKnown = texts.has(text) && (slot.id === undefined || slot.id === before.id);
    if (!isKnown && texts.size >= mostVersions) before.isOpen = true;
    else if (!isKnown && isAnother(slot, before)) {
      if (slot.label !== undefined) note("index-reused", before);
      return true;
    } else if (!isKnown) {
      before.fragments = before.fragments.concat(slot.fragments);
      readTexts.set(before, texts.add(text));
    }
    if (!slot.hasText) note("name-repeated", before);
    joined.set(slot, before);
    return false;
  });
}

/** A call that is repeated in more versions is truncated, and not compared with all of them. */
const mostVersions = 32;

/** True if a call does not repeat the call before. */
export const isAnother = (slot: Slot, before: Slot): boolean =>
  (slot.id !== undefined && slot.id !== before.id) || !areOne(before, slot);

/** True if one is an empty placeholder, continues the other, or is equal to it. */
function areOne({ fragments: before }: Slot, { fragments: after }: Slot): boolean {
  if (/^(?:\s|\{\s*\})*$/u.test(before.join("")) || !/^\s*(?:[{["]|null)/u.test(after.join(""))) return true;
  return resolveArguments(before.concat(after), { ended: false, lenient: false, isBlankNone: false }).state === "ready";
}

/** Joins arguments under another index or id without a name to the call that they continue. */
export function joinNameless({ slots }: Choice): void {
  if (slots.every(({ follows }) => follows === undefined)) return; // the common case
  const joined = new Map<Slot, Slot>();
  const kept = slots.filter((slot) => {
    const before = slot.follows && (joined.get(slot.follows) ?? slot.follows);
    if (before === undefined) return true;
    for (const fragment of slot.fragments) before.fragments.push(fragment);
    before.hasText = true;
    joined.set(slot, before);
    return false;
  });
  slots.length = 0;
  for (const slot of kept) slots.push(slot);
}

/** The tools of the request; undefined if unknown. */
export type ToolNames = ReadonlySet<string> | undefined;

/**
 * Removes characters that models and servers add around a name. Possible arguments stay: `rm /srv/x` is not a call of
 * `rm` without arguments.
 */
export function cleanName(name: string, tools: ToolNames): string {
  if (tools?.has(name) === true) return name;
  const cut = name.indexOf("<|");
  const bare = (cut > 0 && !/[{[]/u.test(name.slice(cut)) ? name.slice(0, cut) : name).trim();
  if (tools === undefined || tools.has(bare)) return bare;
  // Characters that may belong to a name are removed only if the result is the name of a tool.
  const inner = bare.replace(/^(?:functions|default_api|tools)[.:]/u, "").replace(/^["'`]|["'`]$/gu, "");
  return (
    [inner, inner.replace(/:\d+$/u, ""), inner.replace(/\(\s*\)?$|[<:]$/u, "").trimEnd()].find((each) =>
      tools.has(each),
    ) ?? bare
  );
}

/** The name of a call after another delta before any argument: repeated, extended or split. */
export function joinName(known: string, delta: string, tools: ToolNames): string {
  const joined = known + delta;
  const isOffered = tools?.has(joined) === true;
  if (known.startsWith(delta) && (!isOffered || tools.has(known))) return known;
  if (isOffered) return joined;
  return tools?.has(delta) === true || delta.startsWith(known) ? delta : joined;
}
