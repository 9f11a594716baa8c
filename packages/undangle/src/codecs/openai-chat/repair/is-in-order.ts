import { isRecord } from "#core";
import type { ChatProfile } from "../profile.ts";

/** True if the roles of a list are certainly in a valid order; false for anything unusual. */
export function isInOrder(list: readonly unknown[], profile: ChatProfile): boolean {
  const roles = list.map((message) => (isRecord(message) ? message["role"] : undefined));
  const last = roles.at(-1);
  if (profile.userRequired && !roles.includes("user")) return false;
  if (profile.trailingAssistantsRefused && last === "assistant" && roles.at(-2) === "assistant") return false;
  if (profile.callsFirstRefused !== undefined && opener(roles) === "assistant") return false;
  if (profile.order === "alternate") return false; // templates differ, so the rules check them
  if (profile.order === "mistral") {
    if (last !== "user" && last !== "tool") return false;
    if (list.some((message) => isRecord(message) && message["prefix"] !== undefined)) return false;
  }
  for (let i = 1; i < roles.length; i++) {
    const before = roles[i - 1];
    if (roles[i] === "user" && before === "tool" && profile.userAfterResultRefused) return false;
    if (roles[i] !== "system") continue;
    if (profile.systemFirst && before !== "system") return false;
    if (profile.order === "mistral" && before !== "system" && before !== "user") return false;
  }
  return true;
}

/** The role of the first message that is not an instruction. */
const opener = (roles: readonly unknown[]): unknown => roles.find((role) => role !== "system" && role !== "developer");
