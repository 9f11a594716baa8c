import type { Identity } from "../access/identity.ts";
import type { ChatMessage, ChatRequest } from "./chat-request.ts";
import { bad } from "./fields.ts";
import { printsOf } from "./fingerprint.ts";
import type { Prints } from "./fingerprint.ts";
import { textOf } from "./message-text.ts";

export interface SentMessages {
  /** Instructions of the client. */
  readonly system: string | undefined;
  /** All messages after the leading instructions, and the index of the first in the request. */
  readonly all: readonly ChatMessage[];
  readonly first: number;
  readonly history: readonly ChatMessage[];
  /** The messages after the last assistant message, and the index of the first in the request. */
  readonly fresh: readonly ChatMessage[];
  readonly from: number;
  readonly prints: Prints;
  /** Earlier requests that this request may continue. */
  readonly earlier: readonly EarlierRequest[];
}

/** A request that the client may have sent before. */
export interface EarlierRequest {
  /** The fingerprint of its messages. */
  readonly print: string;
  /** The reply that the client received. */
  readonly replies: readonly ChatMessage[];
  /** True if there was no reply: the response was an error or did not reach the client. */
  readonly hasNoReply: boolean;
  readonly fresh: readonly ChatMessage[];
  readonly from: number;
}

/**
 * Reads the messages of a request. Conversations of other keys, and of other users of the same key, have different
 * fingerprints.
 */
export function readSent({ messages, user }: ChatRequest, { project, by }: Identity): SentMessages {
  const scope = [project, by, user ?? ""];
  const end = messages.findIndex((message) => !isInstruction(message));
  const first = end === -1 ? messages.length : end;
  if (first === messages.length) throw bad("messages", "a list with at least one user message", messages);
  const all = messages.slice(first);
  const last = all.findLastIndex(({ role }) => role === "assistant");
  const [history, fresh] = [all.slice(0, last + 1), all.slice(last + 1)];
  const from = first + last + 1;
  const system = [...messages.slice(0, first), ...fresh.filter(isInstruction)].map(({ content }) => textOf(content));
  const asked = history.findLastIndex(({ role }) => role !== "assistant") + 1;
  const earlier: EarlierRequest[] = [];
  if (asked > 0)
    earlier.push({
      print: printsOf(scope, history.slice(0, asked)).whole,
      replies: history.slice(asked),
      hasNoReply: false,
      fresh,
      from,
    });
  if (fresh.length > 1 && all.at(-1)?.role === "user") {
    const before = all.slice(0, -1);
    earlier.push({
      print: printsOf(scope, before).whole,
      replies: [],
      hasNoReply: true,
      fresh: all.slice(-1),
      from: first + before.length,
    });
  }
  return {
    system: system.filter((text) => text !== "").join("\n\n") || undefined,
    all,
    first,
    history,
    fresh,
    from,
    prints: printsOf(scope, all),
    earlier,
  };
}

const isInstruction = ({ role }: ChatMessage): boolean => role === "system" || role === "developer";
