import { hashHex, isRecord } from "#core";

type Wire = Readonly<Record<string, unknown>>;

/**
 * The same messages with ids that every provider takes, each of one call only, and with names that can be those of tools: what
 * another provider gave may be too long, have signs that are refused, or come again.
 */
export function withIdentities(messages: readonly Wire[], provider: string): readonly Wire[] {
  const idOf = idsFor(provider);
  const used = new Set<string>();
  let open = new Map<unknown, string>(); // the calls of the last turn by the ids that they had
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
 * The same messages without the ids of items that an earlier message has: a server that counts anew with every answer gives
 * them twice, and OpenAI refuses the request then. Parts of one message may share an item.
 */
export function withItemsOnce(messages: readonly Wire[]): readonly Wire[] {
  const owners = new Map<unknown, number>(); // the message in which an item was seen first
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

/** An id for a call, by the one that it has; the second time it comes, another one. */
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

/** Tools of today have such names; one in an old history may not. */
function nameOf(given: unknown): string {
  const name = typeof given === "string" ? given.replaceAll(/[^a-zA-Z0-9_-]/gu, "_").slice(0, 64) : "";
  return /^[a-zA-Z_]/u.test(name) ? name : `_${name}`.slice(0, 64);
}
