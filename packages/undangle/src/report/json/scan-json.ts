/** The range of a value in a text, from `start` up to but excluding `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** A member of an array or object in a text. `lead` is the start of its key or value. */
export interface Member extends Range {
  readonly key: string | undefined;
  readonly lead: number;
}

/**
 * The range of every array and object of `value` in the JSON `text` from which it was parsed. One pass, no recursion.
 */
export function locate(text: string, value: unknown): ReadonlyMap<object, Range> {
  const found = new Map<object, Range>();
  const open: Frame[] = [];
  let frame: Frame = { value: [value], start: 0, position: 0, keyed: false, keyNext: false };
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      const end = endOfString(text, at);
      if (frame.keyNext) {
        frame.position = readKey(text, at, end);
        frame.keyNext = false;
      }
      at = end - 1;
    } else if (code === openBrace || code === openBracket) {
      open.push(frame);
      const keyed = code === openBrace;
      frame = { value: childOf(frame), start: at, position: 0, keyed, keyNext: keyed };
    } else if (code === closeBrace || code === closeBracket) {
      if (isObject(frame.value)) found.set(frame.value, { start: frame.start, end: at + 1 });
      frame = open.pop() ?? frame;
    } else if (code === comma) {
      if (frame.keyed) frame.keyNext = true;
      else frame.position = Number(frame.position) + 1;
    }
  }
  return found;
}

/** The members of the array or object at `start` of the JSON `text`, without their content. */
export function members(text: string, start: number): readonly Member[] {
  const found: Member[] = [];
  const keyed = text.charCodeAt(start) === openBrace;
  let at = skipBlanks(text, start + 1);
  while (!isClose(text.charCodeAt(at))) {
    const lead = at;
    let key: string | undefined;
    if (keyed) {
      const keyEnd = endOfString(text, at);
      key = readKey(text, at, keyEnd);
      at = skipBlanks(text, skipBlanks(text, keyEnd) + 1);
    }
    const end = endOfValue(text, at);
    found.push({ key, lead, start: at, end });
    at = skipBlanks(text, end);
    if (text.charCodeAt(at) === comma) at = skipBlanks(text, at + 1);
  }
  return found;
}

/** The index after the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (;;) {
    const end = text.indexOf('"', at);
    if (end === -1) return text.length;
    let before = end - 1;
    while (text.charCodeAt(before) === backslash) before--;
    if ((end - before) % 2 === 1) return end + 1; // an even number of backslashes escapes nothing
    at = end + 1;
  }
}

/** The index of the first character at or after `at` that is not white space in JSON. */
export function skipBlanks(text: string, at: number): number {
  let next = at;
  for (;;) {
    const code = text.charCodeAt(next);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return next;
    next++;
  }
}

export const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** An open container while its members are read. `value` is undefined if the text contains more than the value. */
interface Frame {
  readonly value: unknown;
  readonly start: number;
  readonly keyed: boolean;
  position: number | string;
  keyNext: boolean;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

const isClose = (code: number): boolean => code === closeBrace || code === closeBracket || Number.isNaN(code);

function childOf({ value, position }: Frame): unknown {
  if (!isObject(value) || !Object.hasOwn(value, position)) return undefined;
  return (value as Readonly<Record<string | number, unknown>>)[position]; // a parsed JSON container: own properties only
}

function readKey(text: string, start: number, end: number): string {
  const plain = text.slice(start + 1, end - 1);
  return plain.includes("\\") ? String(JSON.parse(text.slice(start, end))) : plain;
}

function endOfValue(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === quote) return endOfString(text, start);
  if (first !== openBrace && first !== openBracket) return endOfWord(text, start);
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at) - 1;
    else if (code === openBrace || code === openBracket) depth++;
    else if (code === closeBrace || code === closeBracket) {
      depth--;
      if (depth === 0) return at + 1;
    }
  }
  return text.length;
}

function endOfWord(text: string, start: number): number {
  let at = start;
  while (at < text.length && !/[\s,\]}]/.test(text.charAt(at))) at++;
  return at;
}
