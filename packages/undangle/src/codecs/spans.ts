import { isRecord, makeSpan } from "#core";
import type { Entry } from "#core";

/** Adds the messages from `start` to `end`, which were found healthy, as one entry. */
export function pushSpan(entries: Entry[], list: readonly unknown[], start: number, end: number): void {
  if (start < end) entries.push(makeSpan(start, end, firstRole(list, start, end)));
}

function firstRole(list: readonly unknown[], start: number, end: number): "user" | "assistant" | undefined {
  for (let i = start; i < end; i++) {
    const message = list[i];
    const role = isRecord(message) ? message["role"] : undefined;
    if (role === "user" || role === "assistant") return role;
  }
  return undefined;
}
