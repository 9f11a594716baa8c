import { everyEntry, isRecord } from "#core";
import type { Profile } from "#core";

import { wholeList } from "../../codec.ts";
import type { Range, Request } from "../../codec.ts";
import { isGoodReasoning } from "./blocks.ts";
import { hasTools } from "./body.ts";
import { isAssistant, isUsers, lookAtUnit } from "./healthy-unit.ts";
import type { Unit } from "./healthy-unit.ts";
import { modelOf } from "./model.ts";
import type { Model } from "./model.ts";

/**
 * Finds turns that may be invalid, with one pass over the blocks. A unit is an assistant message and the user message
 * after it.
 */
export function surveyBedrock(request: Request, profile: Profile): readonly Range[] {
  const { list, body } = request;
  const model = modelOf(request);
  if (list.length === 0) return model.isPrompt ? [] : wholeList(list);
  if (model.thinks && !startsWithThinking(list, model)) return wholeList(list);
  const needsTools = body !== undefined && !hasTools(body);
  const suspects: Range[] = [];
  const unit: Unit = { list, model, profile, names: new Set(), start: 0, end: 0, state: "suspect", hasTools: false };
  while (unit.end < list.length) {
    unit.start = unit.end;
    lookAtUnit(unit);
    const { start, end, state } = unit;
    if (state !== "healthy") suspects.push({ start, end, isOpen: state === "open" });
  }
  if (needsTools && (unit.hasTools || suspects.length > 0)) return wholeList(list);
  return suspects;
}

/** True if the last turn is a running tool loop that starts with reasoning. */
function startsWithThinking(list: readonly unknown[], model: Model): boolean {
  let first: unknown;
  for (let i = list.length - 1; i >= 0; i--) {
    const message = list[i];
    if (isAssistant(message)) first = message;
    else if (isHeard(message)) break;
  }
  const content = isRecord(first) ? first["content"] : undefined;
  const block: unknown = Array.isArray(content) ? content[0] : undefined;
  return first === undefined || (isRecord(block) && "reasoningContent" in block && isGoodReasoning(block, model));
}

/** True for a message with user content. Other parts beside results may not stay. */
function isHeard(message: unknown): boolean {
  const content = isRecord(message) && message["role"] === "user" ? message["content"] : undefined;
  if (!Array.isArray(content)) return false;
  const isSaid = (block: unknown): boolean => isRecord(block) && !("type" in block) && isUsers(block);
  const isQuiet = (block: unknown): boolean => isRecord(block) && ("toolResult" in block || "cachePoint" in block);
  return everyEntry(content, (block) => isQuiet(block) || isSaid(block)) && content.some(isSaid);
}
