import { continued, makeUser, textContent } from "#core";
import type { AssistantEntry, Entry, Part } from "#core";

import { saysElsewhere } from "../../says-elsewhere.ts";
import { isMarker, isThought, kindOf } from "./block.ts";
import type { Context } from "./context.ts";
import { blockAt, originOf } from "./origin.ts";
import { isLeading } from "./system.ts";

/** Visits runs of entries that form one message, in order. */
export function eachRun(entries: readonly Entry[], visit: (run: readonly Entry[]) => void): void {
  for (let i = 0; i < entries.length;) {
    const side = sideOf(entries[i]);
    let end = i + 1;
    if (side === "user" || side === "assistant") while (end < entries.length && sideOf(entries[end]) === side) end++;
    visit(entries.slice(i, end));
    i = end;
  }
}

export const sideOf = (entry: Entry | undefined): Exclude<Entry["role"], "result"> | undefined =>
  entry?.role === "result" ? "user" : entry?.role;

const isAssistant = (entry: Entry): entry is AssistantEntry => entry.role === "assistant";

/** Removes assistant messages that a repair left without calls and other content. */
export function withoutEmptied(entries: readonly Entry[]): readonly Entry[] {
  const isEmptied = (entry: Entry): boolean =>
    isAssistant(entry) &&
    entry.fresh &&
    entry.calls.length === 0 &&
    entry.parts?.every((part) => part.call !== undefined || isMarker(part)) === true;
  return entries.some(isEmptied) ? entries.filter((entry) => !isEmptied(entry)) : entries;
}

/** True for a message with only text, optionally after reasoning. */
export const isSpoken = ({ parts = [] }: AssistantEntry): boolean =>
  parts.some(({ wire }) => kindOf(wire) === "text") &&
  parts.every((part) => kindOf(part.wire) === "text" || isThought(part) || isMarker(part));

/** For Claude: moves text after a call before the first call of its turn. */
export function moveTextUp(entries: readonly Entry[], { journal, model }: Context): readonly Entry[] {
  if (!model.isClaude) return entries;
  const emptied = new Set<Entry>();
  eachRun(entries, (run) => {
    const assistants = run.filter(isAssistant);
    const first = assistants.findIndex((entry) => entry.calls.length > 0);
    const target = assistants[first];
    if (target?.parts === undefined) return;
    const head = target.parts.findIndex(({ call }) => call !== undefined);
    const moved: Part[] = [];
    for (const entry of assistants.slice(first)) {
      const { parts = [], source } = entry;
      const start = entry === target ? head : 0;
      const isLate = (part: Part, i: number): boolean => i >= start && kindOf(part.wire) === "text";
      const late = parts.filter(isLate);
      if (late.length === 0 || source === undefined) continue;
      for (const part of late) {
        const finding = {
          rule: "text-after-call" as const,
          message: "Text follows a toolUse block of its turn.",
        };
        journal.note(blockAt(source, part.place), finding, { type: "move" });
        moved.push({ ...part, source });
      }
      entry.parts = parts.filter((part, i) => !isLate(part, i));
      entry.fresh = true;
      if (entry.parts.length === 0) emptied.add(entry);
    }
    if (moved.length === 0) return;
    const { parts } = target;
    target.parts = [...parts.slice(0, head), ...moved, ...parts.slice(head)];
    target.fresh = true;
  });
  return emptied.size === 0 ? entries : entries.filter((entry) => !emptied.has(entry));
}

/** Adds text to messages with a document, which require it. */
export function mendDocuments(entries: readonly Entry[], { journal, policy }: Context): void {
  eachRun(entries, (run) => {
    const holder = run.find(({ parts }) => parts?.some(({ wire }) => kindOf(wire) === "document") === true);
    const document = holder?.parts?.find(({ wire }) => kindOf(wire) === "document");
    const source = document?.source ?? holder?.source;
    if (holder?.parts === undefined || document === undefined || source === undefined || run.some(hasText)) return;
    const place = newPlace;
    const finding = {
      rule: "document-without-text" as const,
      from: `messages[${source.index}]${originOf(source.wire, document.place)}`,
      message: "A document needs a text block in the same message.",
    };
    journal.report(finding, { type: "insert", source, part: { place, tail: "" } });
    const text: Part = { wire: { text: continued[policy.language] }, place, source, call: undefined };
    const { parts } = holder;
    const at = parts.findIndex((part) => part === document || part.call !== undefined); // no text after a call
    holder.parts = [...parts.slice(0, at), text, ...parts.slice(at)];
    holder.fresh = true;
  });
}

/** The position of an added part, which no part of the input has. */
const newPlace = -1;

const hasText = ({ role, parts, content }: Entry): boolean =>
  (role !== "result" && content?.some(({ type }) => type === "text") === true) ||
  parts?.some(({ wire }) => ["text", "guardContent"].includes(kindOf(wire) ?? "")) === true;

/** Reports messages that are merged with the previous message. */
export function noteMerges(entries: readonly Entry[], { journal, roles }: Context): void {
  eachRun(entries, (run) => {
    const seen = new Set<unknown>();
    for (const { source, role } of run) {
      if (source === undefined || seen.has(source)) continue;
      seen.add(source);
      if (seen.size === 1 || role === "system" || role === "span") continue;
      const { index } = source;
      const message = `Two ${roles.get(index) ?? role} messages are adjacent.`;
      const finding = { rule: "role-order" as const, from: `messages[${index}]`, message };
      if (roles.get(index) === roles.get(index - 1)) journal.report(finding, { type: "merge", source });
      else if (role !== "result") journal.edit(finding, { type: "merge", source }); // the messages between them were removed
    }
  });
}

/** Reports blocks that moved to a message of their role. Removed blocks have their own edit. */
export function noteMoves(entries: readonly Entry[], { journal, misplaced }: Context): void {
  if (misplaced.length === 0) return;
  const kept = new Set<unknown>();
  for (const entry of entries) {
    if (entry.role === "result") kept.add(entry);
    else if (entry.role === "assistant") for (const call of entry.calls) kept.add(call);
  }
  for (const { finding, source, block } of misplaced.splice(0))
    if (kept.has(block)) journal.edit(finding, { type: "move", source, part: { place: block.place, tail: "" } });
}

/** Ensures that there is a message, and that the first one is a user message. */
export function openWithUser(entries: readonly Entry[], context: Context): readonly Entry[] {
  const [first] = entries;
  if (first !== undefined ? !needsUser(first, context) : context.list.length === 0) return entries;
  const user = makeUser([textContent(continued[context.policy.language])]);
  const from = first?.role === "assistant" && first.source?.index === 0 ? "messages[0]" : undefined;
  const rule = first === undefined ? ("no-messages" as const) : ("first-message" as const);
  const message = "A conversation must start with a user message.";
  context.journal.report({ rule, from, message }, { type: "insert", entry: user });
  return [user, ...entries];
}

/** True for an assistant message, and for a system message after another message. */
function needsUser({ role, source, parts }: Entry, context: Context): boolean {
  if (role !== "system") return role === "assistant";
  return parts !== undefined && source !== undefined && !isLeading(source.index, context);
}

/** Removes empty messages, except a last user message after the assistant, which gets text. */
export function settleEmptied(
  entries: readonly Entry[],
  { journal, emptied, list, policy }: Context,
): readonly Entry[] {
  if (emptied.length === 0) return entries;
  const turn = entries.slice(entries.findLastIndex((entry) => !isAssistant(entry)) + 1).filter(isAssistant);
  const isLeftOpen = turn.some(({ calls }) => calls.some((call) => call.result === undefined));
  const isTurnOfUser = entries.length === 0 || (turn.length > 0 && !isLeftOpen);
  let settled = entries;
  for (const { source, role, cameEmpty, markers } of emptied) {
    const isFilled = isTurnOfUser && role === "user" && source.index === list.length - 1;
    const suffix = isFilled ? ".content" : "";
    const finding = {
      rule: "empty-message" as const,
      from: `messages[${source.index}]${suffix}`,
      message: `The ${role} message has no content.`,
    };
    const type = isFilled ? ("rewrite" as const) : ("remove" as const);
    const lossless = isFilled || (markers.length === 0 && !(cameEmpty && saysElsewhere(source.wire)));
    const change = { type, source, suffix, lossless };
    if (cameEmpty) journal.report(finding, change);
    else journal.edit(finding, change);
    if (!isFilled) continue;
    const parts: Part[] = [
      { wire: { text: continued[policy.language] }, place: newPlace, call: undefined },
      ...markers,
    ];
    settled = [...entries, { role: "user", source, at: -1, fresh: true, content: undefined, parts }];
  }
  return settled;
}
