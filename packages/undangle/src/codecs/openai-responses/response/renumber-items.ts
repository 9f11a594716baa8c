import { isRecord } from "#core";
import type { JsonObject } from "#core";

import type { ClientView } from "./client-view.ts";

/** An event with the index and id of the client's item, and the id of its response. */
export function retarget(
  value: JsonObject,
  { items, response: sent }: ClientView,
  places: Map<unknown, number>,
): JsonObject {
  const { type, output_index: index, item_id: id, item, response } = value;
  if (isRecord(response)) {
    const named = sent === undefined ? response : { ...response, id: sent["id"] };
    return { ...value, response: items.size() === 0 ? { ...named, output: [] } : named };
  }
  if (type === "response.output_item.added") {
    if (!isRecord(item)) return value;
    const place = items.size();
    if (index !== place) places.set(index, place);
    const isFree = typeof item["id"] === "string" && item["id"] !== "" && items.withId(item["id"]) === undefined;
    const start = item["type"] === "message" ? { content: [] } : item["type"] === "reasoning" ? { summary: [] } : {};
    const own = isFree ? {} : { id: `${itemPrefixes[String(item["type"])] ?? "item"}_${place}` };
    return { ...value, output_index: place, item: { ...item, ...start, ...own } };
  }
  if (index === undefined && id === undefined && !isRecord(item)) return value;
  const placed = typeof index === "number" ? (places.get(index) ?? index) : items.withId(id)?.index;
  const place = placed === undefined || placed < 0 ? items.size() - 1 : placed;
  const known = items.at(place);
  if (known === undefined) return value;
  const named = isRecord(item) ? { item: { ...item, id: known.id } } : { item_id: known.id };
  return { ...value, output_index: place, ...named };
}

/** The prefixes of item ids. */
export const itemPrefixes: Readonly<Record<string, string>> = {
  message: "msg",
  reasoning: "rs",
  function_call: "fc",
  custom_tool_call: "ctc",
};
