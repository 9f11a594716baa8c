import { waitingHeads } from "./response-builder.ts";
import type { ChatMessage } from "./chat-request.ts";
import { bare } from "./fingerprint.ts";
import { textOf } from "./message-text.ts";

/** A user message, and the assistant messages until the next user message. */
interface Exchange {
  readonly text: string;
  readonly replies: readonly string[];
}

/**
 * True if the history that a client sends may be the history of the thread: the last exchanges match. A client may omit
 * the beginning and texts beside calls, and does not know the calls of server tools.
 */
export function isSameHistory(sent: readonly ChatMessage[], kept: readonly ChatMessage[]): boolean {
  const theirs = exchangesIn(sent);
  const ours = exchangesIn(kept);
  if (theirs.length > ours.length) return false;
  const end = ours.slice(ours.length - theirs.length);
  return theirs.every(
    ({ text, replies }, i) => text === end[i]?.text && areRepliesIn(replies, end[i].replies.join("")),
  );
}

/** True if a client may have received these assistant messages of a longer text. It may have left before the end. */
export const isReplyOf = (replies: readonly ChatMessage[], text: string): boolean =>
  areRepliesIn(
    replies.map(({ content }) => bare(textOf(content))),
    bare(text),
  );

/**
 * True if the text contains all replies in their order. The text about pending calls is in no thread, so it is skipped.
 */
function areRepliesIn(replies: readonly string[], whole: string): boolean {
  let place = 0;
  return replies.every((reply) => {
    const text = withoutWaiting(reply);
    const at = whole.indexOf(text, place);
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
  const exchanges: { text: string; replies: string[] }[] = [];
  let hadReply = true;
  for (const { role, content } of messages) {
    const last = exchanges.at(-1);
    if (role === "user") {
      if (hadReply || last === undefined) exchanges.push({ text: bare(textOf(content)), replies: [] });
      else last.text += bare(textOf(content));
      hadReply = false;
    } else if (role === "assistant") {
      hadReply = true;
      last?.replies.push(bare(textOf(content)));
    }
  }
  return exchanges;
}
