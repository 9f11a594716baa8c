import { addId, cutIds, everyEntry, indexOfId, isRecord } from "#core";
import type { IdTable, JsonObject } from "#core";

import { hasKeysOfOthers } from "../../keys-of-others.ts";
import { hasForeignKeys } from "./block-keys.ts";
import { isSignature } from "../blocks.ts";
import { refusedMedia } from "./media.ts";
import type { AnthropicProfile } from "../profile.ts";

export const isAssistant = (message: unknown): boolean => isRecord(message) && message["role"] === "assistant";

/** An assistant turn and the user turn after it, with the findings. */
export interface Unit {
  readonly list: readonly unknown[];
  /** The calls of earlier units. The calls of a unit that is not suspect are added. */
  readonly ids: IdTable;
  /** Ids of suspect units, which no call may have. */
  readonly taken: ReadonlySet<string>;
  readonly profile: AnthropicProfile;
  start: number;
  end: number;
  /** `open`: the unit is valid, except that some of its calls have no result. */
  state: "healthy" | "open" | "suspect";
}

/**
 * Finds the end of a unit, and whether it may be invalid. It knows text, images, thinking, calls and results in call
 * order, and leaves anything unusual to the rules. So a wrong "healthy" is impossible, and a wrong "suspect" costs only
 * time.
 */
export function lookAtUnit(unit: Unit): void {
  const { list, ids } = unit;
  const first = ids.ids.length;
  let at = unit.start;
  let isFine = true;
  for (; at < list.length && isAssistant(list[at]); at++) isFine &&= isGoodTurn(list[at], first, unit);
  const results = at;
  for (; at < list.length && !isAssistant(list[at]); at++);
  unit.end = at;
  unit.state = isFine ? stateOf(unit, results, first) : "suspect";
  if (unit.state === "suspect") cutIds(ids, first);
}

/** True for a valid assistant message. Its calls are added to the ids. */
function isGoodTurn(message: unknown, first: number, { ids, taken, profile }: Unit): boolean {
  const { content } = message as { readonly content: unknown }; // isAssistant has checked that it is an object
  if (hasKeysOfOthers(message as JsonObject)) return false;
  if (typeof content === "string") return ids.ids.length === first && isSpoken(content);
  if (!Array.isArray(content) || content.length === 0) return false;
  let hasThought = !profile.thinkingRequired;
  for (let b = 0; b < content.length; b++) {
    const block: unknown = content[b];
    if (!isRecord(block)) return false;
    if (block["type"] === "tool_use") {
      const id = callId(block, profile);
      if (!hasThought) return false;
      if (id === undefined || ids.ids.length - first === 64) return false;
      if ((taken.size > 0 && taken.has(id)) || !addId(ids, id)) return false;
    } else if (!isSaid(block, ids.ids.length === first, profile)) return false;
    else hasThought ||= block["type"] === "thinking";
  }
  return true;
}

/** The state of a unit from the messages after its calls. */
function stateOf({ list, ids, start, end, profile }: Unit, results: number, first: number): Unit["state"] {
  if (results === start && start > 0) return "suspect";
  const calls = ids.ids.length - first;
  let next = first; // the first call after the results so far
  let answered = 0;
  let isSplit = false; // the results are in several messages
  let isOver = calls === 0;
  for (let at = results; at < end; at++) {
    const message = list[at];
    if (!isRecord(message) || message["role"] !== "user" || hasKeysOfOthers(message)) return "suspect";
    const { content } = message;
    if (typeof content === "string") {
      if (!isSpoken(content)) return "suspect";
      isOver = true;
      continue;
    }
    if (!Array.isArray(content) || content.length === 0) return "suspect";
    for (let b = 0; b < content.length; b++) {
      const block: unknown = content[b];
      if (!isRecord(block)) return "suspect";
      const call = isOver || block["type"] !== "tool_result" ? -1 : indexOfId(ids, block["tool_use_id"], next);
      if (call >= 0 && isResult(block, profile)) {
        next = call + 1;
        answered++;
        isSplit ||= at > results;
      } else if (isUsers(block, profile)) isOver = true;
      else return "suspect";
    }
  }
  if (answered === calls) return end > results ? "healthy" : "suspect";
  // Results for an open unit are added to the message after its calls. Anything else is left to the rules.
  return isSplit || results - start !== 1 || !isPlainMessage(list[results]) ? "suspect" : "open";
}

function callId(block: JsonObject, profile: AnthropicProfile): string | undefined {
  const { ids, names } = profile;
  const { id, name } = block;
  if (!hasOwnKeys(block, profile)) return undefined;
  if (typeof id !== "string" || typeof name !== "string" || !isRecord(block["input"])) return undefined;
  return name.length > 0 && name.length <= names.longest && ids.pattern?.test(id) !== false ? id : undefined;
}

/** Text before the calls, and signed thinking. */
function isSaid(block: JsonObject, mayTalk: boolean, profile: AnthropicProfile): boolean {
  const { type, text } = block;
  if (type !== "text") return isThought(block, profile);
  return mayTalk && typeof text === "string" && isSpoken(text) && hasOwnKeys(block, profile);
}

const hasOwnKeys = (block: JsonObject, { foreignKeysRefused }: AnthropicProfile): boolean =>
  !foreignKeysRefused || !hasForeignKeys(block);

/** Thinking with a plausible signature, or any thinking if signatures are not checked. */
export function isThought(block: JsonObject, profile: AnthropicProfile): boolean {
  const { type, signature, data } = block;
  if (!profile.signaturesChecked) return type === "thinking" || type === "redacted_thinking";
  if (!hasOwnKeys(block, profile)) return false;
  const seal = type === "thinking" ? signature : type === "redacted_thinking" ? data : undefined;
  return typeof seal === "string" && isSignature(seal);
}

/** A user block with content. */
export function isUsers(block: JsonObject, profile: AnthropicProfile): boolean {
  const { type, text } = block;
  if (!hasOwnKeys(block, profile)) return false;
  if (type === "image" || type === "document") return refusedMedia(block) === undefined;
  return type === "text" && typeof text === "string" && isSpoken(text);
}

function isResult(block: JsonObject, profile: AnthropicProfile): boolean {
  const { content } = block;
  if (!hasOwnKeys(block, profile)) return false;
  return typeof content === "string" || content === undefined || isTexts(content, profile);
}

/** A message with only a role and content. */
function isPlainMessage(message: unknown): boolean {
  return !isRecord(message) || Object.keys(message).length === 2;
}

function isTexts(content: unknown, profile: AnthropicProfile): boolean {
  return (
    Array.isArray(content) &&
    everyEntry(content, (part) => {
      if (!isRecord(part) || !hasOwnKeys(part, profile)) return false;
      return part["type"] === "text" || (part["type"] === "image" && refusedMedia(part) === undefined);
    })
  );
}

/** Non-blank text. A printable ASCII first character is enough; others may be blanks too. */
export function isSpoken(text: string): boolean {
  const first = text.charCodeAt(0);
  return (first > 0x20 && first < 0x7f) || text.trim() !== "";
}
