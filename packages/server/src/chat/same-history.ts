import { waitingHeads } from "./answer-teller.ts";
import type { ChatMessage } from "./chat-request.ts";
import { bare } from "./fingerprint.ts";
import { textOf } from "./message-text.ts";

/** What a person said, and what the assistant said until they said the next thing, message by message. */
interface Exchange {
  readonly said: string;
  readonly replies: readonly string[];
}

/**
 * True when what a caller sends as the history of a thread may be that thread: the last things that were said are the same. A
 * caller may leave out the beginning, and texts beside calls, and does not know of the calls that the server made.
 */
export function isSameHistory(sent: readonly ChatMessage[], kept: readonly ChatMessage[]): boolean {
  const theirs = exchangesIn(sent);
  const ours = exchangesIn(kept);
  if (theirs.length > ours.length) return false;
  const end = ours.slice(ours.length - theirs.length);
  return theirs.every(
    ({ said, replies }, i) => said === end[i]?.said && areRepliesIn(replies, end[i].replies.join("")),
  );
}

/** True when a caller may have got these messages of the assistant where so much was said. It may have left before the end of it. */
export const isReplyOf = (replies: readonly ChatMessage[], said: string): boolean =>
  areRepliesIn(
    replies.map(({ content }) => bare(textOf(content))),
    bare(said),
  );

/** True when each of the texts is found behind the one before. What a caller is told of calls that wait stands in no thread. */
function areRepliesIn(replies: readonly string[], said: string): boolean {
  let place = 0;
  return replies.every((reply) => {
    const text = withoutWaiting(reply);
    const at = said.indexOf(text, place);
    place = at + text.length;
    return at !== -1;
  });
}

const bareHeads = Object.values(waitingHeads).map(bare);

function withoutWaiting(text: string): string {
  const at = Math.max(...bareHeads.map((head) => text.lastIndexOf(head)));
  return at === -1 ? text : text.slice(0, at);
}

function exchangesIn(messages: readonly ChatMessage[]): readonly Exchange[] {
  const exchanges: { said: string; replies: string[] }[] = [];
  let wasAnswered = true;
  for (const { role, content } of messages) {
    const last = exchanges.at(-1);
    if (role === "user") {
      if (wasAnswered || last === undefined) exchanges.push({ said: bare(textOf(content)), replies: [] });
      else last.said += bare(textOf(content));
      wasAnswered = false;
    } else if (role === "assistant") {
      wasAnswered = true;
      last?.replies.push(bare(textOf(content)));
    }
  }
  return exchanges;
}
