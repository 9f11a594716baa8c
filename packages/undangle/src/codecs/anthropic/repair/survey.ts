import { createIdTable, everyEntry, isRecord, wordOf } from "#core";
import type { JsonObject } from "#core";

import { wholeList } from "../../codec.ts";
import type { Range, Request } from "../../codec.ts";
import { isAssistant, isSpoken, isThought, isUsers, lookAtUnit } from "./healthy-unit.ts";
import type { Unit } from "./healthy-unit.ts";
import type { AnthropicProfile } from "../profile.ts";
import { continuesThread } from "./thread.ts";

/**
 * Finds turns that may be invalid, with one pass over the blocks. A unit is an assistant turn and the user turn after
 * it.
 */
export function surveyAnthropic({ list, body }: Request, profile: AnthropicProfile): readonly Range[] {
  if (profile.signaturesChecked && thinks(body) && !startsWithThinking(list, profile)) return wholeList(list);
  const ids = createIdTable(list.length); // the calls of healthy turns, whose ids are unique in a request
  const suspects: Range[] = [];
  const taken = new Set<string>(); // ids of suspect turns; a turn that reuses one is suspect too
  const unit: Unit = { list, ids, taken, profile, start: 0, end: 0, state: "suspect" };
  while (unit.end < list.length) {
    unit.start = unit.end;
    lookAtUnit(unit);
    const { end, state } = unit;
    if (state !== "healthy") suspects.push({ start: unit.start, end, isOpen: state === "open" });
    if (state === "suspect") for (let k = unit.start; k < end; k++) takeIds(list[k], taken);
  }
  const mayCall = (): boolean =>
    ids.ids.length + taken.size > 0 || suspects.some((each) => hasForeignCalls(list, each));
  if (body !== undefined && !hasTools(body) && mayCall()) return wholeList(list);
  return list.length === 0 && !continuesThread(body) ? wholeList(list) : suspects;
}

const thinks = (body: JsonObject | undefined): boolean => {
  const thinking = body?.["thinking"];
  return isRecord(thinking) && thinking["type"] === "enabled";
};

const hasTools = ({ tools }: JsonObject): boolean => Array.isArray(tools) && tools.length > 0;

/** True if messages may be converted to tool blocks: they have calls of other formats, or blocks without an id. */
function hasForeignCalls(list: readonly unknown[], { start, end }: Range): boolean {
  for (let k = start; k < end; k++) {
    const message = list[k];
    if (!isRecord(message)) continue;
    const { content, tool_calls: calls, function_call: call, parts } = message;
    if (calls || call || parts || message["role"] === "tool" || message["role"] === "function") return true;
    if (
      Array.isArray(content) &&
      content.some((block) => isRecord(block) && /tool|function/u.test(wordOf(block["type"])))
    )
      return true;
  }
  return false;
}

/** True if the last turn is a running tool loop that starts with a thinking block. */
function startsWithThinking(list: readonly unknown[], profile: AnthropicProfile): boolean {
  let first: unknown;
  for (let i = list.length - 1; i >= 0; i--) {
    const message = list[i];
    if (isAssistant(message)) first = message;
    else if (isHeard(message, profile)) break;
  }
  const content = isRecord(first) ? first["content"] : undefined;
  const block: unknown = Array.isArray(content) ? content[0] : undefined;
  return first === undefined || (isRecord(block) && isThought(block, profile));
}

/** True for a message with user content. Other parts beside results may not stay. */
function isHeard(message: unknown, profile: AnthropicProfile): boolean {
  if (!isRecord(message) || message["role"] !== "user") return false;
  const { content } = message;
  if (typeof content === "string") return isSpoken(content);
  if (!Array.isArray(content)) return false;
  const isOwn = (block: unknown): boolean =>
    isRecord(block) && (block["type"] === "tool_result" || isUsers(block, profile));
  return everyEntry(content, isOwn) && content.some((block) => isRecord(block) && isUsers(block, profile));
}

function takeIds(message: unknown, taken: Set<string>): void {
  const { content, tool_calls: calls } = isRecord(message) ? message : noMessage;
  for (const blocks of [content, calls]) {
    if (!Array.isArray(blocks)) continue;
    for (const block of blocks as readonly unknown[]) {
      if (isRecord(block) && typeof block["id"] === "string") taken.add(block["id"]);
    }
  }
}

const noMessage: JsonObject = {};
