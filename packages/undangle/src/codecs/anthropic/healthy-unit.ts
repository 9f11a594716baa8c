import { isRecord } from "#core";
import type { Profile } from "#core";

import { isSignature } from "./blocks.ts";

export const isAssistant = (message: unknown): boolean => isRecord(message) && message["role"] === "assistant";

/** The index behind the assistant messages at `start`. */
export function assistantsEnd(list: readonly unknown[], start: number): number {
  let end = start;
  while (end < list.length && isAssistant(list[end])) end++;
  return end;
}

/** The index of the next assistant message from `start` on, or behind the list. */
export function usersEnd(list: readonly unknown[], start: number): number {
  let end = start;
  while (end < list.length && !isAssistant(list[end])) end++;
  return end;
}

const none: readonly string[] = [];

/** A unit in which nothing is wrong, but that some of its calls may have no result. */
export interface GoodUnit {
  /** The ids of its calls. */
  readonly calls: readonly string[];
  readonly isOpen: boolean;
}

/**
 * What is known of a unit that certainly has no other fault than calls without a result, undefined for any other. It knows
 * text, images, thinking, calls and results in call order; whatever is unusual is left to the rules, so that a wrong yes is
 * impossible and a wrong no costs time, not correctness.
 */
export function goodUnit(
  list: readonly unknown[],
  { start, results, end }: { readonly start: number; readonly results: number; readonly end: number },
  profile: Profile,
): GoodUnit | undefined {
  let calls: string[] | undefined;
  let at = start;
  for (; at < results; at++) {
    const { content } = list[at] as { readonly content: unknown }; // isAssistant has seen an object
    if (typeof content === "string") {
      if (calls !== undefined || !isSpoken(content)) return undefined;
      continue;
    }
    if (!Array.isArray(content) || content.length === 0) return undefined;
    for (let b = 0; b < content.length; b++) {
      const block: unknown = content[b];
      if (!isRecord(block)) return undefined;
      if (block["type"] === "tool_use") {
        const id = callId(block, profile);
        if (id === undefined || calls?.includes(id) === true || calls?.length === 64) return undefined;
        (calls ??= []).push(id);
      } else if (!isSaid(block, calls === undefined)) return undefined;
    }
  }
  if (at === start && start > 0) return undefined;
  const open = calls ?? none;
  let next = 0; // the first call that the results have not passed yet
  let answered = 0;
  let isSplit = false; // the results stand in several messages
  let isOver = open.length === 0;
  for (; at < end; at++) {
    const message = list[at];
    if (!isRecord(message) || message["role"] !== "user") return undefined;
    const { content } = message;
    if (typeof content === "string") {
      if (!isSpoken(content)) return undefined;
      isOver = true;
      continue;
    }
    if (!Array.isArray(content) || content.length === 0) return undefined;
    for (let b = 0; b < content.length; b++) {
      const block: unknown = content[b];
      if (!isRecord(block)) return undefined;
      const call = isOver || block["type"] !== "tool_result" ? -1 : open.indexOf(String(block["tool_use_id"]), next);
      if (call >= 0 && isResult(block)) {
        next = call + 1;
        answered++;
        isSplit ||= at > results;
      } else if (isUsers(block)) isOver = true;
      else return undefined;
    }
  }
  const isOpen = answered < open.length;
  // An open unit is answered in the message behind its calls: the rules look at what is put together in another way.
  if (isOpen && (isSplit || results - start !== 1 || !isPlainMessage(list[results]))) return undefined;
  return isOpen || at > results ? { calls: open, isOpen } : undefined;
}

function callId(block: Readonly<Record<string, unknown>>, { ids, names }: Profile): string | undefined {
  const { id, name } = block;
  if (typeof id !== "string" || typeof name !== "string" || !isRecord(block["input"])) return undefined;
  return name.length > 0 && name.length <= names.longest && ids.pattern?.test(id) !== false ? id : undefined;
}

/** Text before the calls, and signed thinking. */
function isSaid(block: Readonly<Record<string, unknown>>, mayTalk: boolean): boolean {
  const { type, text } = block;
  return type === "text" ? mayTalk && typeof text === "string" && isSpoken(text) : isThought(block);
}

/** Thinking with a seal that can be Anthropic's. */
export function isThought(block: Readonly<Record<string, unknown>>): boolean {
  const { type, signature, data } = block;
  const seal = type === "thinking" ? signature : type === "redacted_thinking" ? data : undefined;
  return typeof seal === "string" && isSignature(seal);
}

function isUsers({ type, text }: Readonly<Record<string, unknown>>): boolean {
  return type === "image" || type === "document" || (type === "text" && typeof text === "string" && isSpoken(text));
}

function isResult({ content }: Readonly<Record<string, unknown>>): boolean {
  return typeof content === "string" || content === undefined || isTexts(content);
}

/** A message with nothing but its role and content, or none at all. */
function isPlainMessage(message: unknown): boolean {
  return !isRecord(message) || Object.keys(message).length === 2;
}

function isTexts(content: unknown): boolean {
  return (
    Array.isArray(content) &&
    content.every((part: unknown) => isRecord(part) && (part["type"] === "text" || part["type"] === "image"))
  );
}

/** Text that is not blank: a first character of plain ASCII tells, others may be blanks too. */
function isSpoken(text: string): boolean {
  const first = text.charCodeAt(0);
  return (first > 0x20 && first < 0x7f) || text.trim() !== "";
}
