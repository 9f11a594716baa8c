import { isRecord, wordOf } from "#core";
import type { Entry, Source } from "#core";

import type { Context } from "./context.ts";
import { idOf, mayOmitId, withoutKeys } from "./item.ts";
import type { Item } from "./item.ts";

/**
 * Keeps reasoning with the item that it produced. Reasoning that cannot stay is removed, and later items lose the ids
 * that require it.
 */
export function settleReasoning(entries: readonly Entry[], context: Context): readonly Entry[] {
  const gone = findGone(entries, context);
  const { continues } = context.profile;
  // A call depends on the reasoning of its step. A message depends on that of its turn, because a step after a result may have none.
  let step: Reasoned = continues ? "there" : "none";
  let turn: Reasoned = step;
  for (const entry of entries) {
    const kind = kindOf(entry);
    const isCopy = gone.get(entry) === "copy";
    if (gone.has(entry)) {
      if (!isCopy || step !== "there") step = "gone";
      if (!isCopy || turn !== "there") turn = "gone";
    } else if (kind === "reasoning") step = turn = "there";
    else if (kind === "end") {
      step = "none";
      if (entry.role === "user") turn = "none";
    } else if (entry.source !== undefined) {
      dropId(entry.source, isMessage(entry.source.mended) ? turn : step, context);
    }
  }
  return gone.size === 0 ? entries : entries.filter((entry) => !gone.has(entry));
}

/** The reasoning before an item: in the input, removed from it, or never in it. */
type Reasoned = "there" | "gone" | "none";

/** The reasoning to remove: it is unreadable, the item that it produced is missing, or it is a duplicate. */
function findGone(entries: readonly Entry[], { doomed, journal }: Context): ReadonlyMap<Entry, "copy" | "lost"> {
  const gone = new Map<Entry, "copy" | "lost">();
  let next: Entry | undefined;
  for (let i = entries.length - 1; i >= 0; i--) {
    const entry = entries[i];
    if (entry === undefined) continue;
    const item = itemOf(entry);
    const doom = entry.source && doomed.get(entry.source);
    const isDangling = item?.["type"] === "reasoning" && !leadsTo(item, next);
    if (entry.source === undefined || (doom === undefined && !isDangling)) {
      next = entry;
      continue;
    }
    const message = "The reasoning is not followed by the item that it produced.";
    const { finding, lossless } = doom ?? {
      finding: { rule: "dangling-reasoning" as const, message },
      lossless: false,
    };
    gone.set(entry, lossless ? "copy" : "lost");
    journal.note({ source: entry.source, suffix: "" }, finding, { type: "remove", lossless });
  }
  return gone;
}

/** True if reasoning may have produced an item. Stored reasoning requires that item with its id. */
function leadsTo(reasoning: Item, next: Entry | undefined): boolean {
  if (next === undefined || kindOf(next) === "end" || next.source === undefined) return false;
  const isStored = idOf(reasoning) !== undefined && !reasoning["encrypted_content"];
  const item = itemOf(next);
  return !isStored || item === undefined || idOf(item) !== undefined || !hasIdByType(item);
}

/** Types with optional ids. Without the id, an item is not the stored one. */
const hasIdByType = ({ type }: Item): boolean =>
  type === undefined ||
  type === "message" ||
  type === "reasoning" ||
  type === "function_call" ||
  type === "custom_tool_call";

/**
 * The relation of an entry to the reasoning before it: reasoning itself, the end of its output, or part of its output.
 */
function kindOf(entry: Entry): "reasoning" | "end" | "part" {
  if (entry.role === "result" || entry.role === "user") return "end";
  const item = itemOf(entry);
  const type = item?.["type"];
  if (type === "reasoning") return "reasoning";
  if (type === "item_reference") return wordOf(item?.["id"]).startsWith("rs_") ? "reasoning" : "part";
  if (typeof type === "string" && type !== "message") return type.endsWith("_output") ? "end" : "part";
  return entry.role === "system" && isRecord(item) && typeof item["role"] === "string" ? "end" : "part";
}

const itemOf = ({ source }: Entry): Item | undefined => (isRecord(source?.mended) ? source.mended : undefined);

const isMessage = (item: unknown): boolean =>
  isRecord(item) && (item["type"] === "message" || item["type"] === undefined) && item["role"] === "assistant";

/**
 * Removes the id of an item whose reasoning is not in the input, because the API uses the id to look up the reasoning.
 * This is certain if the reasoning was removed, and possible for any call or message of a reasoning model without
 * reasoning in the input.
 */
function dropId(source: Source, reasoned: Reasoned, { profile, journal }: Context): void {
  const item = source.mended;
  if (reasoned === "there" || !isRecord(item) || idOf(item) === undefined || !mayOmitId(item)) return;
  const isDependent = item["type"] === "function_call" || isMessage(item);
  if (reasoned === "none" && !(profile.reasons && isDependent)) return;
  const message = "The item has an id, but the reasoning that produced it is missing.";
  const isSure = reasoned === "gone" || item["type"] === "function_call";
  const finding = { rule: "missing-reasoning" as const, message, ...(isSure ? {} : { confidence: "likely" as const }) };
  journal.note({ source, suffix: ".id" }, finding, { type: "remove" });
  source.mended = withoutKeys(item, ["id"]);
}
