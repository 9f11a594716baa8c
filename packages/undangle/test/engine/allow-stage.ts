import { createAgent, tool } from "#engine";
import type { Agent, AgentOptions, Thread } from "#engine";
import { memoryStore } from "#store";
import type { Store } from "#store";
import { scriptedModel } from "#testing";
import type { ScriptedModel } from "#testing";

import { promised } from "./promised.ts";
import type { Promised } from "./promised.ts";

/** An agent whose model calls what it is told to call, and says "Done." behind that. */
export interface AllowStage {
  readonly agent: Agent;
  readonly thread: Thread;
  readonly model: ScriptedModel;
  readonly store: Store;
  /** What ran, with the arguments. */
  readonly ran: string[];
  /** What the tool `slow` waits for. */
  readonly slow: Promised;
}

/** `pay` and `delete` have to be approved. */
export function createAllowStage(options: Partial<AgentOptions> = {}): AllowStage {
  const { store = memoryStore() } = options;
  const ran: string[] = [];
  const slow = promised();
  const input = { type: "object", properties: { n: {}, to: {} } } as const;
  const run = (name: string) => (args: unknown) => {
    ran.push(`${name} ${JSON.stringify(args)}`);
    return `${name} is done`;
  };
  const model = scriptedModel(
    [
      ({ messages }) => {
        const last = messages.at(-1);
        const [part] = last?.role === "user" ? last.parts : [];
        if (part?.type !== "text") return { text: "Done." };
        const wanted = part.text.split("; ").map((each) => each.split(/ (.*)/su));
        return { calls: wanted.map(([name = "", raw = "{}"]) => ({ name, raw })) };
      },
    ],
    { loop: true },
  );
  const agent = createAgent({
    model,
    tools: [
      ...["pay", "delete", "look"].map((name) =>
        tool({ name, description: `Does ${name}.`, input, execute: run(name) }),
      ),
      tool({ name: "slow", description: "Slow.", input, execute: () => slow.promise }),
    ],
    approvals: [{ tools: ["pay", "delete"] }],
    now: () => 5,
    ...options,
    store,
  });
  return { agent, thread: agent.thread("t"), model, store, ran, slow };
}

/** Has a call made in a thread: "ran" or "waits". The one that waits is rejected. */
export async function comesOf(thread: Thread, call: string): Promise<string> {
  const end = await thread.send(call).result;
  if (end.status === "waiting") {
    await thread.rejectAll("Only to see.").result;
    return "waits";
  }
  return end.status === "done" ? "ran" : end.status;
}
