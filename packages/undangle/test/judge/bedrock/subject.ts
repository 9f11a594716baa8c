import { isRecord, listOf, recordOf, type Loose } from "../../../src/testing/judge/loose.ts";
import type { Subject } from "../subject.ts";
import { generateBedrock } from "./generate.ts";
import { judgeBedrock } from "../../../src/testing/judge/bedrock/judge.ts";

export const bedrockSubject: Subject = {
  listKey: "messages",
  judge: judgeBedrock,
  generate: generateBedrock,
  textsOf: (messages) =>
    messages.map(recordOf).flatMap(({ role, content }) => (role === "system" ? [] : textsOfBlocks(content))),
  anatomy: {
    partKeys: ["content"],
    contentKey: "content",
    ids: ({ content }) => holdersIn(content, ["toolUse", "toolResult"]).map((holder) => ({ holder, key: "toolUseId" })),
    arguments: ({ content }) => holdersIn(content, ["toolUse"]).map((holder) => ({ holder, key: "input" })),
  },
  userMessage: { role: "user", content: [{ text: "go on" }] },
  // A user message at the end becomes one with the next.
  isOpenEnded: (messages) => recordOf(messages.at(-1))["role"] !== "assistant",
};

function holdersIn(content: unknown, keys: readonly string[]): Loose[] {
  return listOf(content).flatMap((block) => keys.map((key) => recordOf(block)[key]).filter(isRecord));
}

function textsOfBlocks(content: unknown): string[] {
  if (typeof content === "string") return [content];
  return listOf(content)
    .map(recordOf)
    .flatMap(({ text, toolResult, guardContent, citationsContent }) => [
      ...(typeof text === "string" ? [text] : []),
      ...stringsIn(recordOf(guardContent)),
      ...stringsIn(recordOf(citationsContent)["content"]),
      ...textsOfResult(recordOf(toolResult)["content"]),
    ]);
}

function textsOfResult(content: unknown): string[] {
  if (!Array.isArray(content)) return stringsIn(content);
  return content.flatMap((part: unknown) => (isMedia(recordOf(part)) ? [] : stringsIn(part)));
}

const isMedia = (part: Loose): boolean => ["image", "document", "video"].some((key) => key in part);

function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  return isRecord(value) ? Object.values(value).flatMap(stringsIn) : [];
}
