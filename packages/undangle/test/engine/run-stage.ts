import { createAgent, tool } from "#engine";
import type { Agent, AgentOptions, Thread } from "#engine";
import { memoryStore } from "#store";
import { scriptedModel } from "#testing";
import type { ScriptedAnswer, ScriptedModel } from "#testing";

import { promised, until } from "./promised.ts";
import type { Promised } from "./promised.ts";
import { statesOf } from "./recorded.ts";
import { watchedStore } from "./watched-store.ts";
import type { WatchedStore } from "./watched-store.ts";

/** An agent with a gated, a quick and a slow tool. */
export interface RunStage {
  readonly agent: Agent;
  readonly thread: Thread;
  readonly model: ScriptedModel;
  readonly store: WatchedStore;
  readonly slow: Promised;
  /** Whether the slow tool was told to stop. */
  readonly isAborted: () => boolean;
}

export const texts = ["One.", "Two.", "Three."].map((text) => ({ text }));

export function createRunStage(
  calls: readonly string[],
  options: Partial<AgentOptions> = {},
  script?: readonly ScriptedAnswer[],
): RunStage {
  const slow = promised();
  let signal: AbortSignal | undefined;
  const model = scriptedModel(script ?? [{ text: "I will.", calls: calls.map((name) => ({ name })) }, ...texts]);
  const store = watchedStore(memoryStore());
  const agent = createAgent({
    model,
    store,
    tools: [
      tool({ name: "gated", description: "Gated.", approval: true, execute: () => "gated result" }),
      tool({ name: "quick", description: "Quick.", execute: () => "quick result" }),
      tool({
        name: "slow",
        description: "Slow.",
        execute(_: unknown, context) {
          ({ signal } = context);
          return slow.promise;
        },
      }),
    ],
    ...options,
  });
  return { agent, thread: agent.thread("t"), model, store, slow, isAborted: () => signal?.aborted === true };
}

/** Waits until everything has happened that can happen without a person. */
export async function settleTools({ store }: RunStage, calls: readonly string[]): Promise<void> {
  await until(async () => {
    const states = await statesOf(store, "t");
    const has = (name: string, state: string): boolean => !calls.includes(name) || states[name] === state;
    return calls.length === Object.keys(states).length && has("slow", "running") && has("quick", "succeeded");
  });
  if (!calls.includes("slow")) await until(async () => (await store.load("t"))?.owner === undefined);
}
