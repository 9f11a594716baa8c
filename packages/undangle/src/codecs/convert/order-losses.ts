import type { AssistantMessage, CompleteConversation, Message } from "./conversation.ts";
import type { Losses } from "./losses.ts";

/** For formats with text before calls: text after a call loses its position. */
export function behindCallLoss({ parts }: AssistantMessage, losses: Losses): void {
  let hasCalled = false;
  for (const part of parts) {
    if (part.type === "call") hasCalled = true;
    if (!hasCalled || part.type === "call" || part.type === "reasoning") continue;
    if (part.type === "text" && part.text === "") continue;
    const why = `in ${losses.to}, text comes before the calls of a message; the text moves there`;
    losses.add(part.path, "the position of text after a call", why);
  }
}

/**
 * For formats with results directly after calls: a message between them loses its position. System messages are
 * reported elsewhere.
 */
export function beforeResultLoss({ messages }: CompleteConversation, losses: Losses): void {
  const callers = new Map<string | undefined, number>();
  const placed = new Set(losses.list.map(({ path }) => path));
  let told = -1; // the last message that was checked for a position between a call and its result
  messages.forEach((message, index) => {
    if (message.role === "assistant") {
      for (const part of message.parts) if (part.type === "call") callers.set(part.id, index);
    }
    if (message.role !== "tool") return;
    const caller = message.results.reduce((first, { id }) => Math.min(first, callers.get(id) ?? index), index);
    for (let between = Math.max(caller, told) + 1; between < index; between++) {
      const one = messages[between];
      if (one === undefined || !isSpoken(one) || (one.role === "system" && placed.has(one.path))) continue;
      const why = `in ${losses.to}, results directly follow their calls; the message moves after them`;
      losses.add(one.path, "the position of a message before a result", why);
    }
    told = Math.max(told, index);
  });
}

/** False for calls alone, which do not move, because their results move to them. */
function isSpoken(message: Message): boolean {
  if (message.role === "assistant") return message.parts.some(({ type }) => type === "text" || type === "media");
  return message.role !== "tool";
}
