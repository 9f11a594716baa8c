import type { Agent, AgentHost, AnyTool, ChildEnd, Middleware, ToolContext } from "#engine";
import { agentOptions, defineMiddleware, tool } from "#engine";
import type { Language } from "#core";

import { availableAgents, subagentTexts } from "./subagent-texts.ts";
import { readOptions } from "./subagent-specs.ts";
import type { SpecifiedAgent, Subagent, SubagentsOptions } from "./subagent-specs.ts";

const toolName = "task";

/**
 * Lets a model delegate work to other agents: each call of `task` runs one of them on a thread of its own, with nothing
 * of this conversation but the description of the task. The result is its last message.
 */
export function subagents(options: SubagentsOptions = {}): Middleware {
  const settings = readOptions(options);
  const { maxDepth, description } = settings;
  return defineMiddleware({
    name: "subagents",
    tools: (_own, host) => {
      const { language = "en" } = host.options;
      const list = settings.agents(language);
      const agents = new Map(list.map((each) => [each.name, childAgent(each, host, settings.defaults)]));
      return [taskTool({ list, agents, language, description })];
    },
    wrapModelCall:
      (next) =>
      (request, { depth }) =>
        next(
          depth < maxDepth ? request : { ...request, tools: request.tools.filter(({ name }) => name !== toolName) }, // the engine refuses hidden tools
        ),
  });
}

/** The agent that runs tasks of a type. Undefined if a function runs them. */
function childAgent(
  subagent: Subagent,
  { options: parent, createChild }: AgentHost,
  defaults: (agent: SpecifiedAgent) => readonly Middleware[],
): Agent | undefined {
  if ("run" in subagent) return undefined;
  if ("agent" in subagent) {
    const { store: _store, now: _now, ...own } = agentOptions(subagent.agent);
    return createChild(own);
  }
  const { name, instructions, model, tools, middleware = [], approvals, output, limits } = subagent;
  const inherited = (parent.approvals ?? []).map((rule) => ({ ...rule, optional: true })); // a child may lack the tools that a rule names
  const denied = inherited.filter((rule) => "deny" in rule && rule.deny === true);
  return createChild({
    model: model ?? parent.model,
    instructions,
    tools: tools ?? parent.tools,
    approvals: approvals === undefined ? inherited : [...denied, ...approvals],
    middleware: [...defaults(subagent), ...middleware],
    limits: { ...parent.limits, ...limits },
    ...(parent.name !== undefined && { name }),
    ...(output !== undefined && { output }),
  });
}

interface TaskTool {
  readonly list: readonly Subagent[];
  readonly agents: ReadonlyMap<string, Agent | undefined>;
  readonly language: Language;
  readonly description: string | undefined;
}

function taskTool({ list, agents, language, description }: TaskTool): AnyTool {
  const texts = subagentTexts[language];
  return tool({
    name: toolName,
    title: texts.title,
    description: (description ?? texts.description).split("{available_agents}").join(availableAgents(list)),
    input: {
      type: "object",
      additionalProperties: false,
      properties: {
        description: { type: "string", pattern: "\\S", description: texts.task },
        subagent_type: { type: "string", enum: list.map(({ name }) => name), description: texts.type },
      },
      required: ["description", "subagent_type"],
    },
    annotations: { readOnly: list.every((each) => !("run" in each)) }, // what an agent does is judged by the rules of its own calls
    agent: ({ subagent_type: type }) => agents.get(type),
    async execute({ description: task, subagent_type: type }, context) {
      const subagent = list.find(({ name }) => name === type);
      if (subagent !== undefined && "run" in subagent)
        return functionResult(await subagent.run(task, context), type, context);
      return taskResult(await context.runChild(task), type, context);
    },
  });
}

/** The result of a function for the model. Text is treated as that of an agent: an empty one is no answer. */
function functionResult(result: unknown, type: string, { language }: ToolContext): unknown {
  const text = result ?? "";
  return typeof text === "string" ? text.trimEnd() || subagentTexts[language].noText(type) : text;
}

/** The result of a task for the model. A task that did not finish is an error, with the last text of its agent. */
function taskResult({ status, text, output, error }: ChildEnd, type: string, { language }: ToolContext): string {
  const texts = subagentTexts[language];
  if (status === "done") return output === undefined ? text || texts.noText(type) : JSON.stringify(output);
  const reason = error?.message ?? texts.stopped;
  throw new Error(texts.unfinished(type, reason) + (text === "" ? "" : `\n\n${texts.lastText}\n${text}`));
}
