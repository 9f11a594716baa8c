import { isRecord, UndangleError } from "#core";

import type { InputPart } from "./ledger/entry.ts";
import { asPart, isMedia } from "./result/media.ts";
import type { ToolMedia } from "./result/media.ts";

/** The content of a user message: a text, or texts and media from `image()` and `file()`. */
export type Input = string | readonly (string | ToolMedia | { readonly type: "text"; readonly text: string })[];

/** The parts of a user message. */
export function inputParts(input: Input): readonly InputPart[] {
  const items: readonly unknown[] = Array.isArray(input) ? input : [input];
  const parts = items.map((item): InputPart => {
    if (typeof item === "string") return { type: "text", text: item.toWellFormed() }; // providers refuse lone surrogates
    if (isMedia(item)) return asPart(item);
    if (isRecord(item) && item["type"] === "text" && typeof item["text"] === "string")
      return { type: "text", text: item["text"].toWellFormed() };
    throw new UndangleError("options/value", {
      option: "input",
      value: item,
      allowed: ["a string", "image()", "file()", "{ type: 'text', text }"],
    });
  });
  if (parts.every((part) => part.type === "text" && part.text === "")) {
    throw new UndangleError("options/value", { option: "input", value: input, allowed: ["a non-empty string"] });
  }
  return parts;
}
