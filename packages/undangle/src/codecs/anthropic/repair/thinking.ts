import { isRecord } from "#core";
import type { Entry, Part } from "#core";

import type { Context } from "./context.ts";
import { isThinking } from "./turns.ts";

/**
 * Adds an empty thinking block to messages with calls that lost theirs, for servers that require one. DeepSeek accepts
 * it (https://github.com/esengine/DeepSeek-Reasonix/pull/8927), with or without a signature.
 */
export function withThinking(entries: readonly Entry[], { profile, journal }: Context): readonly Entry[] {
  if (!profile.thinkingRequired) return entries;
  let hasThought = false; // in the turn: consecutive assistant messages are read as one
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
    if (entry.content?.length === 0) entry.content = undefined; // the content of an inserted call
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
