import { isPlaceholder } from "#core";
import type { Slot } from "#core";

import { createJsonSoFar } from "./json-so-far.ts";
import type { JsonSoFar } from "./json-so-far.ts";

/** How the pieces of a call's arguments belong together, as far as that can be told before they are all there. */
export interface CallPieces {
  /** Looks at what has come since. */
  readonly look: (slot: Pick<Slot, "fragments">) => void;
  /** Nothing more comes of the call. */
  readonly close: () => void;
  readonly manner: () => Manner;
  /** How many of the first fragments only stand in the place of arguments. */
  readonly first: () => number;
  /** How many of them, with those, stand one behind the other for certain. */
  readonly sure: () => number;
  /** The one that says all, where each says once more what came before. */
  readonly last: () => string;
  /** That one is a whole object. */
  readonly isWhole: () => boolean;
}

/**
 * They stand one behind the other; each says once more what came before; both can be meant; neither is, and the end has to tell;
 * or they are a text in which arguments stand.
 */
export type Manner = "joined" | "again" | "open" | "lost" | "encoded";

/** Arguments that are a text in which they stand. */
const isEncoded = /^\s*"/u;

/** The two ways to read pieces of which one begins with all that came before. */
interface Doubt {
  /** All of them, one behind the other. */
  readonly joined: JsonSoFar;
  canBeJoined: boolean;
  /** The last one alone. */
  readonly again: JsonSoFar;
  canBeAgain: boolean;
  /** What was said again is more than one sign, which models double by mistake. */
  isSure: boolean;
  /** Pieces stood one behind the other before: only what says all of them at last can say them again. */
  readonly isResent: boolean;
}

export function createCallPieces(): CallPieces {
  let fragments: readonly string[] = [];
  let seen = 0; // so many of them
  let first = 0;
  let sure = 0;
  let length = 0; // of those behind placeholders
  let last = "";
  let manner: Manner = "joined";
  let doubt: Doubt | undefined;

  /** True for a fragment that begins with all that came before, and may say that again. */
  const suspect = (fragment: string): boolean => {
    const earlier = fragments.slice(first, seen - 1);
    const before = earlier.join("");
    const start = before.trimStart();
    if (!start.startsWith("{") || !fragment.trimStart().startsWith(start)) return false;
    const [joined, again] = [createJsonSoFar(), createJsonSoFar()];
    const isResent = earlier.filter(isSaid).length > 1 || !fragment.startsWith(before);
    const canBeJoined = joined.add(before + fragment);
    const canBeAgain = again.add(fragment) && (!isResent || again.isWhole());
    doubt = { joined, canBeJoined, again, canBeAgain, isSure: isMore(before), isResent };
    last = fragment;
    manner = decide(doubt);
    return manner !== "joined";
  };

  /** Reads on in both ways. */
  const compare = (fragment: string, both: Doubt): Manner => {
    both.canBeJoined &&= both.joined.add(fragment);
    if (isSaid(fragment)) {
      both.canBeAgain &&= !both.isResent && fragment.startsWith(last) && both.again.add(fragment.slice(last.length));
      both.isSure ||= both.canBeAgain && isMore(last);
      last = fragment;
    }
    return decide(both);
  };

  const goOnAgain = (fragment: string): void => {
    if (!isSaid(fragment)) return;
    if (!fragment.startsWith(last)) manner = "lost";
    else {
      doubt?.again.add(fragment.slice(last.length));
      last = fragment;
    }
  };

  /** One more that stands behind the others, unless it may say all of them again. */
  const add = (fragment: string): void => {
    // Arguments may be long: nothing looks at all of them for a piece that is shorter.
    sure = seen - 1;
    if (length === 0 || fragment.length < length || !suspect(fragment)) sure = seen;
    length += fragment.length;
  };

  const goOn = (fragment: string): void => {
    if (length === 0 && isPlaceholder(fragment)) first = seen;
    else if (length === 0 && isEncoded.test(fragment)) manner = "encoded";
    else add(fragment);
  };

  const take = (fragment: string): void => {
    if (manner === "joined") goOn(fragment);
    else if (manner === "again") goOnAgain(fragment);
    else if (manner === "open" && doubt !== undefined) {
      manner = compare(fragment, doubt);
      if (manner === "joined") add(fragment);
      else length += fragment.length;
    }
  };

  /** Something was said in place of all that came. */
  const replace = (given: readonly string[]): void => {
    const text = given.join("");
    const isSame = manner === "joined" || text === fragments.slice(first).join("");
    [first, seen, sure, length, last] = [0, given.length, given.length, text.length, text];
    if (isPlaceholder(text)) [first, length, manner] = [seen, 0, "joined"];
    else if (isEncoded.test(text)) manner = "encoded";
    else if (isSame) manner = "joined";
    else {
      const again = createJsonSoFar();
      doubt = { joined: again, canBeJoined: false, again, canBeAgain: again.add(text), isSure: true, isResent: false };
      manner = "again";
    }
  };

  return {
    look(slot) {
      if (seen > 0 && slot.fragments !== fragments) replace(slot.fragments);
      fragments = slot.fragments;
      while (seen < fragments.length) take(fragments[seen++] ?? "");
    },
    close() {
      if (manner === "open") manner = doubt?.canBeAgain === true && doubt.again.isWhole() ? "again" : "lost";
    },
    manner: () => manner,
    first: () => first,
    sure: () => sure,
    last: () => last,
    isWhole: () => doubt?.again.isWhole() === true,
  };
}

/** The way that is left, or both. */
function decide({ canBeJoined, canBeAgain, isSure }: Doubt): Manner {
  if (canBeJoined) return canBeAgain ? "open" : "joined";
  if (!canBeAgain) return "lost";
  return isSure ? "again" : "open";
}

const isSaid = (fragment: string): boolean => fragment.trim() !== "";

const isMore = (text: string): boolean => text.trim().length > 1;
