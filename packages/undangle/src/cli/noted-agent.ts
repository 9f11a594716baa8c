import { isRecord, UndangleError } from "#core";
import type { Agent, FoundThread, Thread } from "#engine";

/** The agents that have responded in a thread, from its `meta`: those of this program, and personas of the server. */
export function notedAgents({ meta }: Pick<FoundThread, "meta">): readonly string[] {
  const server = meta["undangle/server"];
  return [meta["agent"], isRecord(server) ? server["persona"] : undefined].filter((name) => typeof name === "string");
}

/** The agent that responded in a thread before, if it is another agent. */
export async function otherAgent(thread: string, agent: NamedAgent): Promise<string | undefined> {
  const found = await agent.agent.find(thread);
  const noted = found === undefined ? [] : notedAgents(found);
  return noted.includes(agent.name) ? undefined : noted[0];
}

/** An agent and its recorded name. */
export interface NamedAgent {
  readonly name: string;
  readonly agent: Agent;
}

/** Records the agent of a thread, so that other commands resume it with the same agent. */
export async function noteAgent(thread: Thread, { name, agent }: NamedAgent): Promise<void> {
  try {
    const found = await agent.find(thread.id);
    if (found?.meta["agent"] !== name) await thread.describe({ meta: { agent: name } });
  } catch (error) {
    if (!(error instanceof UndangleError)) throw error; // only a note: the run itself reports a problem
  }
}
