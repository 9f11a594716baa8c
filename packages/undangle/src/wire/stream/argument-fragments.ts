import { damageOf, isPlaceholder } from "#core";
import type { Slot } from "#core";

/** How the deltas of a call's arguments are meant, judged while they arrive. Some servers send the whole text with each delta. */
export interface ArgumentFragments {
  /** Reads the fragments that arrived since. */
  readonly update: (slot: Pick<Slot, "fragments">) => void;
  /** No fragments follow. */
  readonly close: () => void;
  readonly kind: () => FragmentKind;
  /** The number of leading fragments that are placeholders for arguments. */
  readonly placeholders: () => number;
  /** The number of leading fragments, with those, that are consecutive in every reading. */
  readonly certain: () => number;
  /** The last fragment of cumulative ones. */
  readonly last: () => string;
  /** The last fragment is a complete object. */
  readonly isComplete: () => boolean;
}

/**
 * - `consecutive`: each continues the one before.
 * - `cumulative`: each repeats everything before it.
 * - `ambiguous`: both readings are possible.
 * - `unclear`: neither is, and only the end of the stream can show the meaning.
 * - `encoded`: they are a JSON string that contains the arguments.
 */
type FragmentKind = "consecutive" | "cumulative" | "ambiguous" | "unclear" | "encoded";

const isEncoded = /^\s*"/u;

/** The two readings of fragments of which one starts with everything before it. */
interface Readings {
  /** All fragments, concatenated. */
  text: string;
  canBeConsecutive: boolean;
  /** The last fragment alone may be the arguments. */
  canBeCumulative: boolean;
  /** The repeated text is longer than one character, which models double by mistake. */
  isCertain: boolean;
  /** Earlier fragments were consecutive, so that only a fragment with the complete text can repeat them. */
  readonly isResent: boolean;
}

export function createArgumentFragments(): ArgumentFragments {
  let fragments: readonly string[] = [];
  let seen = 0;
  let placeholders = 0;
  let certain = 0;
  let length = 0; // of the fragments after placeholders
  let last = "";
  let kind: FragmentKind = "consecutive";
  let readings: Readings | undefined;

  /** True for a fragment that starts with everything before it, and may repeat that. */
  const mayRepeat = (fragment: string): boolean => {
    const earlier = fragments.slice(placeholders, seen - 1);
    const before = earlier.join("");
    const start = before.trimStart();
    if (!start.startsWith("{") || !fragment.trimStart().startsWith(start)) return false;
    const isResent = earlier.filter(hasText).length > 1 || !fragment.startsWith(before);
    const text = before + fragment;
    const canBeCumulative = isResent ? isObject(fragment) : mayBecomeObject(fragment);
    readings = {
      text,
      canBeConsecutive: mayBecomeObject(text),
      canBeCumulative,
      isCertain: isLonger(before),
      isResent,
    };
    last = fragment;
    kind = decide(readings);
    return kind !== "consecutive";
  };

  /** Continues both readings. */
  const compare = (fragment: string, both: Readings): FragmentKind => {
    both.text += fragment;
    if (hasText(fragment)) {
      both.canBeConsecutive &&= mayBecomeObject(both.text);
      both.canBeCumulative &&= !both.isResent && fragment.startsWith(last) && mayBecomeObject(fragment);
      both.isCertain ||= both.canBeCumulative && isLonger(last);
      last = fragment;
    }
    return decide(both);
  };

  const addCumulative = (fragment: string): void => {
    if (!hasText(fragment)) return;
    if (!fragment.startsWith(last)) kind = "unclear";
    else last = fragment;
  };

  /** Adds a fragment that continues the others, unless it may repeat them. */
  const add = (fragment: string): void => {
    // Arguments may be long: a shorter fragment cannot repeat them and is not compared.
    certain = seen - 1;
    if (length === 0 || fragment.length < length || !mayRepeat(fragment)) certain = seen;
    length += fragment.length;
  };

  const addFirst = (fragment: string): void => {
    if (length === 0 && isPlaceholder(fragment)) placeholders = seen;
    else if (length === 0 && isEncoded.test(fragment)) kind = "encoded";
    else add(fragment);
  };

  const take = (fragment: string): void => {
    if (kind === "consecutive") addFirst(fragment);
    else if (kind === "cumulative") addCumulative(fragment);
    else if (kind === "ambiguous" && readings !== undefined) {
      kind = compare(fragment, readings);
      if (kind === "consecutive") add(fragment);
      else length += fragment.length;
    }
  };

  /** The server sent a text in place of all fragments. */
  const replace = (given: readonly string[]): void => {
    const text = given.join("");
    const isSame = kind === "consecutive" || text === fragments.slice(placeholders).join("");
    [placeholders, seen, certain, length, last] = [0, given.length, given.length, text.length, text];
    if (isPlaceholder(text)) [placeholders, length, kind] = [seen, 0, "consecutive"];
    else if (isEncoded.test(text)) kind = "encoded";
    else if (isSame) kind = "consecutive";
    else kind = "cumulative";
  };

  return {
    update(slot) {
      if (seen > 0 && slot.fragments !== fragments) replace(slot.fragments);
      fragments = slot.fragments;
      while (seen < fragments.length) take(fragments[seen++] ?? "");
    },
    close() {
      if (kind === "ambiguous") kind = readings?.canBeCumulative === true && isObject(last) ? "cumulative" : "unclear";
    },
    kind: () => kind,
    placeholders: () => placeholders,
    certain: () => certain,
    last: () => last,
    isComplete: () => isObject(last),
  };
}

/** The reading that is left, or both. */
function decide({ canBeConsecutive, canBeCumulative, isCertain }: Readings): FragmentKind {
  if (canBeConsecutive) return canBeCumulative ? "ambiguous" : "consecutive";
  if (!canBeCumulative) return "unclear";
  return isCertain ? "cumulative" : "ambiguous";
}

const hasText = (fragment: string): boolean => fragment.trim() !== "";

const isLonger = (text: string): boolean => text.trim().length > 1;

/** True for a JSON object, and for the start of one. */
const mayBecomeObject = (text: string): boolean => damageOf(text) !== "malformed";

const isObject = (text: string): boolean => hasText(text) && damageOf(text) === undefined;
