import { isRecord } from "#core";
import type { Profile } from "#core";

import type { Request, Survey } from "../codec.ts";
import { createPrefixMemory } from "../known-prefix.ts";
import type { Wire } from "./context.ts";

/** The ids of the calls in the healthy turns so far, each with the message that made it: they are unique in a request. */
interface Seen {
  readonly ids: Set<string>;
  /** The set belongs to the history that is this long; another branch of it starts anew. */
  length: number;
}

const memory = createPrefixMemory<Seen>();

/**
 * Finds the turns that may be wrong, by one look at each block. It knows strictly alternating turns of text, images, calls
 * and results; whatever is unusual is left to the rules. A unit is what the API takes as one assistant turn and the user turn
 * behind it.
 */
export function surveyAnthropic({ list, body, model }: Request, profile: Profile): Survey {
  const whole: Survey = { suspects: [0, list.length], ids: undefined };
  if (!isPlain(body)) return whole;
  const key = model ?? "";
  const known = memory.recall(list, key);
  const isMine = known !== undefined && known.state.length === known.length;
  const start = isMine ? known.length : 0;
  const seen: Seen = isMine ? known.state : { ids: new Set(), length: 0 };
  const suspects: number[] = [];
  const taken = new Set<string>(); // by suspects: a turn that uses such an id again is one too
  let calls: readonly string[] = none; // of the last healthy turn, which more messages may still join
  let healthy = start;
  for (let i = start; i < list.length;) {
    for (const id of calls) seen.ids.add(id);
    const end = unitEnd(list, i);
    const found = healthyCalls(list, i, end, profile);
    if (found !== undefined && isNew(found, seen.ids) && isNew(found, taken)) {
      if (suspects.length === 0 && end < list.length) healthy = end;
      calls = found;
    } else {
      const last = suspects.length - 1;
      if (suspects[last] === i) suspects[last] = end;
      else suspects.push(i, end);
      for (let k = i; k < end; k++) takeIds(list[k], taken);
      calls = none;
    }
    i = end;
  }
  if (body !== undefined && !hasTools(body) && seen.ids.size + calls.length + taken.size > 0) return whole;
  if (healthy > start && suspects.length === 0) {
    seen.length = healthy;
    memory.remember(list, healthy, key, seen);
  }
  if (suspects.length > 0) for (const id of calls) seen.ids.add(id);
  return { suspects: list.length === 0 ? [0, 0] : suspects, ids: seen.ids };
}

function takeIds(message: unknown, taken: Set<string>): void {
  const content = isRecord(message) ? message["content"] : undefined;
  if (!Array.isArray(content)) return;
  for (const block of content as readonly unknown[]) {
    if (isRecord(block) && typeof block["id"] === "string") taken.add(block["id"]);
  }
}

/** Requests that think are left to the rules. */
function isPlain(body: Wire | undefined): boolean {
  const thinking = body?.["thinking"];
  return thinking === undefined || (isRecord(thinking) && thinking["type"] !== "enabled");
}

const hasTools = ({ tools }: Wire): boolean => Array.isArray(tools) && tools.length > 0;

const isAssistant = (message: unknown): boolean => isRecord(message) && message["role"] === "assistant";

/** The index behind the assistant messages at `start` and everything up to the next assistant message. */
function unitEnd(list: readonly unknown[], start: number): number {
  let end = start;
  while (end < list.length && isAssistant(list[end])) end++;
  while (end < list.length && !isAssistant(list[end])) end++;
  return end;
}

/** The ids of the calls of one assistant message that one user message answers, or of a user message that opens the history. */
function healthyCalls(
  list: readonly unknown[],
  start: number,
  end: number,
  profile: Profile,
): readonly string[] | undefined {
  const first = list[start];
  const isOpening = start === 0 && !isAssistant(first);
  const user = list[end - 1];
  if (end - start !== (isOpening ? 1 : 2) || !isRecord(first) || !isRecord(user) || user["role"] !== "user")
    return undefined;
  const calls = isOpening ? none : callsOf(first["content"], profile);
  return calls !== undefined && answers(user["content"], calls) ? calls : undefined;
}

function isNew(ids: readonly string[], seen: ReadonlySet<string>): boolean {
  for (const id of ids) if (seen.has(id)) return false;
  return true;
}

const none: readonly string[] = [];

/** The ids of the calls of a well-formed assistant message, undefined for any other. */
function callsOf(content: unknown, { ids, names }: Profile): readonly string[] | undefined {
  if (typeof content === "string") return isSpoken(content) ? none : undefined;
  if (!Array.isArray(content) || content.length === 0) return undefined;
  let calls: string[] | undefined;
  for (const block of content as readonly unknown[]) {
    if (!isRecord(block)) return undefined;
    if (block["type"] === "text") {
      if (calls !== undefined || typeof block["text"] !== "string" || !isSpoken(block["text"])) return undefined;
      continue;
    }
    const { id, name } = block;
    if (block["type"] !== "tool_use" || typeof id !== "string" || typeof name !== "string") return undefined;
    if (!isRecord(block["input"]) || name.length === 0 || name.length > names.longest) return undefined;
    if (calls?.includes(id) === true || ids.pattern?.test(id) === false) return undefined;
    (calls ??= []).push(id);
    if (calls.length > 64) return undefined;
  }
  return calls ?? none;
}

/** True for user content that answers the open calls first, each once and in their order, and then says something or nothing. */
function answers(content: unknown, open: readonly string[]): boolean {
  if (typeof content === "string") return open.length === 0 && isSpoken(content);
  if (!Array.isArray(content) || content.length < open.length || content.length === 0) return false;
  for (let i = 0; i < content.length; i++) {
    const block: unknown = content[i];
    if (!isRecord(block)) return false;
    if (i >= open.length) {
      if (block["type"] === "image") continue;
      if (block["type"] !== "text" || typeof block["text"] !== "string" || !isSpoken(block["text"])) return false;
      continue;
    }
    const said = block["content"];
    if (block["type"] !== "tool_result" || block["tool_use_id"] !== open[i]) return false;
    if (typeof said !== "string" && said !== undefined && !isTexts(said)) return false;
  }
  return true;
}

function isTexts(content: unknown): boolean {
  return (
    Array.isArray(content) &&
    content.every((part: unknown) => isRecord(part) && (part["type"] === "text" || part["type"] === "image"))
  );
}

/** Text that is not blank; the first character mostly tells. */
const isSpoken = (text: string): boolean => text.charCodeAt(0) > 0x20 || text.trim() !== "";
