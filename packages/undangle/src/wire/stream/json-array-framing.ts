import type { EndOfEvent } from "./framing.ts";
import type { OutputBuffer } from "./output-buffer.ts";
import type { EventTaker, TakerParts } from "./pipeline.ts";

/** Where the objects of a JSON array end, in chunks. Gemini streams an array unless the client requests `alt=sse`. */
export interface ObjectEnds {
  /** The index after the last object that ends in the next chunk; 0 for none. */
  readonly last: (bytes: Uint8Array) => number;
  /** The index after the first one in the same chunk. */
  readonly first: () => number;
}

export function createObjectEnds(): ObjectEnds {
  const next = createScan();
  let first = 0;
  return {
    last(bytes) {
      first = 0;
      let last = 0;
      for (let end = next(bytes, 0); end >= 0; end = next(bytes, end)) {
        if (first === 0) first = end;
        last = end;
      }
      return last;
    },
    first: () => first,
  };
}

/** The index after the next object, including anything before it. */
export const endOfObject: EndOfEvent = (bytes, from) => createScan()(bytes, from);

/** Follows the braces of a text; returns the index after the one that closes an object, or -1. */
function createScan(): EndOfEvent {
  let depth = 0;
  let inString = false;
  let isEscaped = false;
  return (bytes, from) => {
    for (let at = from; at < bytes.length; at++) {
      const code = bytes[at];
      if (isEscaped) isEscaped = false;
      else if (inString) {
        if (code === backslash) isEscaped = true;
        else if (code === quote) inString = false;
      } else if (code === quote) inString = depth > 0;
      else if (code === openingBrace) depth++;
      else if (code === closingBrace && depth > 0 && --depth === 0) return at + 1;
    }
    return -1;
  };
}

const [quote, backslash, comma, bracket, openingBrace, closingBrace] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b, 0x7d];
const blanks: readonly number[] = [0x20, 0x09, 0x0a, 0x0d];

/** The number of commas between two indexes; -1 if there is anything else than commas and white space. */
function commasIn(bytes: Uint8Array, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) {
    const code = bytes[at] ?? 0;
    if (code === comma) count++;
    else if (!blanks.includes(code)) return -1;
  }
  return count;
}

/** Takes an array object by object. `plain` is the buffer for its brackets. */
export function takeList({ repairer, output }: TakerParts, plain: OutputBuffer): EventTaker {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let isOpened = false;
  let count = 0;
  return {
    /** Passes the opening bracket and the white space before it. */
    begin(bytes) {
      if (isOpened) return bytes;
      const end = bytes.indexOf(bracket) + 1;
      isOpened = end > 0;
      const opening = isOpened ? bytes.subarray(0, end) : bytes;
      plain.open(opening);
      plain.select(0, opening.length);
      plain.pass();
      plain.close(opening.length);
      return bytes.subarray(opening.length);
    },
    take(bytes, { start, end }) {
      const object = bytes.indexOf(openingBrace, start);
      const isSeparated = commasIn(bytes, start, object) === Math.min(count++, 1);
      const raw = decoder.decode(bytes.subarray(object, end));
      const arrived = isSeparated ? raw : decoder.decode(bytes.subarray(start, end));
      repairer.take({ raw, arrived, size: end - start });
    },
    /** A server may omit the closing bracket. */
    last(rest) {
      const [junk, end] = partsOfRest(decoder.decode(rest));
      if (junk !== "") {
        output.replace(junk, junk);
        repairer.take({ raw: junk, size: rest.length });
      }
      const isMissing = !end.includes("]");
      output.replace(isMissing ? `${end}]` : end, end);
      repairer.close(isMissing);
    },
  };
}

/** Splits what follows the last object into content that does not belong to an array, and the end of the array. */
function partsOfRest(rest: string): readonly [junk: string, end: string] {
  const trimmed = rest.trimEnd();
  const isClosed = trimmed.endsWith("]") && !rest.includes("{");
  const junk = isClosed ? trimmed.slice(0, -1).trimEnd() : rest;
  const end = rest.slice(junk.length);
  return junk.trim() === "" ? ["", rest] : [junk, end];
}

/**
 * The output buffer for the objects of an array. Objects may pass in another order than they arrived, with others written between
 * them, so it puts a comma before every object except the first.
 */
export function createListOutput(inner: OutputBuffer): OutputBuffer {
  let bytes: Uint8Array = new Uint8Array();
  let [start, object, end] = [0, 0, 0]; // the selected event, and the start of its object
  let isReplaced = false; // the selected event is not an object
  let isRestored = false; // it passes as it arrived, whatever precedes its object
  let hasPassed = false; // an object has passed
  let isHolding = false; // an object is held
  let isHeadBare = false; // the first held object has no comma

  /** Selects the event as it arrived if it has the right comma, else only its object. */
  const select = (needsComma: boolean): boolean => {
    const isAsArrived = isRestored || commasIn(bytes, start, object) === Number(needsComma);
    inner.select(isAsArrived ? start : object, end);
    return isAsArrived;
  };

  return {
    ...inner,
    open(given) {
      bytes = given;
      inner.open(given);
    },
    select(from, to) {
      start = from;
      object = bytes.indexOf(openingBrace, from);
      end = to;
      isReplaced = false;
      isRestored = false;
    },
    replace(text, original) {
      isReplaced = true;
      inner.replace(text, original);
    },
    restore() {
      isRestored = true;
      if (isReplaced) inner.restore();
    },
    pass() {
      if (!isReplaced) {
        if (!select(hasPassed) && hasPassed) inner.write(separator);
        hasPassed = true;
      }
      inner.pass();
    },
    hold() {
      if (!isReplaced) {
        const isBare = !hasPassed && !isHolding;
        if (isBare) isHeadBare = true;
        if (!select(!isBare) && !isBare) {
          inner.replace(separator, "");
          inner.hold();
          inner.select(object, end);
        }
        isHolding = true;
      }
      inner.hold();
    },
    release() {
      if (isHolding && isHeadBare && hasPassed) inner.write(separator);
      inner.release();
      hasPassed ||= isHolding;
      isHolding = false;
      isHeadBare = false;
    },
    write(text) {
      if (text.startsWith("{")) {
        if (hasPassed) inner.write(separator);
        hasPassed = true;
      }
      inner.write(text);
    },
  };
}

const separator = ",\r\n";
