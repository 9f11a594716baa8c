import { isRecord } from "#core";
import type { JsonObject } from "#core";

import type { Signs } from "../codec.ts";
import { kindOf } from "./repair/block.ts";

/** Features of a Converse request: blocks have a key for their kind, and no type. */
export const bedrockSigns: Signs = {
  body(body) {
    const { system } = body;
    return keys.some((key) => key in body) || (Array.isArray(system) && system.some(isText));
  },
  message: ({ content }) => blocksOf(content).some((block) => own.some((key) => isRecord(block[key]))),
  model: () => false, // a body with `modelId` is detected by that
  slight: ({ content }) => blocksOf(content).some((block) => !("type" in block) && kindOf(block) !== undefined),
  fits: ({ role, content }) =>
    typeof role === "string" && Array.isArray(content) && blocksOf(content).every((block) => !("type" in block)),
};

const keys = [
  "modelId",
  "toolConfig",
  "inferenceConfig",
  "additionalModelRequestFields",
  "guardrailConfig",
  "performanceConfig",
];

const own = ["toolUse", "toolResult", "reasoningContent", "cachePoint", "guardContent", "citationsContent"];

const blocksOf = (content: unknown): readonly JsonObject[] => (Array.isArray(content) ? content.filter(isRecord) : []);

const isText = (block: unknown): boolean => isRecord(block) && !("type" in block) && typeof block["text"] === "string";
