import { isRecord, makeSpan } from "#core";
import type { Entry } from "#core";

/** The entries of some messages of a list, between spans that stand for what is around them. */
export function withSpans(
  list: readonly unknown[],
  [start, end]: readonly [start: number, end: number],
  entries: readonly Entry[],
): Entry[] {
  const whole: Entry[] = start > 0 ? [makeSpan("assistant")] : [];
  for (const entry of entries) whole.push(entry);
  if (end < list.length) whole.push(makeSpan(firstRole(list, end)));
  return whole;
}

/** The role of the first message from an index on that is not a system message. */
export function firstRole(list: readonly unknown[], start: number): "user" | "assistant" | undefined {
  for (let i = start; i < list.length; i++) {
    const message = list[i];
    const role = isRecord(message) ? message["role"] : undefined;
    if (role === "user" || role === "assistant") return role;
  }
  return undefined;
}
