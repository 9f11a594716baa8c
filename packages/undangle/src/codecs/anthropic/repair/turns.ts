import { continued, isRecord, makeUser, textContent } from "#core";
import type { AssistantEntry, Entry, Part } from "#core";

import { blockAt } from "./context.ts";
import type { Context } from "./context.ts";

/** The type of a part's block. */
export function typeOf(part: Part | undefined): unknown {
  return isRecord(part?.wire) ? part.wire["type"] : undefined;
}

export const isThinking = (part: Part | undefined): boolean => isThinkingBlock(part?.wire);

export const isThinkingBlock = (block: unknown): boolean =>
  isRecord(block) && (block["type"] === "thinking" || block["type"] === "redacted_thinking");

/** True for a message with only text, optionally after thinking. */
export const isSpoken = ({ parts = [] }: AssistantEntry): boolean =>
  parts.some((part) => typeOf(part) === "text" && !isBlank(part)) &&
  parts.every((part) => typeOf(part) === "text" || isThinking(part));

/** Visits runs of entries that the API reads as one turn, in order. */
export function eachRun(entries: readonly Entry[], visit: (run: Entry[], start: number) => void): void {
  for (let i = 0; i < entries.length;) {
    const side = sideOf(entries[i]);
    let end = i + 1;
    while (end < entries.length && sideOf(entries[end]) === side) end++;
    visit(entries.slice(i, end), i);
    i = end;
  }
}

function sideOf(entry: Entry | undefined): Exclude<Entry["role"], "result"> {
  return entry === undefined || entry.role === "result" ? "user" : entry.role;
}

/** Moves text after a call before the first call of its turn. Thinking stays in place. */
export function moveTextUp(entries: readonly Entry[], { journal }: Context): readonly Entry[] {
  const emptied = new Set<Entry>();
  eachRun(entries, (run) => {
    const assistants = run.filter((entry): entry is AssistantEntry => entry.role === "assistant");
    const first = assistants.findIndex((entry) => entry.calls.length > 0);
    const target = assistants[first];
    if (target?.parts === undefined) return;
    const head = target.parts.findIndex(({ call }) => call !== undefined);
    const moved: Part[] = [];
    for (const entry of assistants.slice(first)) {
      const start = entry === target ? head : 0;
      const late = (entry.parts ?? []).filter((part, i) => i >= start && typeOf(part) === "text");
      if (late.length === 0) continue;
      for (const part of late) {
        if (entry.source === undefined) continue;
        journal.note(
          blockAt(entry.source, part.place),
          { rule: "text-after-call", message: "Text follows a tool_use block of its turn." },
          { type: "move" },
        );
      }
      for (const part of late) moved.push(entry.source === undefined ? part : { ...part, source: entry.source });
      entry.parts = (entry.parts ?? []).filter((part, i) => i < start || typeOf(part) !== "text");
      entry.fresh = true;
      if (entry.parts.length === 0) emptied.add(entry);
    }
    if (moved.length === 0) return;
    target.parts = [...target.parts.slice(0, head), ...moved, ...target.parts.slice(head)];
    target.fresh = true;
  });
  return emptied.size === 0 ? entries : entries.filter((entry) => !emptied.has(entry));
}

/** Removes empty turns, which are refused, except a last user turn, which gets text. */
export function dropEmptyTurns(entries: readonly Entry[], context: Context): readonly Entry[] {
  const gone = new Set<Entry>();
  eachRun(entries, (run, start) => {
    const isUser = run[0]?.role === "user";
    const isLast = start + run.length === entries.length;
    const isSpoken = (entry: Entry): boolean => entry.parts === undefined || !entry.parts.every(isBlank);
    if (run[0]?.role === "system" || run.some(isSpoken)) return;
    const isEmpty = run.every((entry) => entry.parts?.length === 0);
    if (isEmpty && !isUser) return; // reports about assistant turns without content disagree, and they are valid at the end
    for (const entry of run) {
      if (entry.source === undefined) continue;
      const rule = isEmpty ? "empty-message" : "blank-text";
      const message = `The ${isUser ? "user" : "assistant"} turn has only blank text.`;
      if (isUser && (isLast || start === 0) && entry === run.at(-1)) {
        const after = continuationOf(context);
        context.journal.note({ source: entry.source, suffix: ".content" }, { rule, message }, { type: "rewrite" });
        entry.parts = [{ wire: { type: "text", text: after }, place: 0, call: undefined }];
        entry.fresh = true;
        continue;
      }
      gone.add(entry);
      context.journal.note({ source: entry.source, suffix: "" }, { rule, message }, { type: "remove" });
    }
  });
  return gone.size === 0 ? entries : entries.filter((entry) => !gone.has(entry));
}

/** True for blank text. */
export function isBlank(part: Part): boolean {
  const text = isRecord(part.wire) ? part.wire["text"] : undefined;
  return typeOf(part) === "text" && typeof text === "string" && text.trim() === "";
}

const continuationOf = ({ policy }: Context): string => continued[policy.language];

/** Removes assistant messages that are empty after a repair. */
export function withoutEmptied(entries: readonly Entry[]): readonly Entry[] {
  const isEmptied = (entry: Entry): boolean =>
    entry.role === "assistant" &&
    entry.fresh &&
    entry.calls.length === 0 &&
    entry.parts?.every(({ call }) => call !== undefined) === true;
  return entries.some(isEmptied) ? entries.filter((entry) => !isEmptied(entry)) : entries;
}

/** Reports the empty messages that are removed because something else changes anyway. */
export function dropSkipped({ skipped, journal }: Context): void {
  if (!journal.changed()) return;
  for (const { index } of skipped) {
    const finding = {
      rule: "empty-message" as const,
      from: `messages[${index}]`,
      message: "The user message is empty.",
    };
    journal.edit(finding, { type: "remove" });
  }
}

/** A user turn for a history that is empty after a repair, because every request requires one. */
export function neededTurn(context: Context): Entry {
  const user = makeUser([textContent(continuationOf(context))]);
  const finding = { rule: "no-messages" as const, from: undefined, message: "No valid message is left." };
  context.journal.edit(finding, { type: "insert", entry: user });
  return user;
}
