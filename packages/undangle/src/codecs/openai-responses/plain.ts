import type { AssistantEntry, Source, SystemEntry, UserEntry } from "#core";

/** The entry of an item that says something and calls nothing: it is written as it was read. */
export function plain(role: "system" | "user" | "assistant", source: Source): SystemEntry | UserEntry | AssistantEntry {
  const place = { source, at: -1, fresh: false, content: undefined, parts: undefined };
  return role === "assistant" ? { role, ...place, calls: [] } : { role, ...place };
}
