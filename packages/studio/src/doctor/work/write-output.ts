import type { AssembledTurn } from "undangle";
import { isObject, locate, printLike } from "undangle/report";

import type { Diagnosis } from "./diagnose.ts";
import type { WorkerResponses } from "./protocol.ts";

/** The repaired history as it was written: the layout and the numbers of JSON, or one message per line. */
export function writeOutput(result: Diagnosis | readonly AssembledTurn[]): WorkerResponses["output"] {
  if (!("report" in result)) return jsonFile([indented(result)]);
  const { history, repaired } = result;
  const { written, value } = history;
  const { output } = repaired;
  if (written === undefined) return jsonFile([indented(output)]);
  if (written.form === "json-lines")
    return {
      file: new Blob([linesOf(written.text, value, output)], { type: "application/jsonl" }),
      extension: "jsonl",
    };
  const text = textOf(written, value);
  return jsonFile(text === undefined ? [indented(output)] : output === value ? [text] : printLike(text, value, output));
}

const jsonFile = (parts: readonly string[]): WorkerResponses["output"] => ({
  file: new Blob([...parts], { type: "application/json" }),
  extension: "json",
});

const indented = (value: unknown): string => JSON.stringify(value, undefined, 2);

/** The text of a value inside a larger one, without the indentation around it. */
function textOf({ text, root }: { readonly text: string; readonly root: unknown }, value: unknown): string | undefined {
  if (value === root) return text;
  const range = isObject(value) ? locate(text, root).get(value) : undefined;
  if (range === undefined) return undefined;
  const own = text.slice(range.start, range.end);
  const indent = /\n[ \t]+(?=[}\]]$)/u.exec(own)?.[0];
  return indent === undefined ? own : own.replaceAll(indent, "\n"); // JSON has line breaks only between values
}

/** Unchanged messages keep their lines. */
function linesOf(text: string, before: unknown, after: unknown): string {
  const written = text.split("\n").filter((line) => line.trim() !== "");
  const lines = new Map<unknown, string>();
  for (const [i, message] of listOf(before).entries()) lines.set(message, written[i] ?? "");
  return `${listOf(after)
    .map((message) => lines.get(message)?.trim() ?? JSON.stringify(message))
    .join("\n")}\n`;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
