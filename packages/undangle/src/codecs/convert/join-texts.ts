import type { AssistantMessage, AssistantPart, CompleteConversation, Message, Owner, Text } from "./conversation.ts";
import type { ConvertibleFormat } from "./converters.ts";

/**
 * Joins texts that only a signature separates, if the target cannot contain the signature. Otherwise another provider
 * would see a text that ends inside a word.
 */
export function joinTexts(conversation: CompleteConversation, to: ConvertibleFormat): CompleteConversation {
  const owner = textOwners[to];
  if (owner === "any") return conversation;
  const messages = conversation.messages.flatMap((message): readonly Message[] => {
    if (message.role !== "assistant" || !message.parts.some(isPiece)) return [message];
    const joined = joinIn(message, owner);
    return joined.parts.length === 0 ? [] : [joined];
  });
  return { ...conversation, messages };
}

/** The providers whose text signatures a format can contain. */
const textOwners: Readonly<Partial<Record<ConvertibleFormat, Owner | "any">>> = {
  gemini: "gemini",
  "openai-responses": "openai",
  "ai-sdk": "any",
};

const isPiece = (part: AssistantPart): boolean =>
  part.type === "text" && (part.isMore === true || part.seal !== undefined);

function joinIn(message: AssistantMessage, owner: Owner | undefined): AssistantMessage {
  const parts: AssistantPart[] = [];
  for (const part of message.parts) {
    const last = parts.at(-1);
    if (part.type !== "text" || isHeld(part, owner)) parts.push(part);
    else if (part.isMore === true && last?.type === "text" && !isHeld(last, owner))
      parts[parts.length - 1] = { ...last, text: last.text + part.text };
    else if (part.text !== "" || part.seal === undefined) parts.push(part);
  }
  return { ...message, parts };
}

const isHeld = ({ seal }: Text, owner: Owner | undefined): boolean => seal !== undefined && seal.owner === owner;
