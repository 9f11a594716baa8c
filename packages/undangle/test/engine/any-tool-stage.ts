import { createAgent, tool } from "#engine";
import type { AgentOptions } from "#engine";
import { memoryStore } from "#store";
import { scriptedModel } from "#testing";

/** An agent whose only tool gives what the test says. */
export function agentWith(execute: () => unknown, options: Partial<AgentOptions> = {}) {
  const model = scriptedModel([{ calls: [{ name: "any" }] }, { text: "Done." }, { text: "Again." }]);
  const store = memoryStore();
  const agent = createAgent({ model, store, tools: [tool({ name: "any", description: "Any.", execute })], ...options });
  return { agent, thread: agent.thread("t"), model, store };
}
