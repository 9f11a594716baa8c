import { detect, UndangleError } from "undangle";
import { detectFrame, formatFacts, formatPath } from "undangle/report";
import type { JsonPath } from "undangle/report";

import { isRecord } from "../../parts/json-record.ts";
import type { FoundHistory } from "./found.ts";
import type { Response } from "./join-responses.ts";
import { parseJson } from "./parse-json.ts";

/** What a value contains. */
export interface Contents {
  readonly histories: readonly FoundHistory[];
  readonly responses: readonly Response[];
}

export interface Origin {
  /** The JSON text from which the value was parsed. */
  readonly text?: string;
  /** The address that precedes the value. */
  readonly url?: string | undefined;
}

/** Limits of the search. A log may contain millions of values, and a person chooses among a few histories. */
const limits = { values: 50_000, depth: 10, found: 500 };

/**
 * The request bodies, message lists and responses in a JSON value, breadth first. Text that is itself JSON or a stream is
 * searched too, because logs and recordings store bodies as text. What was found is not searched for more.
 */
export function searchValue(root: unknown, { text, url }: Origin = {}): Contents {
  const start: Entry = { value: root, path: [], url, ...(text !== undefined && { source: { text, root } }) };
  const whole = asResponse(start);
  if (whole !== undefined) return { histories: [], responses: [whole] };
  if (isRecord(root) && typeof root["role"] === "string" && isHistory([root]))
    return { histories: [historyOf({ value: [root], path: [], url })], responses: [] };
  const histories: FoundHistory[] = [];
  const responses: Response[] = [];
  const waiting: Entry[] = [start];
  for (let next = 0; next < waiting.length && next < limits.values; next++) {
    const entry = parsed(waiting[next] ?? start);
    if (histories.length + responses.length >= limits.found) break;
    const response = asResponse(entry);
    if (response !== undefined) responses.push(response);
    else if (entry.path.length === 0 ? isHistory(entry.value) : hasMessages(entry.value))
      histories.push(historyOf(entry));
    else for (const inner of membersOf(entry)) if (waiting.length < limits.values) waiting.push(inner);
  }
  return { histories, responses };
}

/** True for a body: parts of a broken value count only if they are one, because a shorter list would be another history. */
export const isBody = (value: unknown): boolean => isRecord(value) && hasMessages(value);

/** True for the response of an API to a refused request. */
export const isErrorBody = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.some(isErrorBody)
    : isRecord(value) && (value["error"] !== undefined || value["errors"] !== undefined || value["type"] === "error");

/** A value to search. */
interface Entry {
  readonly value: unknown;
  readonly path: JsonPath;
  readonly url: string | undefined;
  readonly source?: { readonly text: string; readonly root: unknown };
}

const historyOf = ({ value, path, url, source }: Entry): FoundHistory => ({
  type: "history",
  path: formatPath(path),
  value,
  ...(source !== undefined && { written: { form: "json", ...source } }),
  ...(url !== undefined && { url }),
});

/** The entry with what its text contains. */
function parsed(entry: Entry): Entry {
  const { value: text } = entry;
  if (typeof text !== "string" || !jsonStart.test(text)) return entry;
  const value = parseJson(text);
  return value === undefined ? entry : { ...entry, value, source: { text, root: value } };
}

function* membersOf({ value, path, url, source }: Entry): Generator<Entry, void, undefined> {
  if (path.length >= limits.depth || typeof value !== "object" || value === null) return;
  const own = isRecord(value) && typeof value["url"] === "string" ? value["url"] : url;
  const steps: Iterable<readonly [string | number, unknown]> = Array.isArray(value)
    ? value.entries()
    : Object.entries(value);
  for (const [step, inner] of steps) {
    const isUseful = typeof inner === "string" ? mayContain(inner) : typeof inner === "object" && inner !== null;
    if (isUseful) yield { value: inner, path: [...path, step], url: own, ...(source !== undefined && { source }) };
  }
}

const jsonStart = /^\s*[[{]/u;
const streamStart = /^\s*(?:data|event):/u;

const mayContain = (text: string): boolean => text.length > 20 && (jsonStart.test(text) || streamStart.test(text));

/** A response, an event of a streamed one, or the text of a stream. */
function asResponse({ value, path, source }: Entry): Response | undefined {
  if (typeof value === "string") {
    return streamStart.test(value)
      ? { path: formatPath(path), text: value, isWhole: /\n\s*\n\s*\S/u.test(value) }
      : undefined;
  }
  if (!isRecord(value) || detectFrame(value) === undefined || hasMessages(value)) return undefined;
  const { role, object, type, stopReason } = value;
  // A message of Anthropic or of the Responses API has the same shape as a response.
  if (typeof role === "string" && !["stop_reason", "usage", "model"].some((key) => key in value)) return undefined;
  const isWhole =
    object === "chat.completion" || object === "response" || type === "message" || stopReason !== undefined;
  const text = source?.root === value ? source.text : JSON.stringify(value);
  return { path: formatPath(path), text: isWhole ? text : `data: ${JSON.stringify(value)}\n\n`, isWhole };
}

/** Inside other values only a list with messages counts: keys such as `input` are common elsewhere. */
const hasMessages = (value: unknown): boolean =>
  isHistory(value) && formatFacts.some(({ messagesOf }) => messagesOf(value).length > 0);

/** True for a body or a list of messages. Other lists of objects with types, such as contents and tools, are neither. */
function isHistory(value: unknown): boolean {
  if (!(Array.isArray(value) && value.length > 0) && !isRecord(value)) return false;
  try {
    const found = detect(value);
    return (
      found !== undefined && (found.confidence === "known" || isRecord(value) || (value as unknown[]).some(hasRole))
    );
  } catch (error) {
    if (error instanceof UndangleError) return false;
    throw error;
  }
}

const hasRole = (value: unknown): boolean => isRecord(value) && typeof value["role"] === "string";
