import { index, number, plainWords } from "./normalise-error.ts";

/** The wording of an error: words that must stand there in this order, with bounded room for what differs. */
export interface Pattern {
  readonly steps: readonly Step[];
  /** How many words are fixed: the more, the surer. */
  readonly weight: number;
  /** The pattern is the whole text and not a part of it. */
  readonly whole: boolean;
  /** The pattern ends in a fixed word, which must not be the beginning of a longer path. */
  readonly closed: boolean;
}

/** Some fixed words, after at most `room` others. */
interface Step {
  readonly room: number;
  readonly words: readonly string[];
}

/** Where a pattern was found, in words. */
export interface Match {
  readonly start: number;
  readonly end: number;
}

/** How many words may stand in the place of an index, of an id or a name, and of `…`. */
const room = { index: 1, name: 8, anything: 40 } as const;

/**
 * The pattern of a text. Numbers stand for any index, ids and `#` for any name, `…` for anything; `^` at the beginning
 * says that nothing else is in the text. Undefined where no word is fixed.
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
  for (const piece of text.split(/(…|\.\.\.|#)/u)) {
    if (piece === "#") leave(room.name);
    else if (piece === "…" || piece === "...") leave(room.anything);
    else {
      for (const word of plainWords(piece)) {
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

/** Letters that the reports write for an index. */
const placeholders: ReadonlySet<string> = new Set(["n", "m", "x"]);

/** Ids of calls and items by their prefixes. `call_id` is a field and not an id. */
function isId(word: string): boolean {
  return /^(?:call|toolu|tooluse|srvtoolu|fc|ctc|rs|msg)_/u.test(word) && word !== "call_id" && word !== "call_ids";
}
