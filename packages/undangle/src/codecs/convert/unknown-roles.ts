import { isRecord } from "#core";
import type { Edit, JsonObject } from "#core";

import type { Conversation, Message } from "./conversation.ts";
import { wordsOf } from "./wire.ts";

/**
 * Reports every message with an unknown role. `repair` leaves such a message to the caller, but a conversation requires
 * a role. Its text is kept even if its format does not read it.
 */
export function placeUnknownRoles(
  read: Conversation,
  list: readonly unknown[],
  listKey: string,
): { readonly conversation: Conversation; readonly edits: readonly Edit[] } {
  const unknown = list.flatMap((wire, index) =>
    hasUnknownRole(wire, listKey) ? [{ wire, path: `${listKey}[${index}]` }] : [],
  );
  if (unknown.length === 0) return { conversation: read, edits: [] };
  const roles = new Map<string, Message>();
  for (const message of read.messages) if (!roles.has(message.path)) roles.set(message.path, message);
  const lost = new Map<string, Message>();
  const edits = unknown.map(({ wire, path }): Edit => {
    const known = roles.get(path);
    const message = known === undefined || isBlank(known) ? textMessage(wire, path) : known;
    if (message !== known) lost.set(path, message);
    const isObject = isRecord(wire) && "role" in wire;
    return {
      rule: "unknown-role",
      type: "rewrite",
      from: isObject ? `${path}.role` : path,
      to: isObject ? `${path}.role` : path,
      before: isObject ? wire["role"] : wire,
      after: message.role,
      lossless: true,
      reconstructed: false,
    };
  });
  const messages = lost.size === 0 ? read.messages : withTexts(read.messages, lost, list.length, listKey);
  return { conversation: { ...read, messages }, edits };
}

/** The messages in list order, with lost messages at their original positions. */
function withTexts(
  messages: readonly Message[],
  lost: ReadonlyMap<string, Message>,
  length: number,
  listKey: string,
): readonly Message[] {
  const places: Message[][] = Array.from({ length }, () => []);
  const others: Message[] = []; // system text outside the list
  for (const message of messages) {
    const index = message.path.startsWith(`${listKey}[`)
      ? Number.parseInt(message.path.slice(listKey.length + 1), 10)
      : -1;
    (places[index] ?? others).push(message);
  }
  return [...others, ...places.flatMap((found, index) => lost.get(`${listKey}[${index}]`) ?? found)];
}

const roles: ReadonlySet<string> = new Set([
  "system",
  "developer",
  "user",
  "human",
  "assistant",
  "model",
  "ai",
  "tool",
  "function",
  "data",
]);

/** True for a value with text and an unknown role. Values with a type are items or class instances. */
function hasUnknownRole(wire: unknown, listKey: string): boolean {
  if (typeof wire === "string") return wire.trim() !== "";
  if (!isRecord(wire) || isTyped(wire)) return false;
  const { role } = wire;
  if (typeof role === "string" && roles.has(role.trim().toLowerCase())) return false;
  const isGemini = listKey === "contents" && (role === undefined || role === null); // reads such content as user content
  return ["content", "text", ...(isGemini ? [] : ["parts"])].some((key) => key in wire);
}

const isTyped = (wire: JsonObject): boolean =>
  typeof wire["type"] === "string" || ["lc", "lc_kwargs", "kwargs", "data", "call_id"].some((key) => key in wire);

/** True for an empty message. */
const isBlank = (message: Message): boolean =>
  message.role !== "tool" && message.parts.every((part) => part.type === "text" && part.text === "");

function textMessage(wire: unknown, path: string): Message {
  const given = isRecord(wire) ? (wire["text"] ?? wire["content"] ?? wire["parts"] ?? wire) : wire;
  const parts = Array.isArray(given) ? (given as readonly unknown[]) : [given];
  const texts = parts.map((part) => ({ type: "text" as const, path, text: wordsOf(part) }));
  return { role: "user", path, parts: texts, name: undefined };
}
