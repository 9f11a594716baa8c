import { acceptsId, everyEntry, isRecord } from "#core";
import type { JsonObject, Profile } from "#core";

import { wholeList } from "../../codec.ts";
import type { Range, Request } from "../../codec.ts";
import { isClientCall } from "./message.ts";
import { stateOfUIMessage } from "./ui-healthy.ts";
import { createPage, isForPage } from "./ui-steps.ts";

/**
 * Finds messages that may be invalid, with one pass over the list. It knows only the common shapes and leaves anything
 * unusual to the rules. So a wrong "healthy" is impossible, and a wrong "suspect" costs only time.
 */
export function surveyAiSdk({ list }: Request, { ids }: Profile): readonly Range[] {
  if (list.length === 0 || !areIdsFine(list, ids)) return wholeList(list);
  const suspects: Range[] = [];
  const page = isForPage(list) ? createPage(list) : undefined;
  const seen: Seen = { state: "healthy" };
  for (let i = 0; i < list.length;) {
    const end = page === undefined ? unitEnd(list, i, seen) : i + 1;
    if (page !== undefined) seen.state = stateOfUIMessage(page, i);
    if (seen.state !== "healthy") suspects.push({ start: i, end, isOpen: seen.state === "open" });
    i = end;
  }
  // An id that is generated for one turn could be in use in another.
  return ids.scope === "request" && suspects.some(({ isOpen }) => !isOpen) ? wholeList(list) : suspects;
}

/** True if every call of the application has a valid id, which is unique where the model requires it. */
function areIdsFine(list: readonly unknown[], ids: Profile["ids"]): boolean {
  const isUnique = ids.scope === "request";
  if (!isUnique && ids.pattern === undefined && ids.longest === Infinity) return true;
  const seen = new Set<unknown>();
  for (const message of list) {
    if (!isRecord(message) || message["role"] !== "assistant" || !Array.isArray(message["content"])) continue;
    for (const part of message["content"] as readonly unknown[]) {
      if (!isClientCall(part)) continue;
      const { toolCallId: id } = part;
      if (typeof id !== "string" || !acceptsId(id, ids)) return false;
      if (isUnique && seen.has(id)) return false;
      seen.add(id);
    }
  }
  return true;
}

interface Seen {
  /** The result for the last unit. */
  state: "healthy" | "open" | "suspect";
}

/** The index after the message, or after the turn that it starts. Records what was found. */
function unitEnd(list: readonly unknown[], at: number, seen: Seen): number {
  const message = list[at];
  seen.state = "suspect";
  if (!isRecord(message)) return at + 1;
  const { role, content } = message;
  if (role === "user" || role === "system") {
    if (typeof content === "string" || (Array.isArray(content) && everyEntry(content, isUsers))) seen.state = "healthy";
    return at + 1;
  }
  let end = at + 1;
  while (isTool(list[end])) end++;
  if (role === "assistant") seen.state = stateOf(list, at, end);
  return end;
}

const isTool = (message: unknown): boolean => isRecord(message) && message["role"] === "tool";

const isUsers = (part: unknown): boolean => isRecord(part) && part["type"] !== "tool-result";

/** The state of an assistant message and the tool messages after it. */
function stateOf(list: readonly unknown[], at: number, end: number): Seen["state"] {
  const { content } = list[at] as JsonObject; // checked by the caller
  if (typeof content === "string") return end === at + 1 ? "healthy" : "suspect";
  const calls = Array.isArray(content) ? readCalls(content) : undefined;
  if (calls === undefined) return "suspect";
  if (calls.length === 0) return end === at + 1 ? "healthy" : "suspect";
  const answered = new Set<unknown>();
  let hasOthers = false; // parts that are not results; the SDK reads them only in the last message
  for (let i = at + 1; i < end; i++) {
    const { content: parts } = list[i] as JsonObject; // checked by isTool
    if (!Array.isArray(parts) || parts.length === 0) return "suspect";
    for (let p = 0; p < parts.length; p++) {
      const part: unknown = parts[p];
      if (!isRecord(part)) return "suspect";
      if (part["type"] === "tool-approval-response") hasOthers = true;
      else if (part["type"] !== "tool-result" || !answers(part, calls, answered)) return "suspect";
    }
  }
  if (hasOthers && end === list.length) return "suspect";
  if (answered.size === calls.length) return "healthy";
  const isPlain = end === at + 1 || (end === at + 2 && Object.keys(list[at + 1] as JsonObject).length === 2); // checked above
  return !isPlain || hasOthers || hasRequests(content as readonly unknown[]) ? "suspect" : "open"; // read above
}

/** The calls of an assistant message. Undefined if the message is unusual. */
function readCalls(content: readonly unknown[]): readonly JsonObject[] | undefined {
  const calls: JsonObject[] = [];
  let provider: Set<string> | undefined;
  let open: Set<string> | undefined; // provider calls without a result; only the whole list shows whether one may follow
  for (let p = 0; p < content.length; p++) {
    const part = content[p];
    if (!isRecord(part)) return undefined;
    const { type, toolCallId: id } = part;
    if (type === "tool-result") {
      if (typeof id !== "string" || id === "" || provider?.has(id) !== true) return undefined;
      open?.delete(id);
    } else if (type === "tool-call") {
      if (typeof id !== "string" || id === "") return undefined;
      if (part["providerExecuted"] === true) {
        (provider ??= new Set()).add(id);
        (open ??= new Set()).add(id);
      } else if (calls.length < 64 && isGoodCall(part, calls)) calls.push(part);
      else return undefined;
    }
  }
  return open === undefined || open.size === 0 ? calls : undefined;
}

function isGoodCall({ toolCallId, toolName, input }: JsonObject, before: readonly JsonObject[]): boolean {
  if (typeof toolName !== "string" || toolName === "" || !isRecord(input)) return false;
  for (let c = 0; c < before.length; c++) if (before[c]?.["toolCallId"] === toolCallId) return false;
  return true;
}

/** True for the first result of a call of its turn. */
function answers({ toolCallId, toolName }: JsonObject, calls: readonly JsonObject[], answered: Set<unknown>): boolean {
  if (answered.has(toolCallId)) return false;
  for (let c = 0; c < calls.length; c++) {
    const call = calls[c];
    if (call?.["toolCallId"] !== toolCallId) continue;
    answered.add(toolCallId);
    return call?.["toolName"] === toolName;
  }
  return false;
}

const hasRequests = (content: readonly unknown[]): boolean =>
  content.some((part) => isRecord(part) && part["type"] === "tool-approval-request");
