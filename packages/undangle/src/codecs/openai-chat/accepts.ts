import { isRecord } from "#core";
import type { Profile } from "#core";

/**
 * True when a list of chat messages is certainly healthy, told by one look at each message. It knows the common shapes only;
 * whatever is unusual is left to the rules, so that a wrong yes is impossible and a wrong no costs time, not correctness.
 */
export function acceptsChat(list: readonly unknown[], profile: Profile): boolean {
  if (list.length === 0 || !isPlain(profile)) return false;
  const names = new Set<string>();
  for (let i = 0; i < list.length;) {
    const message = list[i];
    if (!isRecord(message)) return false;
    const { role, content } = message;
    if (role === "user") {
      if (typeof content !== "string" && !isUserList(content)) return false;
      i++;
    } else if (role === "assistant") {
      const calls = message["tool_calls"];
      if (calls === undefined || calls === null) {
        if (typeof content !== "string" || (profile.emptyAssistantRefused && content === "")) return false;
        i++;
      } else {
        if (typeof content !== "string" && content !== null && (content !== undefined || profile.contentKeyRequired))
          return false;
        const end = acceptsCalls(list, i, profile, names);
        if (end < 0) return false;
        i = end;
      }
    } else if (role === "system" || role === "developer") {
      if (typeof content !== "string" || (profile.systemFirst && i > 0)) return false;
      i++;
    } else return false;
  }
  return true;
}

/** Providers with rules of order or of reasoning are left to the rules. */
function isPlain(profile: Profile): boolean {
  return (
    profile.order === "free" &&
    profile.ids.scope === "turn" &&
    profile.ids.pattern === undefined &&
    !profile.reasoningRequired &&
    !profile.userRequired &&
    !profile.userAfterResultRefused &&
    !profile.trailingAssistantsRefused &&
    !profile.parallelCallsRefused &&
    !profile.textWithCallRefused &&
    !profile.argumentsAreParsed &&
    profile.refusedProperties.length === 0
  );
}

/** The index behind the block of results when every call is well formed and answered once, else -1. */
function acceptsCalls(list: readonly unknown[], at: number, profile: Profile, names: Set<string>): number {
  const message = list[at];
  const calls = isRecord(message) ? message["tool_calls"] : undefined;
  if (!Array.isArray(calls) || calls.length === 0 || calls.length > 64) return -1;
  const end = at + 1 + calls.length;
  if (end > list.length) return -1;
  for (let c = 0; c < calls.length; c++) {
    const call: unknown = calls[c];
    if (!isRecord(call) || call["type"] !== "function") return -1;
    const id = call["id"];
    const called = call["function"];
    if (typeof id !== "string" || id.length > profile.ids.longest || id === "" || !isRecord(called)) return -1;
    const name = called["name"];
    if (typeof name !== "string" || typeof called["arguments"] !== "string") return -1;
    if (!names.has(name)) {
      if (name.length > profile.names.longest || !profile.names.pattern.test(name)) return -1;
      names.add(name);
    }
    for (let other = 0; other < c; other++) if ((calls[other] as { id: unknown }).id === id) return -1; // seen above
  }
  for (let c = 0; c < calls.length; c++) {
    const result = list[at + 1 + c];
    if (!isRecord(result) || result["role"] !== "tool" || typeof result["content"] !== "string") return -1;
    if (!answersOne(calls, c, result["tool_call_id"])) return -1;
    for (let other = 1; other <= c; other++) {
      if ((list[at + other] as { tool_call_id: unknown }).tool_call_id === result["tool_call_id"]) return -1; // seen above
    }
  }
  const next = list[end];
  return isRecord(next) && next["role"] === "tool" ? -1 : end;
}

/** Results mostly stand in call order: the call at the same place is looked at first. */
function answersOne(calls: readonly unknown[], place: number, id: unknown): boolean {
  if ((calls[place] as { id: unknown }).id === id) return true; // every call was seen to be an object
  return calls.some((call) => (call as { id: unknown }).id === id);
}

function isUserList(content: unknown): boolean {
  if (!Array.isArray(content)) return false;
  return content.every(
    (part: unknown) =>
      isRecord(part) && (part["type"] === "image_url" || (part["type"] === "text" && typeof part["text"] === "string")),
  );
}
