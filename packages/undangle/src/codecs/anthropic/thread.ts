import { acceptsId, isRecord, makeAssistant, makeCall } from "#core";
import type { AssistantEntry, Entry, Profile } from "#core";

/** True for a request that goes on with a thread of the server's: the messages are only what is new. */
export function continuesThread(body: Readonly<Record<string, unknown>> | undefined): boolean {
  const thread = body?.["thread"];
  return isRecord(thread) && thread["type"] === "continue";
}

/**
 * Stands for the turn that the server holds last: nothing in the request tells what it called, so the results in front of
 * the first answer are taken for those of its calls.
 */
export function heldTurn(entries: readonly Entry[], { ids }: Profile): AssistantEntry | undefined {
  const first = entries.findIndex(({ role }) => role === "assistant");
  const fresh = first < 0 ? entries : entries.slice(0, first);
  const called = new Set(
    fresh.flatMap((entry) => (entry.role === "result" && acceptsId(entry.id, ids) ? entry.id : [])),
  );
  return called.size === 0 ? undefined : makeAssistant(Array.from(called, (id) => makeCall(id, "held", {})));
}
