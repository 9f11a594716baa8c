import { isRecord, makeSpan } from "#core";
import type { Entry } from "#core";

/** The next role from an index of a list; system messages do not count. */
export type Outlook = (start: number) => "user" | "assistant" | undefined;

/** Looks ahead in a list and caches the result, so that successive queries read each message once. */
export function createOutlook(list: readonly unknown[], speakerOf: (message: unknown) => unknown = roleOf): Outlook {
  let start = 0;
  let end = -1; // no role from `start` up to here
  let speaker: ReturnType<Outlook>;
  return (from) => {
    if (from >= start && from <= end) return speaker;
    start = from;
    speaker = undefined;
    for (end = from; end < list.length; end++) {
      const role = speakerOf(list[end]);
      if (role !== "user" && role !== "assistant") continue;
      speaker = role;
      break;
    }
    return speaker;
  };
}

const roleOf = (message: unknown): unknown => (isRecord(message) ? message["role"] : undefined);

/** The role that is meant, in formats whose readers take other names for it: a look ahead has to see what they will. */
export function meantRoleOf(message: unknown): unknown {
  const role = roleOf(message);
  if (typeof role !== "string" || role === "user" || role === "assistant") return role;
  const lower = role.trim().toLowerCase();
  return Object.hasOwn(aliases, lower) ? aliases[lower] : lower;
}

const aliases: Readonly<Record<string, string>> = {
  human: "user",
  model: "assistant",
  ai: "assistant",
  bot: "assistant",
};

/** The entries of some messages of a list, between spans for the rest. */
export function withSpans(
  list: readonly unknown[],
  [start, end]: readonly [start: number, end: number],
  entries: readonly Entry[],
  outlook: Outlook,
): Entry[] {
  const whole: Entry[] = start > 0 ? [makeSpan("assistant")] : [];
  for (const entry of entries) whole.push(entry);
  if (end < list.length) whole.push(makeSpan(outlook(end)));
  return whole;
}
