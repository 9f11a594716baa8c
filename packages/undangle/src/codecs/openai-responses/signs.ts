import { isRecord, wordOf } from "#core";

import type { Signs } from "../codec.ts";
import { sideOf } from "./repair/item.ts";

/** Features that only a Responses request has. */
export const responsesSigns: Signs = {
  body: (body) => "input" in body && !("messages" in body),
  message({ type, content }) {
    if (typeof type === "string" && type !== "message" && sideOf(type) !== undefined) return true;
    return Array.isArray(content) && content.some((part) => isRecord(part) && parts.has(wordOf(part["type"])));
  },
  model: () => false,
  slight: ({ type, role }) => type === "message" && typeof role === "string",
  fits: ({ type, role }) => typeof role === "string" || typeof type === "string",
};

const parts = new Set(["input_text", "input_image", "input_file", "output_text"]);
