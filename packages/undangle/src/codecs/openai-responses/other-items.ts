import { damageOf, isRecord, wrapRaw } from "#core";
import type { Source } from "#core";

import type { Context } from "./context.ts";
import type { Item } from "./item.ts";

/** The arguments of a tool search must be an object, not text. */
export function mendSearch(item: Item, source: Source, { journal }: Context): Item {
  const given = item["arguments"];
  if (isRecord(given) || given === undefined || given === null) return item;
  const text = typeof given === "string" ? given : (JSON.stringify(given) ?? "");
  const value: unknown = text.trim() === "" ? {} : damageOf(text) === undefined ? JSON.parse(text) : wrapRaw(text);
  const finding = { rule: "arguments-type" as const, message: "The arguments of a tool search must be an object." };
  journal.note({ source, suffix: ".arguments" }, finding, { type: "rewrite" });
  return { ...item, arguments: value };
}
