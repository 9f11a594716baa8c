import { everyEntry, isRecord } from "#core";
import type { JsonObject, Profile } from "#core";

import { isGoodReasoning } from "./blocks.ts";
import { hasGoodImage } from "./media.ts";
import type { Model } from "./model.ts";
import { isGoodPart } from "./result-content.ts";

export const isAssistant = (message: unknown): boolean => isRecord(message) && message["role"] === "assistant";

/** An assistant message and the user message after it, with the findings. */
export interface Unit {
  readonly list: readonly unknown[];
  readonly model: Model;
  readonly profile: Profile;
  /** Names that were found valid. */
  readonly names: Set<string>;
  start: number;
  end: number;
  /** `open`: the unit is valid, except that some of its calls have no result. */
  state: "healthy" | "open" | "suspect";
  /** True if there were calls in this unit or before. */
  hasTools: boolean;
}

/**
 * Finds the end of a unit, and whether it may be invalid. It knows only the common blocks, and leaves anything unusual
 * to the rules. So a wrong "healthy" is impossible, and a wrong "suspect" costs only time.
 */
export function lookAtUnit(unit: Unit): void {
  const { list, start } = unit;
  let results = start;
  while (results < list.length && isAssistant(list[results])) results++;
  let end = results;
  while (end < list.length && !isAssistant(list[end])) end++;
  unit.end = end;
  unit.state = "suspect";
  const isFirst = results === start;
  if (results - start > 1 || end - results > 1 || isFirst !== (start === 0)) return;
  if (!isFirst && !isGoodTurn(list[start], unit)) return;
  const ids = isFirst ? [] : idsIn(list[start]);
  if (ids === undefined) return;
  if (ids.length > 0) unit.hasTools = true;
  if (end > results) unit.state = stateOf(list[results], ids, unit.model);
  else unit.state = ids.length > 0 ? "open" : "healthy";
}

/** The blocks of a message with only a role and content. */
function blocksOf(message: unknown): readonly unknown[] | undefined {
  const content = isRecord(message) ? message["content"] : undefined;
  return Array.isArray(content) && content.length > 0 && content.length <= 256 ? content : undefined;
}

/** True for an assistant message that is valid, except possibly for its call ids. */
function isGoodTurn(message: unknown, { model, profile, names }: Unit): boolean {
  const blocks = blocksOf(message);
  if (blocks === undefined) return false;
  let isCalling = false;
  let isSpeaking = false;
  for (const block of blocks) {
    if (!isRecord(block) || "type" in block) return false;
    if ("toolUse" in block) {
      if (!isGoodCall(block["toolUse"], profile, names)) return false;
      isCalling = true;
    } else if ("text" in block) {
      if (!isSpoken(block["text"]) || (isCalling && model.isClaude)) return false;
      isSpeaking = true;
    } else if ("reasoningContent" in block) {
      if (!isGoodReasoning(block, model)) return false;
    } else if ("citationsContent" in block) isSpeaking = true;
    else if (!("cachePoint" in block)) return false;
  }
  return !(isCalling && isSpeaking && model.refusesMixedTurns);
}

function isGoodCall(use: unknown, { ids, names }: Profile, known: Set<string>): boolean {
  if (!isRecord(use) || use["type"] !== undefined || !isRecord(use["input"])) return false;
  const { toolUseId: id, name } = use;
  if (typeof id !== "string" || id.length > ids.longest || ids.pattern?.test(id) === false) return false;
  if (typeof name !== "string") return false;
  if (known.has(name)) return true;
  if (name.length > names.longest || !names.pattern.test(name)) return false;
  known.add(name);
  return true;
}

/** The call ids of a valid turn. Undefined if two are equal. */
function idsIn(message: unknown): readonly unknown[] | undefined {
  const ids: unknown[] = [];
  for (const block of blocksOf(message) ?? []) {
    const use = isRecord(block) ? block["toolUse"] : undefined;
    if (!isRecord(use)) continue;
    if (ids.includes(use["toolUseId"])) return undefined;
    ids.push(use["toolUseId"]);
  }
  return ids;
}

/** The state of a unit from its user message. */
function stateOf(message: unknown, ids: readonly unknown[], model: Model): Unit["state"] {
  const blocks = blocksOf(message);
  if (blocks === undefined || !isRecord(message) || message["role"] !== "user") return "suspect";
  const answered: unknown[] = [];
  let isSaid = false; // it contains more than results
  let isMarked = false;
  for (const block of blocks) {
    if (!isRecord(block) || "type" in block) return "suspect";
    if ("toolResult" in block) {
      const result = block["toolResult"];
      if ((isSaid && model.isClaude) || !isRecord(result) || !isGoodResult(result)) return "suspect";
      const { toolUseId } = result;
      if (!ids.includes(toolUseId) || answered.includes(toolUseId)) return "suspect";
      answered.push(toolUseId);
    } else if ("cachePoint" in block) isMarked = true;
    else if (!isUsers(block)) return "suspect";
    else {
      if ("document" in block && !blocks.some((one) => isRecord(one) && "text" in one)) return "suspect";
      isSaid = true;
    }
  }
  if (isSaid && ids.length > 0 && model.refusesMixedTurns) return "suspect";
  if (answered.length === ids.length) return "healthy";
  // Results for an open unit are added to its user message. Anything else is left to the rules.
  return isMarked || Object.keys(message).length !== 2 ? "suspect" : "open";
}

function isGoodResult({ content, status }: JsonObject): boolean {
  const isGood = (part: unknown): boolean => isGoodPart(part) && isRecord(part) && hasGoodImage(part);
  return Array.isArray(content) && everyEntry(content, isGood) && !(status === "error" && content.length === 0);
}

const media = ["image", "document", "video", "guardContent"];

/** A user block with content. */
export function isUsers(block: JsonObject): boolean {
  if ("text" in block) return isSpoken(block["text"]);
  if ("toolUse" in block || "reasoningContent" in block) return false;
  return media.some((key) => key in block) && hasGoodImage(block);
}

/** Non-blank text. A printable ASCII first character is enough; others may be blanks too. */
function isSpoken(text: unknown): boolean {
  if (typeof text !== "string") return false;
  const first = text.charCodeAt(0);
  return (first > 0x20 && first < 0x7f) || text.trim() !== "";
}
