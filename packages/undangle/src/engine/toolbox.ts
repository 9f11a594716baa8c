import { copyJson, isRecord, UndangleError } from "#core";
import type { ToolDescription } from "#model";

import type { Logger } from "./logger.ts";
import type { AnyTool, Tool } from "./tool.ts";

/** The current tools of an agent. */
export interface Toolbox {
  readonly table: () => ToolTable;
  /** The tools as models receive them. */
  readonly descriptions: () => readonly ToolDescription[];
  /** True for the name of a tool from a source. */
  readonly isOfSource: (name: string) => boolean;
}

/** An entry of the `tools` option. */
export interface ToolEntry {
  readonly place: string;
  readonly given: AnyTool | ToolSource;
}

/**
 * Combines tools and sources in one table, and rebuilds it when a source changes. Duplicate names throw here. If a
 * source adds a duplicate later, the new tool is omitted, because calls of the existing one may be running.
 */
export function createToolbox(entries: readonly ToolEntry[], logger: Logger): Toolbox {
  const lists = entries.map(({ given }) => (isToolSource(given) ? given.tools() : [given]));
  const first = entries.flatMap((entry, i) => candidatesOf(entry, i, lists[i]));
  const table = toolTable(
    first.map(({ tool }) => tool),
    (index) => first[index]?.place ?? "",
  );
  const toolSet = toolSetOf(table);
  if (!entries.some(({ given }) => isToolSource(given)))
    return { table: () => toolSet.table, descriptions: () => toolSet.descriptions, isOfSource: () => false };
  const current = createRefresh(entries, { lists, first, toolSet, logger });
  const fixed = new Set(entries.flatMap(({ given }) => (isToolSource(given) ? [] : [given.name])));
  return {
    table: () => current().table,
    descriptions: () => current().descriptions,
    isOfSource: (name) => !fixed.has(name) && current().table.has(name),
  };
}

interface ToolSet {
  readonly table: ToolTable;
  readonly descriptions: readonly ToolDescription[];
}

const toolSetOf = (table: ToolTable): ToolSet => ({
  table,
  descriptions: [...table.values()].map(({ name, description, schema }) => ({
    name,
    description,
    schema: Object.isFrozen(schema) ? schema : copyJson(schema), // hooks get it frozen, and a custom tool keeps its own schema
  })),
});

/** A tool, and the entry that it comes from. */
interface Candidate {
  readonly tool: Tool;
  readonly place: string;
  readonly entry: number;
}

function candidatesOf({ given, place }: ToolEntry, entry: number, list: readonly AnyTool[] = []): readonly Candidate[] {
  const tools = list as readonly Tool[]; // each tool only gets arguments that it has validated
  if (!isToolSource(given)) return tools.map((tool) => ({ tool, place, entry }));
  return tools.map((tool, i) => ({ tool, place: `${place}.tools()[${i}]`, entry }));
}

interface Known {
  readonly lists: readonly (readonly AnyTool[])[];
  readonly first: readonly Candidate[];
  readonly toolSet: ToolSet;
  readonly logger: Logger;
}

/** Checks whether a source has changed, and returns the current tools. */
function createRefresh(entries: readonly ToolEntry[], known: Known): () => ToolSet {
  const { first, logger } = known;
  let { lists, toolSet } = known;
  let owners: ReadonlyMap<string, number> = new Map(first.map(({ tool, entry }) => [tool.name, entry]));
  let leftOut: ReadonlySet<string> = new Set();
  return () => {
    const now = entries.map((entry, i) => listNow(entry, lists[i] ?? [], logger));
    if (now.every((list, i) => list === lists[i])) return toolSet;
    lists = now;
    const candidates = entries.flatMap((entry, i) => candidatesOf(entry, i, now[i]));
    const chosen = choose(candidates, owners);
    const others = candidates.filter((each) => !isTool(each.tool) || chosen.get(each.tool.name) !== each);
    const why = new Map(others.map(({ tool, place }) => [isTool(tool) ? tool.name : "", place]));
    for (const [name, place] of why) {
      if (!leftOut.has(name)) logger.warn({ tool: name, place }, name === "" ? noTool : nameTaken);
    }
    leftOut = new Set(why.keys());
    // A name stays with its first entry, because a call of that tool may be pending.
    owners = new Map([...[...chosen].map(([name, { entry }]): [string, number] => [name, entry]), ...owners]);
    toolSet = toolSetOf(new Map([...chosen].map(([name, { tool }]) => [name, tool])));
    return toolSet;
  };
}

const nameTaken = "A tool was ignored because another tool has its name";
const noTool = "A tool was ignored because it is not a result of tool()";

/** The current tools of a source, or the previous ones if it fails. */
function listNow({ given, place }: ToolEntry, before: readonly AnyTool[], logger: Logger): readonly AnyTool[] {
  if (!isToolSource(given)) return before;
  try {
    return given.tools();
  } catch (error) {
    logger.warn({ place, err: error }, "A source of tools failed; its previous tools are kept");
    return before;
  }
}

/** For each name, the tool of the entry that had the name first. */
function choose(candidates: readonly Candidate[], owners: ReadonlyMap<string, number>): ReadonlyMap<string, Candidate> {
  const chosen = new Map<string, Candidate>();
  for (const each of candidates) {
    if (!isTool(each.tool)) continue;
    const { name } = each.tool;
    if (!chosen.has(name) && (owners.get(name) ?? each.entry) === each.entry) chosen.set(name, each);
  }
  return chosen;
}

/**
 * Tools that may change during the life of an agent, such as those of an MCP server. It is an entry of the agent's
 * tools.
 */
export interface ToolSource {
  /** The current tools. The same list as long as nothing has changed. */
  readonly tools: () => readonly AnyTool[];
}

export const isToolSource = (value: unknown): value is ToolSource =>
  isRecord(value) && typeof value["tools"] === "function" && typeof value["execute"] !== "function";

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
