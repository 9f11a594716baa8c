import { index, number, plainWords } from "./normalise-error.ts";

/** The wording of an error: words that must appear in this order, with bounded gaps for variable parts. */
export interface Pattern {
  readonly steps: readonly Step[];
  /** The number of fixed words. More words mean more certainty. */
  readonly weight: number;
  /** True if the pattern must match the whole text. */
  readonly whole: boolean;
  /** True if the pattern ends with a fixed word, which must not be the beginning of a longer path. */
  readonly closed: boolean;
}

/** Fixed words, after at most `room` other words. */
interface Step {
  readonly room: number;
  readonly words: readonly string[];
}

/** The range of a match, in words. */
export interface Match {
  readonly start: number;
  readonly end: number;
}

/** How many words may replace an index, an id or name, and `…`. */
const room = { index: 1, name: 8, anything: 40 } as const;

/**
 * The pattern of a text. Numbers match any index, ids and `#` any name, and `…` anything. `^` at the beginning requires
 * a match of the whole text. Undefined if no word is fixed.
 */
export function errorPattern(text: string): Pattern | undefined {
  const steps: Step[] = [];
  let fixed: string[] = [];
  let space = 0;
  const leave = (more: number): void => {
    if (fixed.length > 0) {
      steps.push({ room: steps.length === 0 ? 0 : space, words: fixed });
      fixed = [];
      space = 0;
    }
    space += more;
  };
  for (const part of text.split(/(…|\.\.\.|#)/u)) {
    if (part === "#") leave(room.name);
    else if (part === "…" || part === "...") leave(room.anything);
    else {
      for (const word of plainWords(part)) {
        const needed = roomFor(word);
        if (needed > 0) leave(needed);
        else fixed.push(word);
      }
    }
  }
  const closed = fixed.length > 0;
  leave(0);
  if (steps.length === 0) return undefined;
  const weight = steps.reduce((sum, step) => sum + step.words.length, 0);
  return { steps, weight, whole: text.startsWith("^"), closed };
}

/** The range of the pattern in the words if it begins at `start`, or undefined. Takes a bounded number of steps. */
export function matchAt({ steps, whole, closed }: Pattern, words: readonly string[], start: number): Match | undefined {
  if (whole && start > 0) return undefined;
  let at = start;
  for (const step of steps) {
    const found = firstWithin(step, words, at);
    if (found === undefined) return undefined;
    at = found + step.words.length;
  }
  if (whole && at < words.length) return undefined;
  return closed && words[at] === index ? undefined : { start, end: at };
}

function firstWithin({ room, words: fixed }: Step, words: readonly string[], from: number): number | undefined {
  for (let at = from; at <= from + room; at += 1) {
    if (fixed.every((word, offset) => words[at + offset] === word)) return at;
  }
  return undefined;
}

/** The number of words that a wildcard may match; none for a fixed word. */
function roomFor(word: string): number {
  if (word === number || word === index || placeholders.has(word)) return room.index;
  return isId(word) ? room.name : 0;
}

/** Letters that reports use for an index. */
const placeholders: ReadonlySet<string> = new Set(["n", "m", "x"]);

/** True for ids of calls and items, by their prefixes. `call_id` is a field, not an id. */
function isId(word: string): boolean {
  return /^(?:call|toolu|tooluse|srvtoolu|fc|ctc|rs|msg)_/u.test(word) && word !== "call_id" && word !== "call_ids";
}
