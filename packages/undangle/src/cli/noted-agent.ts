import { isRecord, UndangleError } from "#core";
import type { Agent, FoundThread, Thread } from "#engine";

/** Who has answered in a thread, as programs note it in its `meta`: this one, and the server for its personas. */
export function notedAgents({ meta }: Pick<FoundThread, "meta">): readonly string[] {
  const server = meta["undangle/server"];
  return [meta["agent"], isRecord(server) ? server["persona"] : undefined].filter((name) => typeof name === "string");
}

/** The agent that answered in a thread so far, where that is another one. */
export async function otherAgent(thread: string, agent: NamedAgent): Promise<string | undefined> {
  const found = await agent.agent.find(thread);
  const noted = found === undefined ? [] : notedAgents(found);
  return noted.includes(agent.name) ? undefined : noted[0];
}

/** An agent, and the name that is noted of it. */
export interface NamedAgent {
  readonly name: string;
  readonly agent: Agent;
}

/** Notes who answers in a thread, so that other commands go on with the same agent. */
export async function noteAgent(thread: Thread, { name, agent }: NamedAgent): Promise<void> {
  try {
    const found = await agent.find(thread.id);
    if (found?.meta["agent"] !== name) await thread.describe({ meta: { agent: name } });
  } catch (error) {
    if (!(error instanceof UndangleError)) throw error; // it is only a note: whoever runs the thread says what is wrong
  }
}
