import { isRecord } from "#core";
import type { Entry, Part } from "#core";

import type { Context } from "./context.ts";
import { isThinking } from "./turns.ts";

/**
 * Where a server wants the thinking of every message with calls back, one that has lost it gets an empty block: DeepSeek takes
 * that (https://github.com/esengine/DeepSeek-Reasonix/pull/8927), with a signature and without.
 */
export function withThinking(entries: readonly Entry[], { profile, journal }: Context): readonly Entry[] {
  if (!profile.thinkingRequired) return entries;
  let hasThought = false; // in the turn: consecutive messages of the assistant are read as one
  for (const entry of entries) {
    if (entry.role !== "assistant") {
      hasThought = false;
      continue;
    }
    const parts = entry.parts ?? entry.calls.map((call): Part => ({ wire: call.wire, place: -1, call }));
    hasThought ||= parts.some(isThinking);
    if (hasThought || entry.calls.length === 0) continue;
    hasThought = true;
    entry.parts = [{ wire: { type: "thinking", thinking: "", signature: "" }, place: -1, call: undefined }, ...parts];
    entry.fresh = true;
    if (entry.content?.length === 0) entry.content = undefined; // that of a call of ours
    if (entry.source === undefined || !isRecord(entry.source.wire)) continue;
    const message = "Thinking is on, but the message with calls has no thinking block.";
    journal.note(
      { source: entry.source, suffix: ".content" },
      { rule: "missing-reasoning", message },
      { type: "rewrite" },
    );
  }
  return entries;
}
