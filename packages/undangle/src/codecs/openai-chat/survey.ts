import { damageOf, isRecord } from "#core";
import type { Profile } from "#core";

import type { Request, Survey } from "../codec.ts";
import { createPrefixMemory } from "../known-prefix.ts";

const memory = createPrefixMemory<undefined>();

/**
 * Finds the messages that may be wrong, by one look at each. It knows the common shapes only; whatever is unusual is left to
 * the rules, so that a wrong "healthy" is impossible and a wrong "suspect" costs time, not correctness.
 */
export function surveyChat({ list, provider, model }: Request, profile: Profile): Survey {
  if (!isLocal(profile)) return { suspects: [0, list.length], ids: undefined };
  const key = `${provider ?? ""}\n${model ?? ""}`;
  const start = memory.recall(list, key)?.length ?? 0;
  const suspects: number[] = [];
  const names = new Set<string>();
  let healthy = start;
  for (let i = start; i < list.length;) {
    const end = unitEnd(list, i, profile, names);
    if (end > 0) {
      i = end;
      if (suspects.length === 0) healthy = i;
      continue;
    }
    const last = suspects.length - 1;
    if (suspects[last] === i) suspects[last] = -end;
    else suspects.push(i, -end);
    i = -end;
  }
  if (healthy > start) memory.remember(list, healthy, key, undefined);
  return { suspects: list.length === 0 ? [0, 0] : suspects, ids: undefined };
}

/** Providers with rules about the whole list, or with rules that a look cannot decide, are left to the rules. */
function isLocal(profile: Profile): boolean {
  return (
    profile.order === "free" &&
    profile.ids.scope === "turn" &&
    profile.ids.pattern === undefined &&
    !profile.systemFirst &&
    !profile.reasoningRequired &&
    !profile.userRequired &&
    !profile.userAfterResultRefused &&
    !profile.trailingAssistantsRefused &&
    !profile.parallelCallsRefused &&
    !profile.textWithCallRefused &&
    profile.refusedProperties.length === 0
  );
}

/** The index behind the message, or behind the turn it opens, when that is healthy; the same index negated when it may not be. */
function unitEnd(list: readonly unknown[], at: number, profile: Profile, names: Set<string>): number {
  const message = list[at];
  if (!isRecord(message)) return -(at + 1);
  const { role, content } = message;
  if (role === "assistant") {
    const calls = message["tool_calls"];
    if (calls !== undefined && calls !== null) return turnEnd(list, at, profile, names);
    const isSaid = typeof content === "string" && !(content === "" && profile.emptyAssistantRefused);
    return isSaid ? at + 1 : -(at + 1);
  }
  if (role === "user") return typeof content === "string" || isUserList(content) ? at + 1 : -(at + 1);
  return (role === "system" || role === "developer") && typeof content === "string" ? at + 1 : -(at + 1);
}

/** The same for an assistant message with calls: its turn ends behind the results that follow it. */
function turnEnd(list: readonly unknown[], at: number, profile: Profile, names: Set<string>): number {
  const message = list[at] as Readonly<Record<string, unknown>>; // the caller has seen it
  const calls = message["tool_calls"];
  let end = at + 1;
  while (isResult(list[end])) end++;
  const { content } = message;
  const isSaid =
    typeof content === "string" || content === null || (content === undefined && !profile.contentKeyRequired);
  if (!isSaid || !Array.isArray(calls) || calls.length === 0 || calls.length > 64 || end - at - 1 !== calls.length)
    return -end;
  for (let c = 0; c < calls.length; c++) {
    const call: unknown = calls[c];
    if (!isGoodCall(call, profile, names)) return -end;
    for (let other = 0; other < c; other++) if (idOf(calls[other]) === call.id) return -end;
  }
  for (let c = 0; c < calls.length; c++) {
    const result = list[at + 1 + c] as { readonly tool_call_id: unknown; readonly content: unknown }; // isResult has seen it
    if (typeof result.content !== "string") return -end;
    if (idOf(calls[c]) !== result.tool_call_id && !calls.some((call) => idOf(call) === result.tool_call_id))
      return -end;
    for (let other = 0; other < c; other++) {
      if ((list[at + 1 + other] as { tool_call_id: unknown }).tool_call_id === result.tool_call_id) return -end; // seen too
    }
  }
  return end;
}

const isResult = (message: unknown): boolean => isRecord(message) && message["role"] === "tool";

const idOf = (call: unknown): unknown => (call as { readonly id: unknown }).id; // every call was seen to be an object

function isGoodCall(call: unknown, profile: Profile, names: Set<string>): call is { readonly id: string } {
  if (!isRecord(call) || call["type"] !== "function") return false;
  const { id } = call;
  const called = call["function"];
  if (typeof id !== "string" || id === "" || id.length > profile.ids.longest || !isRecord(called)) return false;
  const { name } = called;
  const args = called["arguments"];
  if (typeof name !== "string" || typeof args !== "string") return false;
  if (profile.argumentsAreParsed && (args === "" || damageOf(args) !== undefined)) return false;
  if (names.has(name)) return true;
  if (name.length > profile.names.longest || !profile.names.pattern.test(name)) return false;
  names.add(name);
  return true;
}

function isUserList(content: unknown): boolean {
  if (!Array.isArray(content) || content.length === 0) return false;
  return content.every(
    (part: unknown) =>
      isRecord(part) && (part["type"] === "image_url" || (part["type"] === "text" && typeof part["text"] === "string")),
  );
}
