import { isRecord, suggest, UndangleError } from "#core";
import type { AnyTool, ToolSource } from "#engine";

import type { AgentConfig, Config } from "./config.ts";
import { showKey } from "./find-key.ts";
import type { KeyPath } from "./find-key.ts";

type Given = NonNullable<AgentConfig["tools"]>;

/** The tools of an agent. Names refer to tools of the config. */
export function toolsOf(
  given: Given,
  { tools: own = [] }: Config,
  { key, placeOf }: Where,
): readonly (AnyTool | ToolSource)[] {
  const table = new Map(own.flatMap(toolsIn).map((tool): [string, AnyTool] => [tool.name, tool]));
  return given.map((each, i) => {
    if (typeof each !== "string") return each;
    const tool = table.get(each);
    if (tool !== undefined) return tool;
    throw unknownTool(each, [...table.keys()], { key: [...key, i], placeOf });
  });
}

/** The tools of all agents and personas, which may share approval rules. */
export const everyTool = ({ tools = [], agents = {}, personas = [] }: Config): readonly (AnyTool | ToolSource)[] =>
  [...tools, ...[...Object.values(agents), ...personas].flatMap((each) => each.tools ?? [])].filter(
    (each) => typeof each !== "string",
  );

/**
 * The approval rules of an agent. A rule with a tool that no agent of the config has is refused, because it would guard
 * nothing. A rule with a tool of another agent is optional here. Patterns, and tools of sources and middleware, are
 * known later.
 */
export function rulesOf(
  { approvals, middleware = [] }: AgentConfig,
  tools: readonly (AnyTool | ToolSource)[],
  { key, placeOf }: Where,
): AgentConfig["approvals"] {
  const hasSource = tools.some((each) => "tools" in each);
  const bringsTools = middleware.some((each) => each.tools !== undefined);
  const known = [...new Set(tools.flatMap(toolsIn).map(({ name }) => name))];
  return approvals?.map((rule, i) => {
    if (!isRecord(rule)) return rule; // createAgent refuses it
    const name = [rule.tools]
      .flat()
      .find((each: unknown) => typeof each === "string" && !each.includes("*") && !known.includes(each));
    if (name === undefined || hasSource) return { ...rule, optional: true };
    if (bringsTools || rule.optional === true) return rule; // createAgent knows those of middleware
    throw unknownTool(name, known, { key: [...key, i, "tools"], placeOf });
  });
}

interface Where {
  readonly key: KeyPath;
  readonly placeOf: (key: KeyPath) => string;
}

function unknownTool(name: string, known: readonly string[], { key, placeOf }: Where): UndangleError {
  const nearest = suggest(name, known);
  const at = { place: placeOf(key), key: showKey(key) };
  return new UndangleError("config/name", {
    ...at,
    kind: "tool",
    name,
    known,
    ...(nearest !== undefined && { nearest }),
  });
}

const toolsIn = (given: AnyTool | ToolSource): readonly AnyTool[] => ("tools" in given ? given.tools() : [given]);
