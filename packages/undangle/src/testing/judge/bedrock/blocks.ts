import { isRecord, isText, lengthOf, listOf, recordOf, type Loose } from "../loose.ts";
import type { Verdict } from "../verdict.ts";
import type { BedrockModel } from "./model.ts";
import type { Message } from "./messages.ts";

/** What one message alone can do wrong: its content, and its blocks without a look at other messages. */
export function judgeMessage({ role, path, raw, blocks }: Message, model: BedrockModel): Verdict[] {
  const content = raw["content"];
  const isEmpty =
    content === undefined || content === null || content === "" || (Array.isArray(content) && blocks.length === 0);
  if (isEmpty)
    return [{ id: "BDR-EMPTY-CONTENT", path, text: `The content field in the Message object at ${path} is empty.` }];
  return [
    ...blocks.flatMap((block, index) => judgeBlock(block, `${path}.content[${index}]`, role, model)),
    ...judgeDocument(blocks, path),
  ];
}

function judgeBlock(block: Loose, path: string, role: string, model: BedrockModel): Verdict[] {
  if ("text" in block) {
    const { text } = block;
    const isBlank = text === null || (typeof text === "string" && text.trim() === "");
    return isBlank
      ? [{ id: "BDR-BLANK-TEXT", path, text: `The text field in the ContentBlock object at ${path} is blank.` }]
      : [];
  }
  if (isRecord(block["toolUse"])) return judgeUse(block["toolUse"], path, role);
  if (isRecord(block["toolResult"])) return judgeResult(block["toolResult"], path, role);
  if (isRecord(block["image"])) return judgeImage(block["image"], path);
  if (isRecord(block["reasoningContent"])) return judgeReasoning(block["reasoningContent"], path, model);
  return [];
}

function judgeUse(use: Loose, path: string, role: string): Verdict[] {
  if (use["type"] === "server_tool_use") return [];
  const verdicts = judgeId(use["toolUseId"], `${path}.toolUse.toolUseId`);
  const { name } = use;
  if (!isText(name) || !/^[a-zA-Z0-9_-]+$/.test(name) || lengthOf(name) > 64) {
    verdicts.push({ id: "BDR-NAME", path, text: "Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+" });
  }
  if (!isRecord(use["input"])) {
    verdicts.push({ id: "BDR-INPUT-TYPE", path, text: "Provide a json object for the field and try again." });
  }
  if (role !== "assistant") verdicts.push({ id: "BDR-BLOCK-ROLE", path, text: "toolUse outside an assistant message" });
  return verdicts;
}

function judgeResult(result: Loose, path: string, role: string): Verdict[] {
  if (role === "assistant" && typeof result["type"] === "string") return [];
  const verdicts = judgeId(result["toolUseId"], `${path}.toolResult.toolUseId`);
  if (role !== "user") verdicts.push({ id: "BDR-BLOCK-ROLE", path, text: "toolResult outside a user message" });
  const { content } = result;
  const parts = listOf(content);
  const isList = Array.isArray(content) && parts.every(isResultPart);
  if (!isList) verdicts.push({ id: "BDR-RESULT-CONTENT", path, text: "content is a list, and json an object" });
  if (isList && result["status"] === "error" && parts.length === 0) {
    verdicts.push({
      id: "BDR-ERROR-EMPTY",
      path,
      text: "The content field cannot be empty when status value is error.",
    });
  }
  return [
    ...verdicts,
    ...parts.flatMap((part, index) => judgeImage(recordOf(part)["image"], `${path}.toolResult.content[${index}]`)),
  ];
}

function judgeImage(image: unknown, path: string): Verdict[] {
  if (!isRecord(image) || ["png", "jpeg", "gif", "webp"].some((format) => format === image["format"])) return [];
  return [{ id: "BDR-IMAGE-FORMAT", path: `${path}.image.format`, text: "failed to satisfy constraint" }];
}

/** A part is a union: one of its members is set. */
function isResultPart(part: unknown): boolean {
  if (!isRecord(part)) return false;
  if ("json" in part) return isRecord(part["json"]);
  if ("text" in part) return typeof part["text"] === "string";
  return ["image", "document", "video", "audio", "searchResult", "cachePoint"].some((key) => key in part);
}

function judgeId(id: unknown, path: string): Verdict[] {
  if (isText(id) && /^[a-zA-Z0-9_.:-]+$/.test(id) && lengthOf(id) <= 64) return [];
  return [
    { id: "BDR-ID", path, text: "Member must satisfy regular expression pattern: [a-zA-Z0-9_.:-]+ / length ≤ 64" },
  ];
}

function judgeReasoning(reasoning: Loose, path: string, { isClaude, refusesEmptySignature }: BedrockModel): Verdict[] {
  const text = reasoning["reasoningText"];
  if (!isRecord(text)) return [];
  const { signature } = text;
  const isForeign = isText(signature) && (/^[0-9a-fA-F]{32,}$/.test(signature) || /[^a-zA-Z0-9+/=_-]/.test(signature));
  const isRefused = isClaude ? !isText(signature) || isForeign : refusesEmptySignature && signature === "";
  return isRefused ? [{ id: "BDR-THINK-SIG", path, text: "Invalid `signature` in `thinking` block" }] : [];
}

function judgeDocument(blocks: readonly Loose[], path: string): Verdict[] {
  const has = (key: string): boolean => blocks.some((block) => isRecord(recordOf(block)[key]) || isText(block[key]));
  // Whether guarded text counts as text is not known.
  if (!has("document") || has("text") || has("guardContent")) return [];
  return [{ id: "BDR-DOC-TEXT", path, text: "A text block must be included when using documents." }];
}
