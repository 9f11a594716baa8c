import { isRecord, wordOf } from "#core";
import type { AssistantEntry, Call, Dialect, Entry, ResultEntry } from "#core";

import type { Context } from "./message.ts";

/** If the results after a message changed, they get names, because their positions no longer identify them. */
export function tellResults(
  entries: readonly Entry[],
  list: readonly unknown[],
  dialect: Dialect,
  context: Context,
): void {
  for (const entry of entries) {
    if (entry.role !== "assistant" || entry.calls.length === 0 || isAsItWas(entry, list)) continue;
    for (const call of entry.calls) {
      if (call.result?.source !== undefined) tell(call.result, call, dialect, context);
    }
  }
}

/** True if a message has exactly its original results; calls may be open. */
function isAsItWas({ source, calls }: AssistantEntry, list: readonly unknown[]): boolean {
  if (source === undefined) return false;
  const results = calls.flatMap(({ result }) => result ?? []);
  const first = source.index + 1;
  const end = first + results.length;
  const behind = list[end];
  if (isRecord(behind) && wordOf(behind["role"]).toLowerCase() === "tool") return false;
  return results.every((result) => {
    const index = result.source?.index ?? -1;
    return index >= first && index < end;
  });
}

/** A result is identified by the id of its call, or by its name without an id. */
function tell(result: ResultEntry, { id, name }: Call, dialect: Dialect, { journal }: Context): void {
  const hasId = id !== "";
  if (hasId ? result.id === id : result.name === name) return;
  const suffix = hasId ? ".tool_call_id" : ".tool_name";
  const isNew = hasId ? result.id === "" : result.name === "";
  const rule = hasId ? "missing-result-id" : isNew ? "missing-name" : "mismatched-name";
  const message = `The result does not name its tool, ${name}.`;
  const finding = { rule, from: dialect.from(result), message, callId: id } as const;
  const reconstructed = result.isByPlace === true;
  journal.edit(finding, { type: "rename", entry: result, suffix, lossless: isNew, reconstructed });
  if (hasId) result.id = id;
  else result.name = name;
  result.fresh = true;
}
