import { positionAt } from "undangle/report";
import type { JsonFault } from "undangle/report";

import type { JsonPlace } from "./found.ts";

/** The place of a fault, with the part of its line that a person needs to see. */
export function placeOf(
  text: string,
  { offset, fault }: { readonly offset: number; readonly fault: JsonFault },
): JsonPlace {
  const { line, column } = positionAt(text, offset);
  const start = offset - column + 1;
  const next = text.indexOf("\n", offset);
  const end = next === -1 ? text.length : next;
  const from = Math.max(start, offset - 60);
  const to = Math.min(end, offset + 30);
  const lead = from > start ? "…" : "";
  const excerpt = lead + text.slice(from, to) + (to < end ? "…" : "");
  return { fault, line, column, excerpt, caret: lead.length + offset - from };
}
