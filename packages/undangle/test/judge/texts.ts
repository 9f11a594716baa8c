import { isRecord, listOf } from "../../src/testing/judge/loose.ts";

/**
 * The texts that no longer stand anywhere in the body. White space around a text does not count, and a text counts
 * as kept when it stands inside JSON, escaped or as a part of a longer string.
 */
export function lostTexts(texts: readonly string[], input: unknown): string[] {
  const kept = stringsIn(input).flatMap((text) => [text, unescaped(text), unescaped(unescaped(text))]);
  const whole = kept.join("\n");
  return texts.map((text) => text.trim()).filter((text) => text !== "" && !whole.includes(text));
}

/** Parts that carry data for the provider and no text that a person or a tool wrote. */
const opaque: ReadonlySet<unknown> = new Set([
  "image_url",
  "input_audio",
  "file",
  "image",
  "document",
  "thinking",
  "redacted_thinking",
  "tool_use",
  "server_tool_use",
]);

/** The texts of what a message says, in formats whose parts have a type. */
export function textsOfContent(content: unknown): string[] {
  if (typeof content === "string") return content === "" ? [] : [content];
  if (Array.isArray(content)) return listOf(content).flatMap(textsOfContent);
  if (!isRecord(content)) return [];
  if (typeof content["type"] !== "string") return stringsIn(content);
  if (opaque.has(content["type"])) return [];
  if (content["type"].endsWith("_tool_result") && content["type"] !== "tool_result") return [];
  return [content["text"], content["refusal"], content["content"]].flatMap(textsOfContent);
}

/** Every string in the value, also those inside strings that are JSON themselves. */
function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value, ...stringsIn(parsedContainer(value))];
  if (Array.isArray(value)) return listOf(value).flatMap(stringsIn);
  return isRecord(value) ? Object.values(value).flatMap(stringsIn) : [];
}

function parsedContainer(text: string): unknown {
  if (!/^\s*[[{"]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function unescaped(text: string): string {
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, (_, hex: string | undefined, letter: string) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    return { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" }[letter] ?? letter;
  });
}
