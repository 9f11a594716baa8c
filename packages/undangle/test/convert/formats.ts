import { repair, UndangleError } from "undangle";
import { listOf, recordOf } from "../../src/testing/judge/loose.ts";
import { formats as judged } from "../judge/subjects.ts";
import type { Format as JudgedFormat } from "../judge/subject.ts";
import type { WireFormat } from "./transcript.ts";

/** Every format that the library knows, as it says itself. */
export const allFormats = supported();

function supported(): readonly [WireFormat, ...WireFormat[]] {
  try {
    repair([], { format: "no such format" as WireFormat });
  } catch (error) {
    if (error instanceof UndangleError && error.is("format/unsupported")) {
      return error.data.supported as readonly [WireFormat, ...WireFormat[]]; // the list of the library
    }
    throw error;
  }
  throw new Error("a format that does not exist was taken");
}

export const isJudged = (format: WireFormat): format is JudgedFormat => (judged as readonly string[]).includes(format);

const keyOf = (format: WireFormat): string =>
  format === "gemini" ? "contents" : format === "openai-responses" ? "input" : "messages";

/** What stands at a path of an input; a bare array is called as the list of a body is. */
export function valueAt(input: unknown, path: string, format: WireFormat): unknown {
  let value: unknown = Array.isArray(input) ? { [keyOf(format)]: listOf(input) } : input;
  for (const [, index, key] of path.matchAll(/\[(\d+)\]|\.?([^.[\]]+)/g)) {
    value = index === undefined ? recordOf(value)[key ?? ""] : listOf(value)[Number(index)];
  }
  return value;
}
