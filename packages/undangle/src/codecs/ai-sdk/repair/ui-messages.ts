import { isRecord } from "#core";
import type { Entry, JsonObject, Source } from "#core";

import { textOf } from "./message.ts";
import { answerPart, mendPartInput } from "./ui-answer.ts";
import { at } from "./ui-context.ts";
import type { Standing, UIContext } from "./ui-context.ts";
import { doubledParts } from "./ui-copies.ts";
import { reportAbandoned } from "./server-calls.ts";
import { isFinished, isLive, isProviderPart, isToolPart, toolNameOf, uiParts } from "./ui-steps.ts";

/** Reads UI messages and repairs each in place. A call and its result are one part, so nothing moves. */
export function readUIMessages(start: number, end: number, context: UIContext): Entry[] {
  const entries: Entry[] = [];
  for (let index = start; index < end; index++) {
    const wire = context.page.list[index];
    const source: Source = { index, wire, mended: wire, entries: 1, at: -1 };
    if (isRecord(wire) && wire["role"] === "assistant") source.mended = mendMessage(wire, source, context);
    entries.push({ role: "system", source, at: -1, fresh: false, content: undefined, parts: undefined });
  }
  return entries;
}

/** Appends the messages to a list, and records their indexes. */
export function writeUIMessages(entries: readonly Entry[], list: unknown[]): void {
  for (const entry of entries) {
    if (entry.source === undefined) continue;
    entry.at = list.length;
    entry.source.at = entry.at;
    for (const [place, slot] of entry.source.slots ?? []) {
      entry.source.slots?.set(place, `messages[${entry.at}].parts[${slot}]`);
    }
    list.push(entry.source.mended);
  }
}

function mendMessage(message: JsonObject, source: Source, context: UIContext): JsonObject {
  const parts = uiParts(message) ?? [];
  const doubled = doubledParts(parts);
  let changed = false;
  const mended: unknown[] = [];
  const slots = new Map<number, string>();
  parts.forEach((part, place) => {
    const kind = doubled.get(place);
    if (isProviderPart(part) && !isFinished(part) && context.abandoned().has(part)) {
      changed = true;
      reportAbandoned(part, at(source, place), context);
      return;
    }
    const after = isToolPart(part) && kind !== "copy" ? mendPart(part, { source, place, kind }, context) : part;
    changed ||= kind === "copy" || after !== part;
    if (kind === "copy") {
      const callId = isRecord(part) ? textOf(part["toolCallId"]) : "";
      const message = `The call ${callId} appears twice in the same step.`;
      context.journal.note(at(source, place), { rule: "duplicate-call-id", message, callId }, { type: "remove" });
      return;
    }
    slots.set(place, String(mended.length));
    mended.push(after);
  });
  if (!changed) return message;
  source.slots = slots;
  return { ...message, parts: mended };
}

function mendPart(part: JsonObject, standing: Standing, context: UIContext): JsonObject {
  const { source, place } = standing;
  const named = mendName(part, standing, context);
  const identified = mendId(named, standing, context);
  if (isFinished(part) || isLive(part, context.page, source.index, place))
    return mendPartInput(identified, standing, context);
  return answerPart(identified, standing, context);
}

function mendName(
  part: JsonObject,
  { source, place }: Standing,
  { journal, onlyTool = "unknown_tool" }: UIContext,
): JsonObject {
  if (toolNameOf(part) !== "") return part;
  const isDynamic = part["type"] === "dynamic-tool";
  journal.note(
    at(source, place, isDynamic ? ".toolName" : ".type"),
    { rule: "missing-name", message: "The call has no name.", callId: textOf(part["toolCallId"]) },
    { type: "rename", reconstructed: true },
  );
  return isDynamic ? { ...part, toolName: onlyTool } : { ...part, type: `tool-${onlyTool}` };
}

function mendId(part: JsonObject, { source, place, kind }: Standing, { journal, mint }: UIContext): JsonObject {
  const given = textOf(part["toolCallId"]);
  if (given !== "" && kind === undefined) return part;
  const seed = given === "" ? `${toolNameOf(part)}\u0000${JSON.stringify(part["input"]) ?? ""}` : given;
  const toolCallId = mint(seed);
  const finding =
    given === ""
      ? { rule: "missing-call-id" as const, message: `The call of ${toolNameOf(part)} has no id.` }
      : { rule: "duplicate-call-id" as const, message: `Two calls of one step have the id ${given}.` };
  journal.note(at(source, place, ".toolCallId"), { ...finding, callId: toolCallId }, { type: "rename" });
  return { ...part, toolCallId };
}
