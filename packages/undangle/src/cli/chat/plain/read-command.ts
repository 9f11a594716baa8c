import { isRecord } from "#core";
import type { Decisions } from "#engine";
import { findJsonError } from "#report";
import type { JsonFault } from "#report";

export type LineCommand =
  | { readonly type: "message"; readonly message: string }
  | { readonly type: "decide"; readonly decisions: Decisions }
  | { readonly type: "stop" }
  | { readonly type: "nothing" }
  | { readonly type: "wrong"; readonly fault: string };

/** Reads a line. The thread checks the decisions, because it knows its calls. */
export function readCommand(text: string, explain: (fault: JsonFault) => string): LineCommand {
  const line = text.replace(/^\uFEFF/u, "").trim();
  if (line === "") return { type: "nothing" };
  const error = findJsonError(line);
  if (error !== undefined) return { type: "wrong", fault: explain(error.fault) };
  const value: unknown = JSON.parse(line);
  const keys = isRecord(value) ? Object.keys(value) : [];
  if (!isRecord(value) || keys.length !== 1) return { type: "wrong", fault: shown(line) };
  const { message, decide, stop } = value;
  if (typeof message === "string" && message.trim() !== "") return { type: "message", message };
  if (isRecord(decide)) return { type: "decide", decisions: decide as Decisions }; // the thread checks each
  return stop === true ? { type: "stop" } : { type: "wrong", fault: shown(line) };
}

const shown = (line: string): string => (line.length > 80 ? `${line.slice(0, 79)}…` : line);
