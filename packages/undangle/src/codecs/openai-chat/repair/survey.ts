import { acceptsName, addId, createIdTable, damageOf, everyEntry, isRecord } from "#core";
import type { IdTable, JsonObject } from "#core";

import { wholeList } from "../../codec.ts";
import type { Range, Request } from "../../codec.ts";
import { isUsualUrl } from "../../convert/media.ts";
import { isInOrder } from "./is-in-order.ts";
import { hasReasoning, isRefused } from "./message.ts";
import type { ChatProfile } from "../profile.ts";

/**
 * Finds messages that may be invalid, with one pass over the list. It knows only the common shapes and leaves anything
 * unusual to the rules. So a wrong "healthy" is impossible, and a wrong "suspect" costs only time.
 */
export function surveyChat({ list }: Request, profile: ChatProfile): readonly Range[] {
  const isLocal = hasLocalRulesOnly(profile);
  if (!isLocal && !isInOrder(list, profile)) return wholeList(list);
  const suspects: Range[] = [];
  const seen: Seen = {
    names: new Set(),
    ids: profile.ids.scope === "request" ? createIdTable(list.length >> 1) : undefined,
    state: "healthy",
  };
  for (let i = 0; i < list.length;) {
    const end = unitEnd(list, i, profile, seen);
    if (seen.state !== "healthy") {
      if (!isLocal) return wholeList(list); // rules about the whole list are checked on the whole list
      suspects.push({ start: i, end, isOpen: seen.state === "open" });
    }
    i = end;
  }
  return list.length === 0 ? wholeList(list) : suspects;
}

/** Valid names so far, and ids if they must be unique in a request. */
interface Seen {
  readonly names: Set<string>;
  readonly ids: IdTable | undefined;
  /** The result for the last unit. */
  state: "healthy" | "open" | "suspect";
}

/** False for providers with rules about the whole list, such as the order of roles or unique ids. */
function hasLocalRulesOnly(profile: ChatProfile): boolean {
  return (
    profile.order === "free" &&
    profile.ids.scope === "turn" &&
    profile.callsFirstRefused === undefined &&
    !profile.systemFirst &&
    !profile.userRequired &&
    !profile.userAfterResultRefused &&
    !profile.trailingAssistantsRefused
  );
}

/** The index after the message, or after the turn that it starts. Records what was found. */
function unitEnd(list: readonly unknown[], at: number, profile: ChatProfile, seen: Seen): number {
  const message = list[at];
  seen.state = "suspect";
  if (!isRecord(message)) return at + 1;
  const { role, content } = message;
  if (role === "assistant") {
    const calls = message["tool_calls"];
    if (calls !== undefined && calls !== null) return turnEnd(list, at, profile, seen);
    const isSaid = typeof content === "string" && !(content === "" && profile.emptyAssistantRefused);
    const isLegacy = profile.functionRoleRefused && Boolean(message["function_call"]);
    if (isSaid && !isLegacy && !hasRefused(message, profile)) seen.state = "healthy";
  } else if (role === "user") {
    if (typeof content === "string" || isUserList(content, profile)) seen.state = "healthy";
  } else if (role === "system" || (role === "developer" && !profile.developerRoleRefused)) {
    if (typeof content === "string" && !(content === "" && profile.emptySystemRefused)) seen.state = "healthy";
  }
  return at + 1;
}

/** The same for an assistant message with calls: its turn ends after its results. */
function turnEnd(list: readonly unknown[], at: number, profile: ChatProfile, seen: Seen): number {
  const message = list[at] as JsonObject; // checked by the caller
  let end = at + 1;
  while (isResult(list[end])) end++;
  const calls = message["tool_calls"];
  if (!isTurnMessage(message, profile) || !Array.isArray(calls) || !areGoodCalls(calls, profile, seen)) return end;
  const missing = calls.length - (end - at - 1);
  if (missing < 0 || !answerCalls(list.slice(at + 1, end), calls, profile)) return end;
  if (missing === 0) seen.state = "healthy";
  else if (calls.every((call: unknown) => isObjectText(argumentsOf(call)))) seen.state = "open";
  return end;
}

/** True if the content beside the calls is valid. */
function isTurnMessage(message: JsonObject, profile: ChatProfile): boolean {
  const { content } = message;
  const mayLack = !profile.nullContentRefused && (content !== undefined || !profile.contentKeyRequired);
  if (typeof content !== "string" && !(mayLack && (content === null || content === undefined))) return false;
  if (profile.textWithCallRefused && typeof content === "string" && content !== "") return false;
  if (profile.reasoningRequired && !hasReasoning(message, profile)) return false;
  return !hasRefused(message, profile);
}

function areGoodCalls(calls: readonly unknown[], profile: ChatProfile, seen: Seen): boolean {
  if (calls.length === 0 || calls.length > (profile.parallelCallsRefused ? 1 : 64)) return false;
  for (let c = 0; c < calls.length; c++) {
    const call = calls[c];
    if (!isGoodCall(call, profile, seen)) return false;
    for (let other = 0; other < c; other++) if (idOf(calls[other]) === call.id) return false;
  }
  return true;
}

/** True if the results are valid and each belongs to a call. */
function answerCalls(
  results: readonly unknown[],
  calls: readonly unknown[],
  { resultNamesChecked }: ChatProfile,
): boolean {
  for (let r = 0; r < results.length; r++) {
    const { content, name, tool_call_id: id } = results[r] as Result; // checked by isResult
    if (typeof content !== "string" || (resultNamesChecked && name !== undefined)) return false;
    if (idOf(calls[r]) !== id && !calls.some((call) => idOf(call) === id)) return false;
    for (let other = 0; other < r; other++) if ((results[other] as Result).tool_call_id === id) return false; // checked too
  }
  return true;
}

interface Result {
  readonly tool_call_id: unknown;
  readonly content: unknown;
  readonly name?: unknown;
}

/** Properties that some servers refuse. */
function hasRefused(message: JsonObject, profile: ChatProfile): boolean {
  for (const key of profile.refusedProperties) if (isRefused(message[key], profile)) return true;
  return false;
}

const isResult = (message: unknown): boolean => isRecord(message) && message["role"] === "tool";

const isObjectText = (text: string): boolean => text.trim() !== "" && damageOf(text) === undefined;

const argumentsOf = (call: unknown): string =>
  (call as { readonly function: { readonly arguments: string } }).function.arguments; // checked

const idOf = (call: unknown): unknown => (call as { readonly id: unknown }).id; // every call is known to be an object

function isGoodCall(call: unknown, profile: ChatProfile, { names, ids }: Seen): call is { readonly id: string } {
  if (!isRecord(call) || call["type"] !== "function") return false;
  const { id } = call;
  const called = call["function"];
  if (typeof id !== "string" || id === "" || id.length > profile.ids.longest || !isRecord(called)) return false;
  if (profile.ids.pattern?.test(id) === false || (ids !== undefined && !addId(ids, id))) return false;
  const { name } = called;
  const args = called["arguments"];
  if (typeof name !== "string" || typeof args !== "string") return false;
  if (profile.argumentsAreParsed && args !== "{}" && (args.trim() === "" || damageOf(args) !== undefined)) return false;
  if (names.has(name)) return true;
  if (!acceptsName(name, profile.names)) return false;
  names.add(name);
  return true;
}

function isUserList(content: unknown, profile: ChatProfile): boolean {
  if (!Array.isArray(content) || content.length === 0) return false;
  return everyEntry(content, (part) => {
    if (!isRecord(part)) return false;
    if (part["type"] === "text") return typeof part["text"] === "string";
    return part["type"] === "image_url" && !profile.textOnly && (!profile.usualImagesOnly || isUsualImage(part));
  });
}

/** True for an image URL, or for bytes of a widely supported type. */
function isUsualImage({ image_url: given }: JsonObject): boolean {
  const url = isRecord(given) ? given["url"] : undefined;
  return typeof url === "string" && isUsualUrl(url);
}
