import { codecOf, encode } from "#codecs";
import type { Conversation, Message, Setting } from "#codecs";
import { isRecord } from "#core";
import type { JsonObject } from "#core";

import type { ModelRequest } from "../model.ts";
import type { Provider } from "../providers/provider.ts";

/** A conversation in the format of a provider. */
export interface WrittenHistory {
  readonly body: JsonObject;
  /** Records that these messages were sent. The next request starts with the same messages. */
  readonly sent: (body: JsonObject) => void;
}

/** A prefix of a conversation that was sent before. */
interface Known {
  readonly messages: readonly Message[];
  readonly request: Pick<ModelRequest, "system" | "tools" | "language">;
  readonly place: Place;
  /** Its messages in the provider's format. */
  readonly list: readonly unknown[];
}

export interface Place {
  /** The profile whose rules apply. */
  readonly profile: string | undefined;
  /** The host, if it matters. */
  readonly server: string | undefined;
}

/** Writes requests, and only the messages that were not written before. */
export type HistoryWriter = (request: ModelRequest, setting: Setting, place: Place) => WrittenHistory;

/** The number of messages at the end to search for a known prefix: more than any step adds. */
const reach = 64;

export function createHistoryWriter({ format: to }: Pick<Provider, "format">, model: string): HistoryWriter {
  const byLast = new WeakMap<Message, Known>();
  const { listKey } = codecOf(to);

  const recall = (request: ModelRequest, { server }: Place): Known | undefined => {
    const { messages } = request;
    for (let end = messages.length - 1; end > 0 && end >= messages.length - reach; end--) {
      const last = messages[end - 1];
      const known = messages[end]?.role !== "assistant" || last === undefined ? undefined : byLast.get(last);
      if (known !== undefined && known.place.server === server && isBeginning(known, request, end)) return known;
    }
    return undefined;
  };

  const write = (
    messages: readonly Message[],
    { system, language }: ModelRequest,
    { setting, place: { profile: provider, server } }: { readonly setting: Setting; readonly place: Place },
  ): JsonObject => {
    const first: readonly Message[] =
      system.length === 0 ? [] : [{ role: "system", path: "system", parts: system, isDeveloper: false }];
    const conversation: Conversation = { messages: [...first, ...messages], setting };
    const body = encode(conversation, { to, provider, model, server, language });
    return isRecord(body) ? body : {}; // with settings it is a body
  };

  return (request, setting, place) => {
    const { messages, system, tools, language } = request;
    const known = recall(request, place);
    let body: JsonObject | undefined;
    if (known !== undefined) {
      // The new messages start with a turn, which needs a message before it.
      const rest = write([anchor, ...messages.slice(known.messages.length)], request, { setting, place });
      const list = behindAnchor(rest[listKey]);
      body = list && { ...rest, [listKey]: known.list.concat(list) };
    }
    body ??= write(messages, request, { setting, place });
    const sent = (final: JsonObject): void => {
      const list = final[listKey];
      const last = messages.at(-1);
      if (last === undefined || last.role === "assistant" || !Array.isArray(list)) return;
      if (messages.some(({ role }) => role === "system")) return; // system messages may move
      const before = known?.messages.at(-1);
      if (before !== undefined) byLast.delete(before);
      byLast.set(last, { messages, request: { system, tools, language }, place, list: list as readonly unknown[] }); // its messages
    };
    return { body, sent };
  };
}

const sign = "\u2060anchor\u2060";
const anchor: Message = {
  role: "user",
  path: "",
  name: undefined,
  parts: [{ type: "text", path: "", text: sign }],
};

/** The messages after the anchor, unless a repair changed the anchor. */
function behindAnchor(list: unknown): readonly unknown[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const at = list.slice(0, 3).findIndex((each) => JSON.stringify(each).includes(sign));
  return at === -1 ? undefined : (list.slice(at + 1) as readonly unknown[]); // messages of any format
}

function isBeginning({ messages, request }: Known, asked: ModelRequest, end: number): boolean {
  if (messages.length !== end || request.language !== asked.language) return false;
  // Hooks create new lists with the same texts and tools for every request.
  if (!isSame(request.system, asked.system, (text) => text.text)) return false;
  if (!isSame(request.tools, asked.tools, (tool) => tool)) return false;
  for (let i = 0; i < end; i++) if (messages[i] !== asked.messages[i]) return false;
  return true;
}

function isSame<Item>(one: readonly Item[], other: readonly Item[], what: (item: Item) => unknown): boolean {
  if (one === other) return true;
  const others = other.map(what);
  return one.length === others.length && one.every((item, i) => what(item) === others[i]);
}
