import { dotted, isRecord, isText, lengthOf, listOf, recordOf, type Loose } from "../loose.ts";
import type { Verdict } from "../verdict.ts";
import type { BedrockModel } from "./model.ts";
import type { Message } from "./messages.ts";

/** Judges one message by itself: its content and its blocks. */
export function judgeMessage({ role, path, raw, blocks }: Message, model: BedrockModel): Verdict[] {
  const content = raw["content"];
  const isEmpty =
    content === undefined || content === null || content === "" || (Array.isArray(content) && blocks.length === 0);
  if (isEmpty)
    return [
      { id: "BDR-EMPTY-CONTENT", path, text: `The content field in the Message object at ${dotted(path)} is empty.` },
    ];
  return [
    ...blocks.flatMap((block, index) => judgeBlock(block, `${path}.content[${index}]`, role, model)),
    ...judgeDocument(blocks, path),
  ];
}

function judgeBlock(block: Loose, path: string, role: string, model: BedrockModel): Verdict[] {
  if ("text" in block) {
    const { text } = block;
    const isBlank = text === null || (typeof text === "string" && text.trim() === "");
    return isBlank ? [{ id: "BDR-BLANK-TEXT", path, text: blankText(path) }] : [];
  }
  if (isRecord(block["toolUse"])) return judgeUse(block["toolUse"], path, role);
  if (isRecord(block["toolResult"])) return judgeResult(block["toolResult"], path, role);
  if (isRecord(block["image"])) return judgeImage(block["image"], path);
  if (isRecord(block["reasoningContent"])) return judgeReasoning(block["reasoningContent"], path, model);
  return [];
}

const blankText = (path: string): string =>
  `The text field in the ContentBlock object at ${dotted(path)} is blank. Add text to the text field, and try again.`;

/** The error of the validator in Amazon's SDK, which counts list members from 1. */
function constraint(path: string, value: unknown, rule: string): string {
  const place = path.replaceAll(/\[(\d+)\]/g, (_, index: string) => `.${Number(index) + 1}.member`);
  const unmet = value === undefined || value === null ? "Member must not be null" : rule;
  return `1 validation error detected: Value at '${place}' failed to satisfy constraint: ${unmet}`;
}

const shortEnough = "Member must have length less than or equal to 64";

function judgeUse(use: Loose, path: string, role: string): Verdict[] {
  if (use["type"] === "server_tool_use") return [];
  const verdicts = judgeId(use["toolUseId"], `${path}.toolUse.toolUseId`);
  const { name } = use;
  if (!isText(name) || !/^[a-zA-Z0-9_-]+$/.test(name) || lengthOf(name) > 64) {
    const isLong = isText(name) && lengthOf(name) > 64;
    const rule = isLong ? shortEnough : "Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+";
    verdicts.push({ id: "BDR-NAME", path, text: constraint(`${path}.toolUse.name`, name, rule) });
  }
  if (!isRecord(use["input"])) {
    verdicts.push({ id: "BDR-INPUT-TYPE", path, text: noJson(`${path}.toolUse.input`) });
  }
  if (role !== "assistant") verdicts.push({ id: "BDR-BLOCK-ROLE", path, text: "toolUse outside an assistant message" });
  return verdicts;
}

const noJson = (path: string): string =>
  `The format of the value at ${dotted(path)} is invalid. Provide a json object for the field and try again.`;

function judgeResult(result: Loose, path: string, role: string): Verdict[] {
  if (role === "assistant" && typeof result["type"] === "string") return [];
  const verdicts = judgeId(result["toolUseId"], `${path}.toolResult.toolUseId`);
  if (role !== "user") verdicts.push({ id: "BDR-BLOCK-ROLE", path, text: "toolResult outside a user message" });
  const { content } = result;
  const parts = listOf(content);
  const wrong = parts.findIndex((part) => !isResultPart(part));
  const isList = Array.isArray(content) && wrong === -1;
  if (!isList) {
    const key = "json" in recordOf(parts[wrong]) ? ".json" : "";
    const place = wrong === -1 ? "" : `[${wrong}]${key}`;
    verdicts.push({ id: "BDR-RESULT-CONTENT", path, text: noJson(`${path}.toolResult.content${place}`) });
  }
  if (isList && result["status"] === "error" && parts.length === 0) {
    verdicts.push({
      id: "BDR-ERROR-EMPTY",
      path,
      text: `The content field at ${dotted(path)}.toolResult cannot be empty when status value is error.`,
    });
  }
  return [
    ...verdicts,
    ...parts.flatMap((part, index) => judgeImage(recordOf(part)["image"], `${path}.toolResult.content[${index}]`)),
  ];
}

function judgeImage(image: unknown, path: string): Verdict[] {
  if (!isRecord(image) || ["png", "jpeg", "gif", "webp"].some((format) => format === image["format"])) return [];
  const rule = "Member must satisfy enum value set: [jpeg, png, gif, webp]";
  return [
    {
      id: "BDR-IMAGE-FORMAT",
      path: `${path}.image.format`,
      text: constraint(`${path}.image.format`, image["format"], rule),
    },
  ];
}

/** A part is a union with exactly one member. */
function isResultPart(part: unknown): boolean {
  if (!isRecord(part)) return false;
  if ("json" in part) return isRecord(part["json"]);
  if ("text" in part) return typeof part["text"] === "string";
  return ["image", "document", "video", "audio", "searchResult", "cachePoint"].some((key) => key in part);
}

function judgeId(id: unknown, path: string): Verdict[] {
  if (isText(id) && /^[a-zA-Z0-9_.:-]+$/.test(id) && lengthOf(id) <= 64) return [];
  const isLong = isText(id) && lengthOf(id) > 64;
  const rule = isLong ? shortEnough : "Member must satisfy regular expression pattern: [a-zA-Z0-9_.:-]+";
  return [{ id: "BDR-ID", path, text: constraint(path, id, rule) }];
}

function judgeReasoning(reasoning: Loose, path: string, { isClaude, refusesEmptySignature }: BedrockModel): Verdict[] {
  const text = reasoning["reasoningText"];
  if (!isRecord(text)) return [];
  const { signature } = text;
  const isForeign = isText(signature) && (/^[0-9a-fA-F]{32,}$/.test(signature) || /[^a-zA-Z0-9+/=_-]/.test(signature));
  const isRefused = isClaude ? !isText(signature) || isForeign : refusesEmptySignature && signature === "";
  if (!isRefused) return [];
  const said =
    typeof signature === "string"
      ? `${dotted(path)}: Invalid \`signature\` in \`thinking\` block`
      : `${dotted(path)}.thinking.signature: Field required`;
  return [{ id: "BDR-THINK-SIG", path, text: `The model returned the following errors: ${said}` }];
}

function judgeDocument(blocks: readonly Loose[], path: string): Verdict[] {
  const has = (key: string): boolean => blocks.some((block) => isRecord(recordOf(block)[key]) || isText(block[key]));
  // It is not known whether guarded text counts as text.
  if (!has("document") || has("text") || has("guardContent")) return [];
  return [{ id: "BDR-DOC-TEXT", path, text: "A text block must be included when using documents." }];
}
