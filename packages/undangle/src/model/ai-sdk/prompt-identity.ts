import { hashHex, isRecord } from "#core";
import type { JsonObject } from "#core";

/**
 * The messages with unique ids and valid tool names that every provider accepts. Those of another provider may be too
 * long, contain refused characters, or repeat.
 */
export function withIdentities(messages: readonly JsonObject[], provider: string): readonly JsonObject[] {
  const idOf = idsFor(provider);
  const used = new Set<string>();
  let open = new Map<unknown, string>(); // the calls of the last turn by their original ids
  const identified = (part: unknown): unknown => {
    if (!isRecord(part)) return part;
    const { type, toolCallId: given, toolName } = part;
    if (type === "tool-call") {
      let id = idOf(given, 0);
      for (let again = 1; used.has(id); again++) id = idOf(given, again);
      used.add(id);
      open.set(given, id);
      return { ...part, toolCallId: id, toolName: nameOf(toolName) };
    }
    if (type !== "tool-result") return part;
    return { ...part, toolCallId: open.get(given) ?? idOf(given, 0), toolName: nameOf(toolName) };
  };
  return messages.map((message) => {
    const { role, content } = message;
    if (role === "assistant") open = new Map();
    return Array.isArray(content) ? { ...message, content: content.map(identified) } : message;
  });
}

/**
 * The messages without item ids that an earlier message has. A server that restarts its numbering repeats them, and
 * OpenAI refuses the request. Parts of one message may share an item.
 */
export function withItemsOnce(messages: readonly JsonObject[]): readonly JsonObject[] {
  const owners = new Map<unknown, number>(); // the first message with an item
  const once = (part: unknown, owner: number): unknown => {
    const openai = isRecord(part) && isRecord(part["providerOptions"]) ? part["providerOptions"]["openai"] : undefined;
    if (!isRecord(part) || !isRecord(openai) || openai["itemId"] === undefined) return part;
    const { itemId, ...rest } = openai;
    if (!owners.has(itemId)) owners.set(itemId, owner);
    return owners.get(itemId) === owner ? part : { ...part, providerOptions: { openai: rest } };
  };
  return messages.map((message, owner) => {
    const { content } = message;
    return Array.isArray(content) ? { ...message, content: content.map((part) => once(part, owner)) } : message;
  });
}

/** An id for a call, derived from its id; a different one if the id repeats. */
function idsFor(provider: string): (given: unknown, again: number) => string {
  const isMistral = provider === "mistral";
  const fits = isMistral ? /^[a-zA-Z0-9]{9}$/u : /^[a-zA-Z0-9_-]{1,64}$/u;
  return (given, again) => {
    const id = typeof given === "string" ? given : "";
    if (again === 0 && fits.test(id)) return id;
    const hash = hashHex(again === 0 ? id : `${id}\n${again}`);
    return isMistral ? hash.slice(0, 9) : `call_${hash}`;
  };
}

/** Current tools have valid names; a tool in an old history may not. */
function nameOf(given: unknown): string {
  const name = typeof given === "string" ? given.replaceAll(/[^a-zA-Z0-9_-]/gu, "_").slice(0, 64) : "";
  return /^[a-zA-Z_]/u.test(name) ? name : `_${name}`.slice(0, 64);
}
