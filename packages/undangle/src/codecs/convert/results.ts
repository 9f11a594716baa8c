import type { Media, Result, Text } from "./conversation.ts";
import { placeholder, textInside } from "./media.ts";
import { textPart } from "./wire.ts";

/** The parts of a result with everything structured as text. */
export const spokenParts = ({ parts }: Result): readonly (Text | Media)[] =>
  parts.map((part) => (part.type === "value" ? textPart(JSON.stringify(part.value) ?? "", part.path) : part));

/** A result as one text. */
export const resultText = (result: Result): string =>
  spokenParts(result)
    .map((part) => (part.type === "text" ? part.text : (textInside(part) ?? placeholder(part))))
    .join("\n");

/** The media of a result. */
export const mediaIn = ({ parts }: Result): readonly Media[] => parts.filter((part) => part.type === "media");
