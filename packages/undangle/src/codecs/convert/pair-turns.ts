import type { Edit } from "#core";

import type { AssistantPart, Call, Message, Result } from "./conversation.ts";
import { pairMessages } from "./mend-messages.ts";
import type { MendOptions } from "./mend-messages.ts";

export interface PairedTurns {
  /** The messages. A turn with calls is one message. */
  readonly messages: readonly Message[];
  /** The result of each call. */
  readonly results: ReadonlyMap<Call, Result>;
  /** The necessary edits. */
  readonly edits: readonly Edit[];
}

/**
 * Pairs the calls and results of a history that was repaired in its format. Ids decide, not the order of results,
 * because parallel tools finish in any order. Pairs that a format accepts but a thread cannot contain follow the rules
 * of `repair`: a result whose call the server has stored, a result before its call, a call that a later request may
 * still answer.
 */
export function pairTurns(messages: readonly Message[], options: MendOptions): PairedTurns {
  const joined = joinedTurns(messages);
  const { results, isEven } = resultsById(joined);
  if (isEven) return { messages: joined, results, edits: [] };
  const paired = pairMessages(joined, options);
  return { messages: paired.messages, results: resultsById(paired.messages).results, edits: paired.edits };
}

/** Merges assistant messages that directly follow calls into them. APIs that accept such neighbours do the same. */
function joinedTurns(messages: readonly Message[]): readonly Message[] {
  const joined: Message[] = [];
  let turn: AssistantPart[] | undefined; // the parts of the last message, if it has calls
  for (const message of messages) {
    if (message.role !== "assistant") turn = undefined;
    if (message.role === "assistant" && turn !== undefined) {
      for (const part of message.parts) turn.push(part);
    } else if (message.role === "assistant" && message.parts.some(({ type }) => type === "call")) {
      turn = [...message.parts];
      joined.push({ ...message, parts: turn });
    } else joined.push(message);
  }
  return joined;
}

/** Pairs each result with the last earlier call with its id, because ids may restart in every turn. */
function resultsById(messages: readonly Message[]): {
  readonly results: ReadonlyMap<Call, Result>;
  /** True if every call has one result, and every result has a call. */
  readonly isEven: boolean;
} {
  const calls = new Map<string | undefined, Call>();
  const results = new Map<Call, Result>();
  let open = 0;
  let isEven = true;
  for (const message of messages) {
    if (message.role === "assistant") {
      for (const part of message.parts) {
        if (part.type !== "call") continue;
        calls.set(part.id, part);
        open++;
      }
    } else if (message.role === "tool") {
      for (const result of message.results) {
        const call = calls.get(result.id);
        if (call === undefined || results.has(call)) isEven = false;
        else {
          results.set(call, result);
          open--;
        }
      }
    }
  }
  return { results, isEven: isEven && open === 0 };
}
