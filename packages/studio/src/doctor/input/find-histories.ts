import { detect, UndangleError } from "undangle";
import { formatFacts, formatPath } from "undangle/report";
import type { JsonPath } from "undangle/report";

/** A history inside a value, and where it is. */
export interface FoundHistory {
  readonly path: string;
  readonly value: unknown;
}

/** Limits of the search. A log may contain millions of values, and a person chooses among a few histories. */
const limits = { values: 50_000, depth: 10, found: 500 };

/**
 * The request bodies and message lists in a JSON value, breadth first. Text that is itself JSON is searched too, because
 * logs and recordings store bodies as text. A history is not searched for others.
 */
export function findHistories(root: unknown): readonly FoundHistory[] {
  if (isHistory(root)) return [{ path: "", value: root }];
  if (isRecord(root) && typeof root["role"] === "string" && isHistory([root])) return [{ path: "", value: [root] }];
  const found: FoundHistory[] = [];
  const waiting: { readonly value: unknown; readonly path: JsonPath }[] = [{ value: root, path: [] }];
  for (let next = 0; next < waiting.length && next < limits.values && found.length < limits.found; next++) {
    const { value: given, path } = waiting[next] ?? { value: undefined, path: [] };
    const value = typeof given === "string" ? parseText(given) : given;
    if (path.length > 0 && hasMessages(value)) found.push({ path: formatPath(path), value });
    else if (path.length < limits.depth && typeof value === "object" && value !== null) {
      const steps: Iterable<readonly [string | number, unknown]> = Array.isArray(value)
        ? value.entries()
        : Object.entries(value);
      for (const [step, inner] of steps) {
        if (waiting.length >= limits.values) break;
        if (mayContain(inner)) waiting.push({ value: inner, path: [...path, step] });
      }
    }
  }
  return found;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const jsonStart = /^\s*[[{]/u;

const mayContain = (value: unknown): boolean =>
  typeof value === "string" ? value.length > 20 && jsonStart.test(value) : typeof value === "object" && value !== null;

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Inside other values only a list with messages counts: keys such as `input` are common elsewhere. */
const hasMessages = (value: unknown): boolean =>
  isHistory(value) && formatFacts.some(({ messagesOf }) => messagesOf(value).length > 0);

function isHistory(value: unknown): boolean {
  if (!(Array.isArray(value) && value.length > 0) && !isRecord(value)) return false;
  try {
    return detect(value) !== undefined;
  } catch (error) {
    if (error instanceof UndangleError) return false;
    throw error;
  }
}
