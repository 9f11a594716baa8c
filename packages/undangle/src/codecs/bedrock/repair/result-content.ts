import { isRecord, textContent } from "#core";
import type { Content, JsonObject, Language, ResultEntry, Source } from "#core";

import { bodyOf } from "./block.ts";
import type { Context } from "./context.ts";
import { adoptBlock } from "./foreign.ts";
import { hasGoodImage, mendImage } from "./media.ts";
import { blockAt } from "./origin.ts";

/** The text for a tool that failed without a message. */
const silent: Readonly<Record<Language, string>> = {
  en: "The tool gave no error message.",
  zh: "工具没有给出错误信息。",
};

/** Converts the content of a result to a list of blocks that the API accepts. */
export function mendResult(block: JsonObject, place: number, source: Source, context: Context): JsonObject {
  const { journal, policy } = context;
  const result = bodyOf(block, "toolResult");
  const { content } = result;
  const tail = ".toolResult.content";
  const at = blockAt(source, place, tail);
  const given = listOf(content);
  const isSeen = policy.keepsMedia || given.every((part) => !isRecord(part) || hasGoodImage(part));
  const listed = isSeen
    ? given
    : given.map((part, i) => mendImage(part, blockAt(source, place, `${tail}[${i}]`), context));
  if (given !== content) {
    const message = "The content of a result must be a list of text, json and media blocks.";
    journal.note(at, { rule: "result-content", message }, { type: "rewrite" });
  }
  if (result["status"] === "error" && listed.length === 0) {
    const message = "The result has status error and no content.";
    journal.note(at, { rule: "empty-error-result", message }, { type: "rewrite" });
    return withContent(block, result, [{ text: silent[policy.language] }]);
  }
  return listed === content ? block : withContent(block, result, listed);
}

const withContent = (block: JsonObject, result: JsonObject, content: readonly unknown[]): JsonObject => ({
  ...block,
  toolResult: { ...result, content },
});

/** Any tool output as a list of parts. Returns the same list if it is one. */
function listOf(content: unknown): readonly unknown[] {
  if (content === undefined || content === null) return [];
  if (!Array.isArray(content)) return [partOf(content)];
  if (content.every(isGoodPart)) return content;
  return content.flatMap((part: unknown) => (part === undefined || part === null ? [] : [partOf(part)]));
}

/** True for a part that a result may contain. Unknown parts are left to the API. */
export function isGoodPart(part: unknown): boolean {
  if (!isRecord(part) || typeof part["type"] === "string") return false; // a type belongs to another format
  if ("text" in part) return typeof part["text"] === "string";
  if ("json" in part) return isRecord(part["json"]);
  return members.some((member) => member in part);
}

const members = ["image", "document", "video", "audio", "searchResult", "cachePoint"];

/** An object as json, anything else as text. */
function partOf(value: unknown): unknown {
  if (typeof value === "string") return { text: value };
  if (isRecord(value)) {
    if (isGoodPart(value)) return value;
    const adopted = "type" in value ? adoptBlock(value)?.block : undefined;
    if (adopted !== undefined && isGoodPart(adopted)) return adopted;
    if (!("json" in value) && !("text" in value)) return { json: value };
    return { text: JSON.stringify(value["json"] ?? value["text"]) ?? "" };
  }
  return { text: JSON.stringify(value) ?? "" };
}

/** The content of a result in movable form. JSON becomes text where json is not allowed. */
export function contentOfResult({ content, wire }: ResultEntry): readonly Content[] {
  if (content !== undefined) return content;
  const given = bodyOf(wire, "toolResult")["content"];
  if (!Array.isArray(given)) return typeof given === "string" && given !== "" ? [textContent(given)] : [];
  return given.map((part: unknown): Content => {
    if (isRecord(part) && typeof part["text"] === "string") return { type: "text", text: part["text"], wire: part };
    if (isRecord(part) && "json" in part) return { type: "text", text: JSON.stringify(part["json"]) ?? "", wire: part };
    return { type: "media", wire: part };
  });
}
