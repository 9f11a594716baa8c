import { isRecord, wrapRaw } from "#core";
import type { JsonObject, Source, Spot } from "#core";

import { isSignature } from "../../anthropic/blocks.ts";
import { unwrapOne, wordsIn } from "../../unwrap.ts";
import { bodyOf, isBlank, kindOf } from "./block.ts";
import type { Context } from "./context.ts";
import { adoptBlock, noteAdopted } from "./foreign.ts";
import { mendImage } from "./media.ts";
import type { Model } from "./model.ts";
import { blockAt } from "./origin.ts";
import { mendResult } from "./result-content.ts";

/** The block in a form that the API accepts. Undefined if it is removed. Unknown blocks stay unchanged. */
export function mendBlock(block: unknown, place: number, source: Source, context: Context): unknown {
  if (!isRecord(block)) return mendBare(block, place, source, context);
  if (typeof block["type"] === "string") return mendForeign(block, place, source, context);
  return mendKnown(block, place, source, context);
}

function mendKnown(block: JsonObject, place: number, source: Source, context: Context): unknown {
  switch (kindOf(block)) {
    case "text":
      return mendText(block, place, source, context);
    case "toolUse": {
      const at = blockAt(source, place, ".toolUse");
      return mendBody(block, { kind: "toolUse", keep: (text) => ({ input: wrapRaw(text) }), at }, context);
    }
    case "toolResult": {
      const at = blockAt(source, place, ".toolResult");
      const keep = (text: string): JsonObject => ({ content: [{ text }] });
      return mendResult(mendBody(block, { kind: "toolResult", keep, at }, context), place, source, context);
    }
    case "reasoningContent":
      return mendReasoning(block, place, source, context);
    case "image":
      return mendImage(block, blockAt(source, place), context);
    default:
      return block;
  }
}

interface Body {
  readonly kind: "toolUse" | "toolResult";
  /** Wraps text that is not an object. */
  readonly keep: (text: string) => JsonObject;
  readonly at: Spot;
}

/**
 * Ensures an object under the key of a block. JSON text and a list with one object are unwrapped, and anything else is
 * kept as text.
 */
function mendBody(block: JsonObject, { kind, keep, at }: Body, { journal }: Context): JsonObject {
  const body = block[kind];
  if (isRecord(body)) return block;
  const rule = kind === "toolUse" ? ("arguments-type" as const) : ("result-content" as const);
  journal.note(at, { rule, message: `The value of ${kind} is not an object.` }, { type: "rewrite" });
  const words = wordsIn(body);
  return { ...block, [kind]: unwrapOne(body) ?? (words === "" ? {} : keep(words)) };
}

/** A value that is not an object: text becomes a block, empty values are removed, and anything else is ambiguous. */
function mendBare(block: unknown, place: number, source: Source, { journal }: Context): unknown {
  const finding = { rule: "unknown-block" as const, message: "The block is not an object." };
  const isEmpty = isBlank(block) || (Array.isArray(block) && block.length === 0);
  const change = isEmpty
    ? { type: "remove" as const }
    : typeof block === "string"
      ? { type: "rewrite" as const }
      : undefined;
  journal.note(blockAt(source, place), finding, change);
  if (isEmpty) return undefined;
  return typeof block === "string" ? { text: block } : block;
}

function mendText(block: JsonObject, place: number, source: Source, { journal }: Context): unknown {
  const { text } = block;
  if (isBlank(text)) {
    const finding = { rule: "blank-text" as const, message: "The text of the block is blank." };
    journal.note(blockAt(source, place), finding, { type: "remove" });
    return undefined;
  }
  if (typeof text === "string") return block;
  const finding = { rule: "unknown-block" as const, message: "The text of the block is not a string." };
  journal.note(blockAt(source, place, ".text"), finding, { type: "rewrite" });
  return { ...block, text: JSON.stringify(text) };
}

/** Converts a block with a type from another format. It stays if Converse has no equivalent. */
function mendForeign(block: JsonObject, place: number, source: Source, context: Context): unknown {
  const adopted = adoptBlock(block);
  const mended = adopted === undefined ? block : mendKnown(adopted.block, place, source, context);
  if (mended !== undefined) noteAdopted(adopted, blockAt(source, place), context); // removed blocks have their own edit
  return mended;
}

/** Signed reasoning stays unchanged or is removed. Models without signatures refuse an empty one. */
function mendReasoning(block: JsonObject, place: number, source: Source, { journal, model }: Context): unknown {
  if (isGoodReasoning(block, model)) return block;
  const rule = "thinking-signature" as const;
  if (!model.isClaude) {
    const reasoning = bodyOf(block, "reasoningContent");
    const { signature: _, ...unsigned } = isRecord(reasoning["reasoningText"]) ? reasoning["reasoningText"] : {};
    const at = blockAt(source, place, ".reasoningContent.reasoningText");
    journal.note(at, { rule, message: "The signature of the reasoning is empty." }, { type: "rewrite" });
    return { ...block, reasoningContent: { ...reasoning, reasoningText: unsigned } };
  }
  const message = "The reasoning has no signature that Claude can have issued.";
  journal.note(blockAt(source, place), { rule, message }, { type: "remove", lossless: false });
  return undefined;
}

/** True for reasoning that the model accepts. */
export function isGoodReasoning(block: JsonObject, { isClaude, refusesEmptySignature }: Model): boolean {
  const { reasoningText, redactedContent } = bodyOf(block, "reasoningContent");
  if (reasoningText === undefined && redactedContent !== undefined && redactedContent !== null)
    return !(isClaude && redactedContent === "");
  const signature = isRecord(reasoningText) ? reasoningText["signature"] : undefined;
  if (isClaude) return typeof signature === "string" && isSignature(signature);
  return !refusesEmptySignature || signature === undefined || (typeof signature === "string" && signature !== "");
}
