import { isRecord } from "#core";
import type { JsonObject, Part } from "#core";

/** A block has one key, which is its kind. */
const kinds = [
  "toolUse",
  "toolResult",
  "text",
  "reasoningContent",
  "cachePoint",
  "image",
  "document",
  "video",
  "audio",
  "guardContent",
  "citationsContent",
  "searchResult",
] as const;

export type Kind = (typeof kinds)[number];

/** The kind of a block. Undefined if it has no known key. */
export function kindOf(block: unknown): Kind | undefined {
  return isRecord(block) ? kinds.find((kind) => Object.hasOwn(block, kind)) : undefined;
}

/** The value of a block. */
export function bodyOf(block: unknown, kind: Kind): JsonObject {
  const body = isRecord(block) ? block[kind] : undefined;
  return isRecord(body) ? body : {};
}

/** True for a call of a client tool. Results of server tools are in the same message. */
export const isCall = (block: unknown): boolean =>
  kindOf(block) === "toolUse" && bodyOf(block, "toolUse")["type"] !== "server_tool_use";

/** True for the result of such a call. The result of a server tool is in an assistant message and has a type. */
export const isResult = (block: unknown, role: "user" | "assistant"): boolean =>
  kindOf(block) === "toolResult" && (role === "user" || typeof bodyOf(block, "toolResult")["type"] !== "string");

export const isThought = (part: Part | undefined): boolean => kindOf(part?.wire) === "reasoningContent";

/** True for a cache marker, which has no content and belongs to the block before it. */
export const isMarker = (part: Part): boolean => kindOf(part.wire) === "cachePoint";

const ofTools: readonly (Kind | undefined)[] = ["toolUse", "toolResult", "reasoningContent", "cachePoint", undefined];

/** True for content other than calls, results, reasoning and markers. */
export const isWords = (block: unknown): boolean => !ofTools.includes(kindOf(block));

/** True for blank text. */
export const isBlank = (text: unknown): boolean =>
  text === undefined || text === null || (typeof text === "string" && text.trim() === "");
