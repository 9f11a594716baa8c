import { isRecord, wordOf } from "#core";
import type { JsonObject } from "#core";

import type { Signs } from "../codec.ts";

/** Features that only messages of the AI SDK have. */
export const aiSdkSigns: Signs = {
  body: () => false,
  message: ({ content, parts }) =>
    (Array.isArray(content) && content.some((part) => isRecord(part) && isOwnPart(part))) || isUIParts(parts),
  model: () => false,
  slight: () => false,
  fits: ({ role, content, parts }) =>
    roles.has(wordOf(role)) && (typeof content === "string" || isTyped(content) || isUIParts(parts)),
};

const roles = new Set(["system", "user", "assistant", "tool"]);

const modelTypes = new Set(["tool-call", "tool-result", "tool-approval-request", "tool-approval-response"]);

/** Only this format names the type of a file `mediaType`. A chat request has parts of type `file` too. */
const isOwnPart = ({ type, mediaType }: JsonObject): boolean =>
  modelTypes.has(wordOf(type)) || (type === "file" && typeof mediaType === "string");

/** Parts that other formats share with this one. */
const commonTypes = new Set(["text", "image", "file", "reasoning", "reasoning-file", "custom", ...modelTypes]);

function isTyped(content: unknown): boolean {
  return Array.isArray(content) && content.every((part) => isRecord(part) && commonTypes.has(wordOf(part["type"])));
}

/** Gemini has lists of parts too, but without types. */
const isUIParts = (parts: unknown): boolean =>
  Array.isArray(parts) && parts.length > 0 && parts.every((part) => isRecord(part) && typeof part["type"] === "string");
