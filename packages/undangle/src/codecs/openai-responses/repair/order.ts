import { continued, isRecord, makeUser, textContent } from "#core";
import type { AssistantEntry, Content, Entry } from "#core";

import type { Context } from "./context.ts";
import { isCall } from "./item.ts";

/** Removes calls that a repair identified as copies. */
export function withoutCopies(entries: readonly Entry[]): readonly Entry[] {
  const isCopy = (entry: Entry): boolean => {
    const item = entry.role === "assistant" && entry.calls.length === 0 ? entry.source?.mended : undefined;
    return isRecord(item) && isCall(item);
  };
  return entries.some(isCopy) ? entries.filter((entry) => !isCopy(entry)) : entries;
}

/** Moves media that an assistant message cannot contain to a user message, after the turn and its outputs. */
export function placeMedia(entries: readonly Entry[], { media }: Context): readonly Entry[] {
  if (media.size === 0) return entries;
  const placed: Entry[] = [];
  let waiting: Content[] = [];
  let turn = 0; // the start of the turn
  let isOpen = false; // its calls stay open, so it remains at the end of the history
  const flush = (): void => {
    if (waiting.length > 0) placed.splice(isOpen ? turn : placed.length, 0, makeUser(waiting));
    waiting = [];
  };
  for (const entry of entries) {
    const isInTurn = placed.at(-1)?.role === "assistant" ? isModels(entry) : entry.role === "result";
    if (!isInTurn) {
      flush();
      turn = placed.length;
      isOpen = false;
    }
    if (entry.role === "assistant") isOpen ||= entry.calls.some((call) => call.result === undefined);
    placed.push(entry);
    for (const part of media.get(entry) ?? []) waiting.push(part);
  }
  flush();
  return placed;
}

const isModels = ({ role }: Entry): boolean => role === "assistant" || role === "result";

/** If only calls and outputs are allowed between a call and its output, other items move before the first call. */
export function closeGaps(entries: readonly Entry[], { profile, journal }: Context): readonly Entry[] {
  if (!profile.outputsAdjacent) return entries;
  const closed: Entry[] = [];
  for (let i = 0; i < entries.length;) {
    const run: AssistantEntry[] = [];
    for (let entry = entries[i]; entry?.role === "assistant"; entry = entries[i + run.length]) run.push(entry);
    const first = run.findIndex(({ calls }) => calls.length > 0);
    const last = run.findLastIndex(({ calls }) => calls.length > 0);
    const between = run.slice(first + 1).filter(({ calls }) => calls.length === 0);
    if (first < 0 || between.length === 0 || (last === first && !isAnswered(entries, i + run.length))) {
      const entry = entries[i];
      if (run.length === 0 && entry !== undefined) closed.push(entry);
      for (const each of run) closed.push(each);
      i += Math.max(1, run.length);
      continue;
    }
    for (const { source } of between) {
      if (source === undefined) continue;
      const message = "The item is between a call and its output.";
      journal.note({ source, suffix: "" }, { rule: "displaced-result", message }, { type: "move" });
    }
    const moved = new Set<Entry>(between);
    for (const each of [...run.slice(0, first), ...between]) closed.push(each);
    for (const each of run.slice(first)) if (!moved.has(each)) closed.push(each);
    i += run.length;
  }
  return closed;
}

const isAnswered = (entries: readonly Entry[], at: number): boolean => entries[at]?.role === "result";

/** A request requires a message, so a history that is empty after a repair gets a short user message. */
export function withNeededTurn(entries: readonly Entry[], { journal, policy, profile }: Context): readonly Entry[] {
  if (entries.length > 0 || profile.mayBeEmpty || !journal.changed()) return entries;
  const user = makeUser([textContent(continued[policy.language])]);
  const finding = { rule: "no-messages" as const, from: undefined, message: "No valid message is left." };
  journal.edit(finding, { type: "insert", entry: user });
  return [user];
}
