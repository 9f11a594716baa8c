import { copyJson } from "#core";
import type { ToolDescription } from "#model";

import type { Logger } from "./logger.ts";
import { isToolSource } from "./tool-source.ts";
import type { ToolSource } from "./tool-source.ts";
import { isTool, toolTable } from "./tool-table.ts";
import type { ToolTable } from "./tool-table.ts";
import type { AnyTool, Tool } from "./tool.ts";

/** The tools that an agent has at the moment. */
export interface Toolbox {
  readonly table: () => ToolTable;
  /** As models are told of them. */
  readonly descriptions: () => readonly ToolDescription[];
  /** True for the name of a tool that a source brings. */
  readonly isOfSource: (name: string) => boolean;
}

/** An entry of the options. */
export interface ToolEntry {
  readonly place: string;
  readonly given: AnyTool | ToolSource;
}

/**
 * Makes one table of tools and of sources of tools, and another one when a source has changed. Two tools of one name are refused
 * here; of two that meet later the newcomer is left out, because calls of the other may be under way.
 */
export function createToolbox(entries: readonly ToolEntry[], logger: Logger): Toolbox {
  const lists = entries.map(({ given }) => (isToolSource(given) ? given.tools() : [given]));
  const first = entries.flatMap((entry, i) => candidatesOf(entry, i, lists[i]));
  const table = toolTable(
    first.map(({ tool }) => tool),
    (index) => first[index]?.place ?? "",
  );
  const shelf = shelfOf(table);
  if (!entries.some(({ given }) => isToolSource(given)))
    return { table: () => shelf.table, descriptions: () => shelf.descriptions, isOfSource: () => false };
  const look = createLook(entries, { lists, first, shelf, logger });
  const fixed = new Set(entries.flatMap(({ given }) => (isToolSource(given) ? [] : [given.name])));
  return {
    table: () => look().table,
    descriptions: () => look().descriptions,
    isOfSource: (name) => !fixed.has(name) && look().table.has(name),
  };
}

interface Shelf {
  readonly table: ToolTable;
  readonly descriptions: readonly ToolDescription[];
}

const shelfOf = (table: ToolTable): Shelf => ({
  table,
  descriptions: [...table.values()].map(({ name, description, schema }) => ({
    name,
    description,
    schema: Object.isFrozen(schema) ? schema : copyJson(schema), // hooks get it frozen, and a tool by hand keeps its own
  })),
});

/** A tool, and which entry it comes from. */
interface Candidate {
  readonly tool: Tool;
  readonly place: string;
  readonly entry: number;
}

function candidatesOf({ given, place }: ToolEntry, entry: number, list: readonly AnyTool[] = []): readonly Candidate[] {
  const tools = list as readonly Tool[]; // each is given only what it has validated
  if (!isToolSource(given)) return tools.map((tool) => ({ tool, place, entry }));
  return tools.map((tool, i) => ({ tool, place: `${place}.tools()[${i}]`, entry }));
}

interface Known {
  readonly lists: readonly (readonly AnyTool[])[];
  readonly first: readonly Candidate[];
  readonly shelf: Shelf;
  readonly logger: Logger;
}

/** Looks whether a source has changed, and gives what there is then. */
function createLook(entries: readonly ToolEntry[], known: Known): () => Shelf {
  const { first, logger } = known;
  let { lists, shelf } = known;
  let owners: ReadonlyMap<string, number> = new Map(first.map(({ tool, entry }) => [tool.name, entry]));
  let leftOut: ReadonlySet<string> = new Set();
  return () => {
    const now = entries.map((entry, i) => listNow(entry, lists[i] ?? [], logger));
    if (now.every((list, i) => list === lists[i])) return shelf;
    lists = now;
    const candidates = entries.flatMap((entry, i) => candidatesOf(entry, i, now[i]));
    const chosen = choose(candidates, owners);
    const others = candidates.filter((each) => !isTool(each.tool) || chosen.get(each.tool.name) !== each);
    const why = new Map(others.map(({ tool, place }) => [isTool(tool) ? tool.name : "", place]));
    for (const [name, place] of why) {
      if (!leftOut.has(name)) logger.warn({ tool: name, place }, name === "" ? noTool : nameTaken);
    }
    leftOut = new Set(why.keys());
    // A name stays with the entry that had it first: a call of it may wait for a person.
    owners = new Map([...[...chosen].map(([name, { entry }]): [string, number] => [name, entry]), ...owners]);
    shelf = shelfOf(new Map([...chosen].map(([name, { tool }]) => [name, tool])));
    return shelf;
  };
}

const nameTaken = "A tool was ignored because another tool has its name";
const noTool = "A tool was ignored because it is not a result of tool()";

/** What a source has now; what it had when it cannot say. */
function listNow({ given, place }: ToolEntry, before: readonly AnyTool[], logger: Logger): readonly AnyTool[] {
  if (!isToolSource(given)) return before;
  try {
    return given.tools();
  } catch (error) {
    logger.warn({ place, err: error }, "A source of tools failed; its previous tools are kept");
    return before;
  }
}

/** For each name the tool of the entry that had it first. */
function choose(candidates: readonly Candidate[], owners: ReadonlyMap<string, number>): ReadonlyMap<string, Candidate> {
  const chosen = new Map<string, Candidate>();
  for (const each of candidates) {
    if (!isTool(each.tool)) continue;
    const { name } = each.tool;
    if (!chosen.has(name) && (owners.get(name) ?? each.entry) === each.entry) chosen.set(name, each);
  }
  return chosen;
}
