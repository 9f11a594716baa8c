import { isRecord } from "#core";
import type { Source } from "#core";

import { withKey } from "./message.ts";
import type { Context, Message } from "./message.ts";

/** The roles of the chat format, and those of other formats that mean the same. */
const aliases: Readonly<Record<string, string>> = {
  human: "user",
  model: "assistant",
  ai: "assistant",
  bot: "assistant",
  ipython: "tool",
  observation: "tool",
  tool_result: "tool",
  tool_response: "tool",
};

const known = new Set(["system", "developer", "user", "assistant", "tool", "function"]);

/** The message with a valid role, or undefined if its meaning is unclear. */
export function mendRole(wire: unknown, source: Source, { profile, journal }: Context): Message | undefined {
  if (!isRecord(wire)) {
    const got = wire === null ? "null" : Array.isArray(wire) ? "an array" : `a ${typeof wire}`;
    journal.note({ source, suffix: "" }, { rule: "unknown-role", message: `The message is ${got}, not an object.` });
    return undefined;
  }
  const role = roleOf(wire, profile.developerRoleRefused);
  if (role === wire["role"] && role !== undefined) return wire;
  const given =
    wire["role"] === undefined ? "The message has no role" : `${JSON.stringify(wire["role"])} is not a role`;
  journal.note(
    { source, suffix: ".role" },
    { rule: "unknown-role", message: `${given} that the provider knows.` },
    role === undefined ? undefined : { type: "rewrite" },
  );
  return role === undefined ? undefined : withKey(wire, "role", role);
}

function roleOf(message: Message, developerRefused: boolean): string | undefined {
  const role = message["role"];
  if (role === "developer" && developerRefused) return "system";
  if (typeof role === "string" && known.has(role)) return role;
  if (typeof role === "string") {
    const lower = role.trim().toLowerCase();
    return known.has(lower) ? lower : Object.hasOwn(aliases, lower) ? aliases[lower] : undefined;
  }
  if (role !== undefined && role !== null) return undefined;
  if (Array.isArray(message["tool_calls"])) return "assistant";
  return typeof message["tool_call_id"] === "string" ? "tool" : undefined;
}
