import { isRecord } from "#core";
import { findJsonError, positionAt } from "#report";
import type { JsonFault } from "#report";

export type ReadArguments =
  | { readonly type: "arguments"; readonly arguments: Readonly<Record<string, unknown>> }
  | { readonly type: "not-json"; readonly fault: JsonFault; readonly line: number; readonly column: number }
  | { readonly type: "no-object" };

/** Parses arguments, and reports where the text is not JSON. */
export function readArguments(text: string): ReadArguments {
  const error = findJsonError(text);
  if (error !== undefined) {
    return { type: "not-json", fault: error.fault, ...positionAt(text, error.offset) };
  }
  const value: unknown = JSON.parse(text);
  return isRecord(value) ? { type: "arguments", arguments: value } : { type: "no-object" };
}
