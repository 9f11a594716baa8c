import { isRecord } from "#core";
import type { Profile } from "#core";

import type { Request } from "../codec.ts";
import type { Wire } from "./context.ts";

/**
 * True when a list of messages is certainly healthy, told by one look at each block. It knows strictly alternating turns of
 * text, images, calls and results; whatever is unusual is left to the rules.
 */
export function acceptsAnthropic({ list, body }: Request, profile: Profile): boolean {
  const last = list.at(-1);
  if (!isRecord(last) || last["role"] !== "user" || !isPlain(body)) return false;
  const seen = new Set<string>();
  let open: readonly string[] = [];
  let role = "";
  for (const message of list) {
    if (!isRecord(message) || message["role"] === role) return false;
    role = String(message["role"]);
    if (role === "assistant") {
      const calls = acceptsAssistant(message["content"], profile, seen);
      if (calls === undefined || open.length > 0) return false;
      open = calls;
    } else if (role === "user") {
      if (!acceptsUser(message["content"], open)) return false;
      open = [];
    } else return false;
  }
  return open.length === 0 && (seen.size === 0 || body === undefined || hasTools(body));
}

/** Requests that think are left to the rules. */
function isPlain(body: Wire | undefined): boolean {
  const thinking = body?.["thinking"];
  return thinking === undefined || (isRecord(thinking) && thinking["type"] !== "enabled");
}

const hasTools = ({ tools }: Wire): boolean => Array.isArray(tools) && tools.length > 0;

const none: readonly string[] = [];

/** The ids of the calls of a well-formed assistant message, undefined for any other. */
function acceptsAssistant(content: unknown, { ids, names }: Profile, seen: Set<string>): readonly string[] | undefined {
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
    if (seen.has(id) || ids.pattern?.test(id) === false) return undefined;
    seen.add(id);
    (calls ??= []).push(id);
  }
  return calls ?? none;
}

/** True for a user message that answers the open calls first, each once, and then says something or nothing. */
function acceptsUser(content: unknown, open: readonly string[]): boolean {
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
