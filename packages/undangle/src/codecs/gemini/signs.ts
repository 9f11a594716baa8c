import { isRecord } from "#core";

import type { Signs } from "../codec.ts";

/** Features that only a generateContent request has. */
export const geminiSigns: Signs = {
  body: (body) => Array.isArray(body["contents"]),
  message: ({ parts, role }) => Array.isArray(parts) && (role === "model" || role === "function" || parts.some(isOwn)),
  model: (name) => /^(?:models\/|google\/)?gemini-/.test(name),
  slight: () => false,
  fits: ({ parts }) => Array.isArray(parts) && parts.every((part) => isRecord(part) && !("type" in part)),
};

const keys = [
  "functionCall",
  "functionResponse",
  "function_call",
  "function_response",
  "inlineData",
  "inline_data",
  "fileData",
  "file_data",
  "thoughtSignature",
  "executableCode",
];

/** A part has a data field; parts of other formats have a type. */
const isOwn = (part: unknown): boolean =>
  isRecord(part) && !("type" in part) && (keys.some((key) => key in part) || typeof part["text"] === "string");
