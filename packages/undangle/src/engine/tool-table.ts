import { isRecord, UndangleError } from "#core";

import type { Tool } from "./tool.ts";

/** The tools of an agent by name. */
export type ToolTable = ReadonlyMap<string, Tool>;

/** Creates a table of tools. Throws for duplicate names, with the positions of both tools. */
export function toolTable(tools: readonly Tool[], placeOf = (index: number): string => `tools[${index}]`): ToolTable {
  const table = new Map<string, Tool>();
  const places = new Map<string, string>();
  tools.forEach((tool, index) => {
    const place = placeOf(index);
    if (!isTool(tool)) {
      throw new UndangleError("options/value", { option: place, value: tool, allowed: ["the result of tool()"] });
    }
    const { name } = tool;
    const first = places.get(name);
    if (first !== undefined) throw new UndangleError("tool/duplicate", { name, places: [first, place] });
    places.set(name, place);
    table.set(name, tool);
  });
  return table;
}

/** Validates a custom tool of a caller without types, so that errors do not occur in the middle of a run. */
export function isTool(tool: unknown): boolean {
  if (!isRecord(tool)) return false;
  const { name, description, schema, execute, validate, retries, timeout } = tool;
  const isNamed = typeof name === "string" && typeof description === "string" && isRecord(schema);
  const canRun = typeof execute === "function" && typeof validate === "function";
  const isCounted = isRecord(retries) && typeof retries["times"] === "number" && typeof retries["delay"] === "number";
  return isNamed && canRun && isCounted && (timeout === undefined || typeof timeout === "number");
}
