import type { Identity } from "../access/identity.ts";
import type { ChatMessage, ChatRequest } from "./chat-request.ts";
import { bad } from "./fields.ts";
import { printsOf } from "./fingerprint.ts";
import type { Prints } from "./fingerprint.ts";
import { textOf } from "./message-text.ts";

/** The messages of a request, read as a conversation. */
export interface SentMessages {
  /** Instructions of the caller. */
  readonly system: string | undefined;
  /** Everything behind the instructions at the beginning, and the number of the first of it in the request. */
  readonly all: readonly ChatMessage[];
  readonly first: number;
  /** Up to the last message of the assistant. */
  readonly history: readonly ChatMessage[];
  /** What stands behind that, and the number of the first of it in the request. */
  readonly fresh: readonly ChatMessage[];
  readonly from: number;
  readonly prints: Prints;
  /** Earlier requests of which this one may be the next. */
  readonly earlier: readonly EarlierRequest[];
}

/** A request that a client may have sent before. */
export interface EarlierRequest {
  /** Of what was sent then. */
  readonly print: string;
  /** What the client got. */
  readonly replies: readonly ChatMessage[];
  /** True when that is nothing: the response was an error, or did not reach the client. */
  readonly isUnanswered: boolean;
  readonly fresh: readonly ChatMessage[];
  readonly from: number;
}

/** Reads the messages of a request. Conversations of other keys, and of other users of a key where it names them, are not found. */
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
  const before = all.slice(0, -1);
  const isNext = asked > 0 && history.length > 0;
  const isNextToUnanswered = fresh.length > 1 && all.at(-1)?.role === "user";
  return {
    system: system.filter((text) => text !== "").join("\n\n") || undefined,
    all,
    first,
    history,
    fresh,
    from,
    prints: printsOf(scope, all),
    earlier: [
      ...(isNext
        ? [
            {
              print: printsOf(scope, history.slice(0, asked)).whole,
              replies: history.slice(asked),
              isUnanswered: false,
              fresh,
              from,
            },
          ]
        : []),
      ...(isNextToUnanswered
        ? [
            {
              print: printsOf(scope, before).whole,
              replies: [],
              isUnanswered: true,
              fresh: all.slice(-1),
              from: first + before.length,
            },
          ]
        : []),
    ],
  };
}

const isInstruction = ({ role }: ChatMessage): boolean => role === "system" || role === "developer";
