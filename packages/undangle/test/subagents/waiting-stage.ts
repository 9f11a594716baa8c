import { createAgent, tool } from "#engine";
import type { Agent, AgentOptions, LedgerCall, Tool } from "#engine";
import { subagents } from "#middleware";
import type { Store } from "#store";

import { delegating, playModel } from "./stage.ts";
import type { Plays } from "./stage.ts";

export const note = (log: string[], name: string, options = {}): Tool =>
  tool({ name, description: name, ...options, execute: () => void log.push(name) });

/** A task whose agent calls a gated tool, and then has more to do. */
export const plays: Plays = {
  go: [delegating("drop it", "read it"), { text: "All done." }, { text: "And that." }],
  "drop it": [{ calls: [{ name: "drop_db" }] }, { calls: [{ name: "look" }] }, { text: "Dropped." }],
  "read it": [{ calls: [{ name: "read_mail" }] }, { text: "Read." }],
};

export interface Stage {
  readonly agent: Agent;
  readonly log: string[];
  readonly options: AgentOptions;
}

export function stage(options: Partial<AgentOptions> = {}, given = plays): Stage {
  const log: string[] = [];
  const tools = [note(log, "drop_db"), note(log, "read_mail"), note(log, "look")];
  const all: AgentOptions = {
    model: playModel(given),
    tools,
    approvals: [{ tools: ["drop_db", "read_mail"], optional: true }],
    middleware: [subagents()],
    ...options,
  };
  return { agent: createAgent(all), log, options: all };
}

export const statesOf = async (store: Store, id: string): Promise<readonly string[]> =>
  (await store.calls(id)).map(({ value }) => (value as LedgerCall).state);

export const approve = { type: "approve" } as const;
export const ids = (calls: readonly { readonly id: string }[]): readonly string[] => calls.map(({ id }) => id);
