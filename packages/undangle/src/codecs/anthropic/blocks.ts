import { isRecord, wordOf } from "#core";
import type { JsonObject, Source } from "#core";

import { dropForeignBlockKeys } from "./repair/block-keys.ts";
import { blockAt } from "./repair/context.ts";
import type { Context } from "./repair/context.ts";
import { mendMedia, refusedMedia } from "./repair/media.ts";
import { mendResultContent } from "./repair/result-content.ts";

/** The block types that a message may contain. Every other `…_tool_result` belongs to a server tool. */
const knownTypes = new Set([
  "text",
  "image",
  "document",
  "search_result",
  "thinking",
  "redacted_thinking",
  "tool_use",
  "tool_result",
  "server_tool_use",
  "mcp_tool_use",
  "mcp_tool_result",
  "container_upload",
  "compaction",
  "connector_text",
  "fallback",
  "mcp_tool_listing",
  "tool_addition",
  "tool_removal",
]);

/** The block in a form that the API accepts. Undefined if it is removed. */
export function mendBlock(given: unknown, place: number, source: Source, context: Context): unknown {
  if (!isRecord(given) || typeof given["type"] !== "string") return mendUntyped(given, place, source, context);
  const block = dropForeignBlockKeys(given, { place }, source, context);
  switch (block["type"]) {
    case "text":
      return mendText(block, place, source, context);
    case "thinking":
    case "redacted_thinking":
      return mendThinking(block, place, source, context);
    case "tool_result":
      return mendResultContent(block, place, source, context);
    case "input_text":
    case "output_text":
      return retype(block, place, source, context);
    case "image_url":
      return mendImage(block, place, source, context);
    case "image":
    case "document":
      return mendMedia(block, blockAt(source, place), context);
    default:
      if (!knownTypes.has(given["type"]) && !given["type"].endsWith("_tool_result")) {
        const message = `${given["type"]} is not a type of block that the API knows.`;
        context.journal.note(blockAt(source, place), { rule: "unknown-block", message });
      }
      return block;
  }
}

/** Untyped text gets a type; any other untyped value is ambiguous. */
function mendUntyped(block: unknown, place: number, source: Source, { journal }: Context): unknown {
  const text = typeof block === "string" ? block : isRecord(block) ? block["text"] : undefined;
  const finding = { rule: "unknown-block" as const, message: "The block has no type." };
  const isNothing = block === null || block === undefined || (Array.isArray(block) && block.length === 0);
  if (typeof text !== "string") {
    journal.note(blockAt(source, place), finding, isNothing ? { type: "remove" } : undefined);
    return isNothing ? undefined : block;
  }
  const after = isRecord(block) ? { ...block, type: "text" } : { type: "text", text };
  if (text === "") {
    journal.note(blockAt(source, place), finding, { type: "remove" });
    return undefined;
  }
  journal.note(blockAt(source, place), finding, { type: "rewrite" });
  return after;
}

function retype(block: JsonObject, place: number, source: Source, { journal }: Context): unknown {
  const after = { type: "text", text: typeof block["text"] === "string" ? block["text"] : JSON.stringify(block) };
  const message = `${wordOf(block["type"])} is the name of a text block in another format.`;
  journal.note(blockAt(source, place), { rule: "unknown-block", message }, { type: "rewrite" });
  return after.text === "" ? undefined : after;
}

/** Converts an image of the chat format. */
function mendImage(block: JsonObject, place: number, source: Source, { journal, policy }: Context): unknown {
  const given = block["image_url"];
  const url = isRecord(given) ? given["url"] : given;
  const finding = {
    rule: "unknown-block" as const,
    message: "image_url is the name of an image block in another format.",
  };
  if (typeof url !== "string") {
    journal.note(blockAt(source, place), finding);
    return block;
  }
  const data = /^data:([^;,]+);base64,(.*)$/s.exec(url);
  const image = data === null ? { type: "url", url } : { type: "base64", media_type: data[1], data: data[2] };
  const after = { type: "image", source: image };
  journal.note(blockAt(source, place), finding, { type: "rewrite" });
  return policy.keepsMedia ? after : (refusedMedia(after)?.block ?? after);
}

function mendText(block: JsonObject, place: number, source: Source, { journal }: Context): unknown {
  const { text } = block;
  if (typeof text === "string" && text !== "") return block;
  if (text === "" || text === undefined || text === null) {
    const finding = { rule: "empty-text" as const, message: "The text block is empty." };
    journal.note(blockAt(source, place), finding, { type: "remove" });
    return undefined;
  }
  const after = { ...block, text: JSON.stringify(text) };
  const finding = { rule: "unknown-block" as const, message: "The text of the block is not a string." };
  journal.note(blockAt(source, place, ".text"), finding, { type: "rewrite" });
  return after;
}

/**
 * Signed reasoning stays unchanged or is removed. A block with a signature that Anthropic cannot have issued is
 * removed.
 */
function mendThinking(block: JsonObject, place: number, source: Source, { journal, profile }: Context): unknown {
  if (!profile.signaturesChecked) return block; // these servers require their blocks back, signed or not
  const seal = block["type"] === "thinking" ? block["signature"] : block["data"];
  if (typeof seal === "string" && isSignature(seal)) return block;
  const lost = typeof seal !== "string" || seal === "";
  journal.note(
    blockAt(source, place),
    {
      rule: "thinking-signature",
      message: lost
        ? "The thinking block has no signature."
        : "The signature of the thinking block was not issued by Anthropic.",
    },
    { type: "remove", lossless: false },
  );
  return undefined;
}

/** Anthropic's signatures are base64. A hexadecimal hash is from another provider. */
export function isSignature(text: string): boolean {
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) && !/^(?:[0-9a-f]{16,}|[0-9A-F]{16,})$/.test(text);
}
