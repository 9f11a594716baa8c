import type { Language } from "#core";

import type { OutcomePart } from "./ledger/call.ts";
import { contentOf } from "./result/mcp-content.ts";
import { asPart, isMedia } from "./result/media.ts";
import { thrownText } from "./result/thrown.ts";
import { writeJson } from "./result/write-json.ts";

/** The result of an executed call, for the model. */
export interface ToolResult {
  readonly parts: readonly OutcomePart[];
  readonly isError: boolean;
}

/**
 * Converts the return value of a tool to a result: text, `image()` and `file()` alone or in a list, MCP content, and any
 * JSON. A value that cannot be serialized becomes an error result, which states that the tool ran.
 */
export function toolResult(returned: unknown, language: Language = "en"): ToolResult {
  if (returned === undefined) return result([text(texts[language].done)]);
  const given = givenResult(returned, language);
  return "reason" in given ? unwritten(given.reason, language) : given;
}

/** A value that was converted before. */
export class ConvertedResult {
  readonly #result: ToolResult;

  constructor({ parts, isError }: ToolResult) {
    this.#result = { parts, isError };
  }

  static resultOf(value: unknown): ToolResult | undefined {
    return typeof value === "object" && value !== null && #result in value ? value.#result : undefined;
  }
}

/** Converts a value to a result, or returns the reason why that is impossible. */
export function givenResult(value: unknown, language: Language): ToolResult | Unpassable {
  if (typeof value === "string") return result([text(value)]);
  const converted = ConvertedResult.resultOf(value);
  if (converted !== undefined) return converted;
  try {
    if (isMedia(value)) return result([asPart(value)]);
    if (Array.isArray(value) && value.some(isMedia)) return listed(value, language);
    return contentOf(value) ?? written(value, language);
  } catch (fault) {
    return { reason: reasonOf(fault) }; // a getter or a proxy threw
  }
}

/** Why a value cannot be converted. */
interface Unpassable {
  readonly reason: string;
}

/** Converts what a tool threw to an error result. */
export function toolError(thrown: unknown, language: Language = "en"): ToolResult {
  const message = thrownText(thrown);
  return { parts: [text(message === "" ? texts[language].failed : message)], isError: true };
}

/** Providers refuse requests with lone surrogates. */
const text = (message: string): OutcomePart => ({ type: "text", text: message.toWellFormed() });

const result = (parts: readonly OutcomePart[]): ToolResult => ({ parts, isError: false });

const texts: Readonly<
  Record<Language, { readonly done: string; readonly failed: string; readonly unwritten: (reason: string) => string }>
> = {
  en: {
    done: "Done.",
    failed: "The tool failed without a message.",
    unwritten: (reason) => `The tool ran, but its result cannot be passed on: ${reason}.`,
  },
  zh: {
    done: "已完成。",
    failed: "工具执行失败，没有说明原因。",
    unwritten: (reason) => `工具已经执行，但其结果无法传递：${reason}。`,
  },
};

const unwritten = (reason: string, language: Language): ToolResult => ({
  parts: [text(texts[language].unwritten(reason))],
  isError: true,
});

/** Media and texts in order; other values become JSON. */
function listed(items: readonly unknown[], language: Language): ToolResult | Unpassable {
  const parts: OutcomePart[] = [];
  for (const item of items) {
    if (isMedia(item)) parts.push(asPart(item));
    else if (typeof item === "string") parts.push(text(item));
    else {
      const inner = written(item, language);
      if ("reason" in inner) return inner;
      parts.push(...inner.parts);
    }
  }
  return result(parts);
}

function written(value: unknown, language: Language): ToolResult | Unpassable {
  const json = writeJson(value, language);
  return "json" in json ? result([text(json.json)]) : json;
}

const reasonOf = (fault: unknown): string => thrownText(fault) || "it cannot be read";

/** True for a promise, including those of other libraries. */
export const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  value instanceof Promise ||
  (typeof value === "object" && value !== null && "then" in value && typeof value.then === "function");

/** Applies a function to a value, or to the value of a promise. Synchronous if the value is. */
export function andThen<Value, Made>(
  value: Value | Promise<Value>,
  make: (value: Value) => Made | Promise<Made>,
): Made | Promise<Made> {
  return value instanceof Promise ? value.then(make) : make(value);
}
