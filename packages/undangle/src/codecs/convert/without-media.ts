import type { Media, Message, Text } from "./conversation.ts";
import { placeholder, textInside } from "./media.ts";
import { textPart } from "./wire.ts";

/** True if a message or one of its results contains media. */
export function hasMedia(message: Message): boolean {
  if (message.role === "tool") return message.results.some(({ parts }) => parts.some(isMedia));
  return message.role !== "system" && message.parts.some(isMedia);
}

/** The message with placeholders, or file contents, for media that a text-only model cannot accept. */
export function withoutMedia(message: Message): Message {
  if (!hasMedia(message)) return message;
  switch (message.role) {
    case "system":
      return message;
    case "user":
      return { ...message, parts: message.parts.map(inWords) };
    case "assistant":
      return { ...message, parts: message.parts.map(inWords) };
    case "tool":
      return {
        ...message,
        results: message.results.map((result) => ({ ...result, parts: result.parts.map(inWords) })),
      };
  }
}

const isMedia = (part: { readonly type: string }): boolean => part.type === "media";

const inWords = <Part extends { readonly type: string }>(part: Part | Media): Part | Text =>
  isOne(part) ? textPart(textInside(part) ?? placeholder(part), part.path) : part;

const isOne = (part: { readonly type: string }): part is Media => part.type === "media";
