import { isRecord, UndangleError } from "#core";
import type { Language } from "#core";
import type { PermissionRule } from "#files";
import type { Agent, AgentOptions, Middleware, ToolContext } from "#engine";

import { subagentTexts } from "./subagent-texts.ts";

export interface SubagentsOptions {
  readonly agents?: readonly Subagent[] | undefined;
  /** The agent for tasks of any kind. False removes it, an object changes it. An agent with its name replaces it. */
  readonly generalPurpose?: boolean | Partial<Omit<SpecifiedAgent, "name">> | undefined;
  /** Replaces the description of the tool. `{available_agents}` is replaced by the list of agents. */
  readonly description?: string | undefined;
  /** Middleware of every specified agent, before its own. */
  readonly defaults?: readonly Middleware[] | ((agent: SpecifiedAgent) => readonly Middleware[]) | undefined;
  /** How deep agents may delegate. At this depth the tool is not offered. 2 by default. */
  readonly maxDepth?: number | undefined;
}

/** An agent that tasks can name. */
export type Subagent = SpecifiedAgent | ReadyAgent | TaskFunction;

interface Named {
  /** What the model writes in `subagent_type`. */
  readonly name: string;
  /** When to use it. The model knows nothing else about it. */
  readonly description: string;
}

/** An agent that inherits what it does not specify from the agent that delegates. */
export interface SpecifiedAgent extends Named {
  readonly instructions: string;
  readonly model?: AgentOptions["model"] | undefined;
  readonly tools?: AgentOptions["tools"];
  /** After the default middleware. */
  readonly middleware?: readonly Middleware[] | undefined;
  /** Replaces the rules of the parent, except those that deny calls. */
  readonly approvals?: AgentOptions["approvals"];
  /** The schema of its answer. The result of a task is then JSON. */
  readonly output?: AgentOptions["output"];
  /** Replaces limits of the parent. */
  readonly limits?: AgentOptions["limits"];
  /** Rules for its files, in addition to those of the parent. For `createDeepAgent()`, or `defaults` that use them. */
  readonly permissions?: readonly PermissionRule[] | undefined;
  /** False if `permissions` replace those of the parent. */
  readonly inherit?: boolean | undefined;
  /** Folders with its skills. For `createDeepAgent()`, or `defaults` that use them. */
  readonly skills?: readonly string[] | undefined;
}

/** An agent from `createAgent()`, with its own options. Its threads are in the store of the agent that delegates. */
export interface ReadyAgent extends Named {
  readonly agent: Agent;
}

/** A function in place of an agent. It has no thread, so a crash loses its task. */
export interface TaskFunction extends Named {
  readonly run: (description: string, context: ToolContext) => unknown;
}

export interface SubagentsSettings {
  readonly agents: (language: Language) => readonly Subagent[];
  readonly description: string | undefined;
  readonly defaults: (agent: SpecifiedAgent) => readonly Middleware[];
  readonly maxDepth: number;
}

export const generalPurposeName = "general-purpose";

/** Validates options and applies their defaults. */
export function readOptions(options: SubagentsOptions): SubagentsSettings {
  if (!isRecord(options)) throw invalid("options", options, "an object");
  const unknown = Object.keys(options).find((option) => !optionNames.includes(option));
  if (unknown !== undefined) throw new UndangleError("options/unknown", { option: unknown, allowed: optionNames });
  const { agents = [], generalPurpose = true, description, defaults = [], maxDepth = 2 } = options as SubagentsOptions;
  const isList = (value: unknown): boolean => Array.isArray(value);
  if (!isList(agents)) throw invalid("agents", agents, "a list of agents");
  agents.forEach((agent, i) => checkAgent(agent, `agents[${i}]`));
  if (typeof generalPurpose !== "boolean" && !isRecord(generalPurpose))
    throw invalid("generalPurpose", generalPurpose, "true, false or an object");
  if (description !== undefined && typeof description !== "string")
    throw invalid("description", description, "a string");
  if (!isList(defaults) && typeof defaults !== "function")
    throw invalid("defaults", defaults, "a list of middleware or a function");
  if (!Number.isSafeInteger(maxDepth) || maxDepth < 1)
    throw invalid("maxDepth", maxDepth, "a whole number of at least 1");
  const unused =
    typeof defaults === "function" ? -1 : agents.findIndex((agent) => fileKeys.some((key) => key in agent));
  if (unused !== -1)
    throw invalid(
      `agents[${unused}]`,
      agents[unused],
      "permissions and skills only if defaults is a function that uses them",
    );
  const names = agents.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw invalid("agents", names, `different names: ${JSON.stringify(twice)} occurs twice`);
  const hasGeneral = generalPurpose !== false && !names.includes(generalPurposeName);
  if (!hasGeneral && agents.length === 0)
    throw invalid("agents", agents, "at least one agent, or leave generalPurpose on");
  return {
    agents: (language) => (hasGeneral ? [generalAgent(generalPurpose, language), ...agents] : agents),
    description,
    defaults: typeof defaults === "function" ? defaults : () => defaults,
    maxDepth,
  };
}

const optionNames = ["agents", "generalPurpose", "description", "defaults", "maxDepth"];

function generalAgent(changes: true | Partial<SpecifiedAgent>, language: Language): SpecifiedAgent {
  const { description, instructions } = subagentTexts[language].generalPurpose;
  return { description, instructions, ...(changes === true ? {} : changes), name: generalPurposeName };
}

const fileKeys = ["permissions", "inherit", "skills"];
const specifiedKeys = ["instructions", "model", "tools", "middleware", "approvals", "output", "limits", ...fileKeys];

function checkAgent(agent: unknown, place: string): void {
  if (!isRecord(agent)) throw invalid(place, agent, "an object with a name and a description");
  for (const key of ["name", "description"])
    if (typeof agent[key] !== "string" || agent[key].trim() === "")
      throw invalid(`${place}.${key}`, agent[key], "a non-empty string");
  const kind = ["agent", "run", "instructions"].find((key) => agent[key] !== undefined);
  if (kind === undefined) throw invalid(`${place}.instructions`, undefined, "a string (or give agent or run)");
  if (kind === "run" && typeof agent["run"] !== "function") throw invalid(`${place}.run`, agent["run"], "a function");
  if (kind === "instructions" && typeof agent["instructions"] !== "string")
    throw invalid(`${place}.instructions`, agent["instructions"], "a string");
  const allowed = ["name", "description", ...(kind === "instructions" ? specifiedKeys : [kind])];
  const odd = Object.keys(agent).find((key) => agent[key] !== undefined && !allowed.includes(key));
  if (odd !== undefined) throw new UndangleError("options/unknown", { option: `${place}.${odd}`, allowed });
}

const invalid = (option: string, value: unknown, allowed: string): UndangleError =>
  new UndangleError("options/value", { option, value, allowed: [allowed] });
