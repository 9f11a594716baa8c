import { findJsonError } from "undangle/report";

/** A JSON object or array in a text. */
export interface FoundValue {
  readonly start: number;
  readonly end: number;
  readonly value: unknown;
}

/**
 * The outermost JSON objects and arrays in a text with anything around them, such as a log. Broken values are skipped, and
 * what they contain is searched until the work exceeds four times the text; then the search goes on after them.
 */
export function* findValues(text: string): Generator<FoundValue, void, undefined> {
  let budget = text.length * 4 + 100_000;
  for (let at = nextStart(text, 0); at !== -1;) {
    const rest = text.slice(at);
    const fault = findJsonError(rest);
    const length = fault?.offset ?? rest.length;
    budget -= length;
    const value = fault === undefined || isAfterValue(fault.fault) ? parsed(rest.slice(0, length)) : undefined;
    if (value !== undefined) yield { start: at, end: at + length, value };
    at = nextStart(text, value === undefined && budget > 0 ? at + 1 : at + Math.max(length, 1));
  }
}

/** A value that has text after it ends there. A comment may also be inside a value, which then does not parse. */
const isAfterValue = (fault: string): boolean => fault === "extra" || fault === "comment";

function nextStart(text: string, from: number): number {
  const start = /[[{]/gu;
  start.lastIndex = from;
  return start.exec(text)?.index ?? -1;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
