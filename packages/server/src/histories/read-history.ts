import { UndangleError } from "undangle";
import type { CheckOptions, ConvertOptions, ExplainOptions, RepairOptions } from "undangle";

import { bad, fieldsOf } from "../chat/fields.ts";
import { isRecord } from "../record.ts";
import { demandFewParts } from "./demand-few-parts.ts";
import { optionNames } from "./history-schemas.ts";
import type { HistoryAct } from "./history-schemas.ts";

export interface HistoryRequest {
  Body: unknown;
  Querystring: Readonly<Record<string, unknown>>;
}

/** The options of each endpoint. The library checks their values. */
interface OptionsOf {
  check: CheckOptions;
  repair: RepairOptions;
  convert: ConvertOptions;
}

export interface ReadHistory<Act extends HistoryAct> {
  readonly history: unknown;
  readonly options: OptionsOf[Act];
}

/** Reads `{ history, …options }`, or a history with options in the query or beside its messages. */
export function readHistory<Act extends HistoryAct>(
  { body, query }: { readonly body: unknown; readonly query: Readonly<Record<string, unknown>> },
  act: Act,
): ReadHistory<Act> {
  const allowed = optionNames(act);
  const { history, ...own } = isEnvelope(body) ? body : besideMessages(body, allowed);
  const options: Readonly<Record<string, unknown>> = { ...query, ...own };
  const unknown = Object.keys(options).find((option) => !allowed.includes(option));
  if (unknown !== undefined) throw new UndangleError("options/unknown", { option: unknown, allowed });
  demandReadable(history);
  return { history, options: options as unknown as OptionsOf[Act] }; // the library checks the values
}

/** No format has a field of this name. */
const isEnvelope = (body: unknown): body is { readonly history: unknown } & Readonly<Record<string, unknown>> =>
  isRecord(body) && Object.hasOwn(body, "history");

/**
 * Takes options out of a request body. No provider has a field of these names with a string, except two: `model` stays in the body,
 * where the library reads it, and Ollama's `format` is `json` or a schema.
 */
function besideMessages(body: unknown, allowed: readonly string[]): { readonly history: unknown } {
  if (!isRecord(body)) return { history: body };
  const isOption = ([name, value]: readonly [string, unknown]): boolean =>
    typeof value === "string" && name !== "model" && allowed.includes(name) && !(name === "format" && value === "json");
  const fields = Object.entries(body);
  const options = fields.filter(isOption);
  if (options.length === 0) return { history: body };
  return { ...Object.fromEntries(options), history: Object.fromEntries(fields.filter((field) => !isOption(field))) };
}

/** Longer histories would block the event loop. */
const mostMessages = 20_000;
const mostValues = 200_000;

/** Refuses anything but a history, and a history that is too long. */
export function demandReadable(history: unknown): void {
  if (typeof history !== "object" || history === null) throw bad("history", "an object or a list", history);
  const fields = (Array.isArray(history) ? { history } : history) as Readonly<Record<string, unknown>>; // an object has keys
  for (const [name, list] of Object.entries(fields)) {
    if (!Array.isArray(list)) continue;
    if (list.length > mostMessages) throw bad("history", `a history of at most ${mostMessages} messages`, history);
    demandFewParts(list, name);
  }
  if (countValues(history) > mostValues) throw bad("history", `a history of at most ${mostValues} values`, history);
}

/** The number of values in a history, up to the limit. */
function countValues(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  let count = 1;
  for (const each of Object.values(value)) {
    count += countValues(each);
    if (count > mostValues) break;
  }
  return count;
}

/** Reads the error text of a provider and the options. */
export function readErrorText(body: unknown): { readonly text: string; readonly options: ExplainOptions } {
  const fields = fieldsOf(body);
  const { text: _text, ...options } = fields.all;
  const text = fields.text("text");
  if (text === undefined) throw bad("text", "the text of an error", fields.all["text"]);
  if (text.length > longestText) throw bad("text", `at most ${longestText} characters`, text);
  return { text, options }; // the library checks them
}

/** The longest error text. A longer text is a log. */
const longestText = 100_000;
