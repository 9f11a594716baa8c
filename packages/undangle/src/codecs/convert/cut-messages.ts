import { applyCut, chooseCut, estimateTokens } from "#core";
import type { Cause, Cut, Outline, OutlinedMessage } from "#core";

import type { Call, Message, Result } from "./conversation.ts";

export interface CutMessagesOptions {
  /** The size of what is kept after the system messages at the start: a number of messages, or of tokens. */
  readonly keep: { readonly messages: number } | { readonly tokens: number };
  /** Default: `estimateMessageTokens`. */
  readonly countTokens?: ((message: Message) => number) | undefined;
}

export interface CutMessages {
  /** Undefined if everything is kept. */
  readonly cut: Cut | undefined;
  /** The same list if everything is kept. */
  readonly kept: readonly Message[];
  readonly removed: readonly Message[];
}

/**
 * Cuts a conversation so that what is kept has every call with its result, every turn whole, the last message of the
 * user, and every call that waits or runs. A step that is larger than `keep` is kept whole.
 */
export function cutMessages(messages: readonly Message[], { keep, countTokens }: CutMessagesOptions): CutMessages {
  const count = "messages" in keep ? () => 1 : (countTokens ?? estimateMessageTokens);
  const most = "messages" in keep ? keep.messages : keep.tokens;
  const cut = chooseCut(outlineMessages(messages), messages.map(count), most);
  return cut === undefined ? { cut, kept: messages, removed: [] } : { cut, ...applyCut(messages, cut) };
}

/** The outline of a conversation, for `findCuts` and `chooseCut`. */
export function outlineMessages(messages: readonly Message[]): Outline {
  const called = new Map<string, number>(); // the latest call of each id, because ids may restart in every turn
  const open = new Map<string, number>(); // those without a result
  let pending = messages.length;
  let lastTurn = 0;
  const outlined = messages.map((message, i): OutlinedMessage => {
    const { role } = message;
    if (role === "user") open.clear(); // what is open now was given up
    if (role === "assistant") {
      lastTurn = i;
      for (const part of message.parts) {
        if (part.type !== "call") continue;
        called.set(part.id ?? "", i);
        open.set(part.id ?? "", i);
      }
    }
    let needs = i;
    if (role === "tool") {
      for (const { id = "", notice } of message.results) {
        const call = called.get(id) ?? lastTurn;
        needs = Math.min(needs, call);
        open.delete(id);
        if (notice !== undefined && stillOpen.has(notice.cause)) pending = Math.min(pending, call);
      }
    }
    const isThinking = role === "assistant" && isSealedThought(message.parts[0]);
    return { role: role === "tool" ? "result" : role, isUser: role === "user", needs, isThinking };
  });
  for (const call of open.values()) pending = Math.min(pending, call);
  return { messages: outlined, pending: pending < messages.length ? pending : undefined };
}

/** The causes of a notice for a call that will get its result later. */
const stillOpen: ReadonlySet<Cause> = new Set<Cause>(["pending", "awaiting", "running"]);

/** True for thinking that its provider signed. Gemini signs every step by itself. */
const isSealedThought = (part: AssistantPartOf | undefined): boolean =>
  part?.type === "reasoning" && part.seal !== undefined && part.seal.owner !== "gemini";

type AssistantPartOf = Extract<Message, { role: "assistant" }>["parts"][number];

/** An estimate of the tokens of a message, without the paths and signatures that only this program reads. */
export function estimateMessageTokens(message: Message): number {
  const parts: readonly (AssistantPartOf | Result["parts"][number])[] =
    message.role === "tool" ? message.results.flatMap(({ parts: each }) => each) : message.parts;
  return parts.reduce((sum, part) => sum + estimateTokens(contentOf(part)), perMessage);
}

/** The role and the markers around a message. */
const perMessage = 4;

function contentOf(part: AssistantPartOf | Result["parts"][number]): unknown {
  if (part.type === "text" || part.type === "reasoning") return part.text;
  if (part.type === "value") return part.value;
  if (part.type === "media")
    return { type: part.kind, ...(part.source.type === "bytes" && { data: part.source.data }) };
  return { name: part.name, arguments: inputOf(part) };
}

const inputOf = ({ input }: Call): unknown => ("text" in input ? input.text : input.value);
