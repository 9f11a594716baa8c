import { isRecord } from "#core";

/** The next role from an index of a list; system messages do not count. */
export type Outlook = (start: number) => "user" | "assistant" | undefined;

/** Looks ahead in a list and caches the result, so that successive queries read each message once. */
export function createOutlook(list: readonly unknown[], speakerOf: (message: unknown) => unknown = roleOf): Outlook {
  let start = 0;
  let end = -1; // no role between `start` and this index
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

export const roleOf = (message: unknown): unknown => (isRecord(message) ? message["role"] : undefined);

/** The role that readers of the format derive from other role names. The look-ahead must match the readers. */
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
