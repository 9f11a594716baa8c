import { continued } from "#core";

import type { CompleteConversation, Message, SystemMessage, Text } from "./conversation.ts";
import type { Losses } from "./losses.ts";
import { textPart } from "./wire.ts";

export type SpokenMessage = Exclude<Message, SystemMessage>;

/** A conversation for a format with system text in a body field instead of messages. */
export interface PlacedSystem {
  readonly system: readonly Text[];
  readonly messages: readonly SpokenMessage[];
}

/** Moves system messages to the body, or converts them to user messages if there is no body. */
export function placeSystem({ messages, setting, language }: CompleteConversation, losses: Losses): PlacedSystem {
  const system: Text[] = [];
  const spoken: SpokenMessage[] = [];
  for (const message of messages) {
    if (message.role !== "system") spoken.push(message);
    else if (setting === undefined) {
      const why = `an array of ${losses.to} messages cannot contain system text; it becomes a user message`;
      losses.add(message.path, "a system message", why);
      spoken.push({ role: "user", path: message.path, parts: message.parts, name: undefined });
    } else {
      if (spoken.length > 0) {
        const why = `${losses.to} accepts system text only before the first message; the text moves there`;
        losses.add(message.path, "the position of a system message", why);
      }
      for (const part of message.parts) system.push(part);
    }
  }
  const [first] = system;
  if (first !== undefined && spoken.length === 0) {
    // A message is required, and system text must not become a user message.
    spoken.push({
      role: "user",
      path: first.path,
      parts: [textPart(continued[language], first.path)],
      name: undefined,
    });
  }
  return { system, messages: spoken };
}
