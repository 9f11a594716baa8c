import type { AssistantEntry, Source, SystemEntry, UserEntry } from "#core";

/** An unchanged entry without calls. */
export function plain(role: "system" | "user" | "assistant", source: Source): SystemEntry | UserEntry | AssistantEntry {
  const place = { source, at: -1, fresh: false, content: undefined, parts: undefined };
  return role === "assistant" ? { role, ...place, calls: [] } : { role, ...place };
}
