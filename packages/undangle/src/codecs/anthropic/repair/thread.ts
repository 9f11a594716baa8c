import { acceptsId, isRecord, makeAssistant, makeCall } from "#core";
import type { AssistantEntry, Entry, JsonObject, Profile } from "#core";

/** True for a request that continues a thread of the server. It contains only new messages. */
export function continuesThread(body: JsonObject | undefined): boolean {
  const thread = body?.["thread"];
  return isRecord(thread) && thread["type"] === "continue";
}

/**
 * Represents the last turn on the server. The request does not contain its calls, so results before the first assistant
 * message count as theirs.
 */
export function heldTurn(entries: readonly Entry[], { ids }: Profile): AssistantEntry | undefined {
  const first = entries.findIndex(({ role }) => role === "assistant");
  const fresh = first < 0 ? entries : entries.slice(0, first);
  const called = new Set(
    fresh.flatMap((entry) => (entry.role === "result" && acceptsId(entry.id, ids) ? entry.id : [])),
  );
  return called.size === 0 ? undefined : makeAssistant(Array.from(called, (id) => makeCall(id, "held", {})));
}
