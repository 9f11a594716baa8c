import { createAgent, tool } from "#engine";
import type { Agent, AgentOptions, Thread } from "#engine";
import { memoryStore } from "#store";
import type { Store } from "#store";
import { scriptedModel } from "#testing";
import type { ScriptedAnswer, ScriptedModel } from "#testing";

import { promised } from "./promised.ts";
import type { Promised } from "./promised.ts";

/** An agent with a tool of every kind. */
export interface Stage {
  readonly agent: Agent;
  readonly thread: Thread;
  readonly model: ScriptedModel;
  readonly store: Store;
  readonly ran: string[];
  readonly slow: Promised;
}

const anything = { type: "object", properties: {}, additionalProperties: true } as const;

export function createStage(script: readonly ScriptedAnswer[], options: Partial<AgentOptions> = {}): Stage {
  const ran: string[] = [];
  const slow = promised();
  const make = (name: string, approval: boolean, result: () => unknown) =>
    tool({
      name,
      description: `Does ${name}.`,
      input: anything,
      approval,
      execute(args) {
        ran.push(`${name} ${JSON.stringify(args)}`);
        return result();
      },
    });
  const store = options.store ?? memoryStore();
  const model = scriptedModel(script);
  const agent = createAgent({
    model,
    tools: [
      make("gated", true, () => "gated ok"),
      make("free", false, () => "ok"),
      make("nothing", false, () => undefined),
      make("slow", false, () => slow.promise),
      make("boom", false, () => {
        throw new Error("boom");
      }),
    ],
    ...options,
    store,
  });
  return { agent, thread: agent.thread("t"), model, store, ran, slow };
}

/** A call as a script has it. */
export const call = (name: string, args: Readonly<Record<string, unknown>> = {}) => ({ name, arguments: args });
