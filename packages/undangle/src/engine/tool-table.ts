import { isRecord, UndangleError } from "#core";

import type { Tool } from "./tool.ts";

/** The tools of an agent by their names. */
export type ToolTable = ReadonlyMap<string, Tool>;

/** Puts tools in a table. Two of one name are refused with the places of both: a model could not tell them apart. */
export function toolTable(tools: readonly Tool[], placeOf = (index: number): string => `tools[${index}]`): ToolTable {
  const table = new Map<string, Tool>();
  const places = new Map<string, string>();
  tools.forEach((tool, index) => {
    const place = placeOf(index);
    if (!isTool(tool)) {
      throw new UndangleError("options/value", { option: place, value: tool, allowed: ["what tool() gives"] });
    }
    const { name } = tool;
    const first = places.get(name);
    if (first !== undefined) throw new UndangleError("tool/duplicate", { name, places: [first, place] });
    places.set(name, place);
    table.set(name, tool);
  });
  return table;
}

/** Callers may know no types. */
const isTool = (tool: unknown): boolean =>
  isRecord(tool) && ["execute", "validate"].every((key) => typeof tool[key] === "function") && isRecord(tool["schema"]);
