import type { ChatMessage } from "./chat-request.ts";
import { textOf } from "./message-text.ts";

/** What a person said, and what was answered until they said the next thing. */
interface Exchange {
  readonly said: string;
  readonly answered: string;
}

/**
 * True when what a caller sends as the history of a thread may be that thread: the last things that were said are the same. A
 * caller may leave out the beginning, and does not know of the calls that the server made; what it was told about calls that
 * wait stands behind the answer.
 */
export function isSameHistory(sent: readonly ChatMessage[], kept: readonly ChatMessage[]): boolean {
  const theirs = exchangesIn(sent);
  const ours = exchangesIn(kept);
  if (theirs.length > ours.length) return false;
  const end = ours.slice(ours.length - theirs.length);
  return theirs.every(({ said, answered }, i) => said === end[i]?.said && answered.startsWith(end[i].answered));
}

function exchangesIn(messages: readonly ChatMessage[]): readonly Exchange[] {
  const exchanges: { said: string; answered: string }[] = [];
  let wasAnswered = true;
  for (const { role, content } of messages) {
    const last = exchanges.at(-1);
    if (role === "user") {
      if (wasAnswered || last === undefined) exchanges.push({ said: plain(content), answered: "" });
      else last.said += plain(content);
      wasAnswered = false;
    } else if (role === "assistant") {
      wasAnswered = true;
      if (last !== undefined) last.answered += plain(content);
    }
  }
  return exchanges;
}

/** The letters of a text, wherever its lines and blanks are. */
const plain = (content: unknown): string => textOf(content).replaceAll(/\s+/gu, "");
