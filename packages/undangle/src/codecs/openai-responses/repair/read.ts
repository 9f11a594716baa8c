import { isRecord, staysText, wordOf, wrapRaw } from "#core";
import type { Entry, Source } from "#core";

import { dropNothing } from "../../plain-list.ts";
import { readCall } from "./calls.ts";
import { clientCallIds, setClientAnswersApart } from "../client-tools.ts";
import type { Context } from "./context.ts";
import type { Fate } from "./copies.ts";
import { fitItemId, settleItemIds } from "./item-ids.ts";
import { dropForeignKeys, mendType } from "./item-type.ts";
import { idOf, isCall, isMessage, isOutput, sideOf, withoutKeys } from "./item.ts";
import type { Item } from "./item.ts";
import { readMessage } from "./messages.ts";
import { plain } from "./plain.ts";
import { readResult } from "./results.ts";
import { setStoredApart } from "./stored-outputs.ts";

/** Reads a range of items as entries that the API accepts, one per item. */
export function readResponses(list: readonly unknown[], start: number, end: number, context: Context): Entry[] {
  const copies = context.copies();
  const entries: Entry[] = [];
  for (let index = start; index < end; index++) {
    const wire = list[index];
    const source: Source = { index, wire, mended: wire, entries: 1, at: -1 };
    for (const entry of readItem(source, copies.get(index), context)) entries.push(entry);
  }
  return entries;
}

/** Settles which ids of outputs and calls belong together. Undefined if that depends on items that were not read. */
export function settleIds(
  entries: readonly Entry[],
  list: readonly unknown[],
  context: Context,
): readonly Entry[] | undefined {
  const called = clientCallIds(list);
  const isStored = context.isStored();
  if ((called.size > 0 || isStored) && entries.some(({ role }) => role === "span")) return undefined;
  const paired = setClientAnswersApart(entries, called);
  settleItemIds(paired, context);
  return isStored ? setStoredApart(paired, context) : paired;
}

function readItem(source: Source, fate: Fate | undefined, context: Context): readonly Entry[] {
  const { wire } = source;
  if (dropNothing(source, "unknown-block", context.journal)) return [];
  const typed = isRecord(wire) ? mendType(wire, source, context) : undefined;
  if (typed === undefined) {
    if (!isRecord(wire)) {
      const got = wire === null ? "null" : Array.isArray(wire) ? "an array" : `a ${typeof wire}`;
      const message = `The item is ${got}, not an object.`;
      context.journal.note({ source, suffix: "" }, { rule: "unknown-block", message });
    }
    return [plain("system", source)]; // its meaning is unclear, so it stays in place
  }
  source.mended = typed;
  if (fate === "copy" && typed["type"] !== "reasoning") {
    const finding = { rule: "duplicate-item" as const, message: `The item ${wordOf(typed["id"])} appears twice.` };
    context.journal.note({ source, suffix: "" }, finding, { type: "remove" });
    return [];
  }
  const own = fate === "namesake" ? dropTakenId(typed, source, context) : typed;
  const item = fitItemId(dropForeignKeys(own, source, context), source, context);
  source.mended = item;
  if (isMessage(item)) return readMessage(item, source, context);
  if (isCall(item)) return [readCall(item, source, context)];
  if (isOutput(item)) return [readResult(item, source, context)];
  if (item["type"] === "tool_search_call") source.mended = mendSearch(item, source, context);
  if (item["type"] === "reasoning") doom(item, fate, source, context);
  return [plain(sideOf(wordOf(item["type"])) ?? "system", source)];
}

/** Removes an id that another item has. */
function dropTakenId(item: Item, source: Source, { journal }: Context): Item {
  const message = `The id ${wordOf(item["id"])} is the id of another item.`;
  journal.note({ source, suffix: ".id" }, { rule: "duplicate-item", message }, { type: "remove" });
  return withoutKeys(item, ["id"]);
}

/** Records reasoning that must be removed. The final decision depends on the items after it. */
function doom(item: Item, fate: Fate | undefined, source: Source, { doomed, profile }: Context): void {
  const token = item["encrypted_content"];
  if (fate === "copy") {
    const message = `The item ${wordOf(idOf(item))} appears twice.`;
    doomed.set(source, { finding: { rule: "duplicate-item", message }, lossless: true });
  } else if (typeof token === "string" ? token !== "" && !profile.token.test(token) : Boolean(token)) {
    const message = "encrypted_content is not a token that the API returned.";
    doomed.set(source, { finding: { rule: "encrypted-reasoning", message }, lossless: false });
  }
}

/** The arguments of a tool search must be an object, not text. */
function mendSearch(item: Item, source: Source, { journal }: Context): Item {
  const given = item["arguments"];
  if (isRecord(given) || given === undefined || given === null) return item;
  const text = typeof given === "string" ? given : (JSON.stringify(given) ?? "");
  const value: unknown = text.trim() === "" ? {} : staysText(text) ? wrapRaw(text) : JSON.parse(text);
  const finding = { rule: "arguments-type" as const, message: "The arguments of a tool search must be an object." };
  journal.note({ source, suffix: ".arguments" }, finding, { type: "rewrite" });
  return { ...item, arguments: value };
}
