import { isNotice } from "#core";

import type { CompleteConversation, Media, Message, Result, Text } from "./conversation.ts";
import type { Losses } from "./losses.ts";
import { placeholder, textInside } from "./media.ts";
import { textPart } from "./wire.ts";

/** The parts of a result, with structured values as text. */
export const spokenParts = ({ parts }: Pick<Result, "parts">): readonly (Text | Media)[] =>
  parts.map((part) => (part.type === "value" ? textPart(JSON.stringify(part.value) ?? "", part.path) : part));

/** A result as one text. */
export const resultText = (result: Pick<Result, "parts">): string =>
  spokenParts(result)
    .map((part) => (part.type === "text" ? part.text : (textInside(part) ?? placeholder(part))))
    .join("\n");

/** The media of a result. */
export const mediaIn = ({ parts }: Result): readonly Media[] => parts.filter((part) => part.type === "media");

/** True for a result that is a notice of a repair. */
export function isOwnNotice({ parts, id = "", name = "" }: Result): boolean {
  const [only, ...others] = parts;
  if (only?.type !== "text" || others.length > 0) return false;
  return isNotice(only.text, { id, name }) || isNotice(only.text, { id: "", name });
}

/** For formats without an error flag. A notice or a rejection states the error in its text. */
export function errorLoss(result: Result, losses: Losses): void {
  if (!result.isError || result.rejection !== undefined || result.saysError === true) return;
  losses.add(result.path, "the error flag of a result", `${losses.to} has no error flag; only the text stays`);
}

/** Sorts results in call order, for formats that pair them by position. */
export function inCallOrder({ messages }: Pick<CompleteConversation, "messages">): readonly Message[] {
  let places = new Map<string | undefined, number>();
  let isAnswered = false;
  return messages.map((message) => {
    if (message.role === "assistant") {
      if (isAnswered) places = new Map();
      isAnswered = false;
      for (const part of message.parts) if (part.type === "call") places.set(part.id, places.size);
    }
    if (message.role !== "tool") return message;
    isAnswered = true;
    const placeOf = ({ id }: Result): number => places.get(id) ?? places.size;
    return { ...message, results: message.results.toSorted((one, other) => placeOf(one) - placeOf(other)) };
  });
}

/** The result of a renamed call, including its notice text. */
export function renameResult(result: Result, name: string): Result {
  const { name: old, saysError } = result;
  if (name === old) return result;
  if (saysError !== true || old === undefined) return { ...result, name };
  const parts = result.parts.map((part) =>
    part.type === "text" ? { ...part, text: part.text.replace(` ${old}`, () => ` ${name}`) } : part,
  );
  return { ...result, name, parts };
}
