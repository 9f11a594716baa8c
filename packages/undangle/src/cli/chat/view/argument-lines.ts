import { isRecord } from "#core";
import type { PendingCall } from "#engine";

import { printable } from "../../terminal/printable.ts";
import { wrap } from "../../terminal/text-width.ts";
import type { ChatTexts } from "../texts/chat-texts.ts";
import { setText } from "./text-flow.ts";

/** All arguments of a call, in full, because the user decides about them. */
export function argumentLines(args: unknown, columns: number): readonly string[] {
  if (!isRecord(args)) return valueLines(args, columns);
  return Object.entries(args).flatMap(([key, value]) => {
    const name = printable(key);
    if (isBlock(value)) return [`${name}:`, ...valueLines(value, columns - 2).map((line) => `  ${line}`)];
    return wrap(`${name}: ${printable(JSON.stringify(value) ?? String(value))}`, columns, { hanging: 2 });
  });
}

/** Numbers that run with another value than written, and the written text. */
export function inexactLines(
  { raw, inexact = [] }: Pick<PendingCall, "raw" | "inexact">,
  texts: Pick<ChatTexts["approval"], "inexact">,
): readonly string[] {
  const lines = inexact.map(({ path, written, runs }) => texts.inexact(path, written, runs));
  return [...lines, ...(raw === undefined ? [] : [raw])].map(printable);
}

/** True for a value that is easier to read on separate lines. */
const isBlock = (value: unknown): boolean =>
  typeof value === "string"
    ? value.includes("\n")
    : typeof value === "object" && value !== null && (JSON.stringify(value) ?? "").length > 60;

const valueLines = (value: unknown, columns: number): readonly string[] =>
  setText(typeof value === "string" ? value : (JSON.stringify(value, undefined, 2) ?? String(value)), columns);
