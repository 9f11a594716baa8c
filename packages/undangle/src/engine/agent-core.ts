import { UndangleError } from "#core";

import type { Agent } from "./agent.ts";
import type { AgentOptions } from "./agent-options.ts";
import type { ThreadActor } from "./thread/thread-actor.ts";

/** The key of the part of an agent that only the engine uses. */
export const agentCore = Symbol("agent core");

/** What the engine needs to know about an agent that runs calls of another one. */
export interface AgentCore {
  readonly options: AgentOptions;
  readonly actorOf: (threadId: string) => ThreadActor;
}

/** Throws for a value that is not the result of `createAgent()`. */
export function coreOf(agent: Agent): AgentCore {
  const { [agentCore]: core } = agent as Agent & { readonly [agentCore]?: AgentCore };
  if (core !== undefined) return core;
  throw new UndangleError("options/value", { option: "agent", value: agent, allowed: ["a result of createAgent()"] });
}

/** The options with which an agent was created. */
export const agentOptions = (agent: Agent): AgentOptions => coreOf(agent).options;
