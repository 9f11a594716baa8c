import type { Store, Thread } from "undangle/agent";
import { cost } from "./durable-cost.ts";
import { countingTool, soundRun } from "./loop-client.ts";
import type { Seed } from "./seed.ts";
import type { ToolInput } from "./tool-input.ts";
import { createScriptedAgent } from "./undangle.ts";
import { question } from "./workload.ts";
import type { Script } from "./workload.ts";

export interface ThreadsSetup {
  readonly script: Script;
  readonly input: ToolInput;
  readonly seed: Seed | undefined;
  readonly store: Store;
}

export interface OpenThreads {
  /** Has each of them answer once. */
  readonly run: () => Promise<void>;
  /** Milliseconds of CPU time to read one of them: the least. */
  readonly opening: number;
  readonly close: () => Promise<void>;
}

let serial = 0;

/** Of so many threads it is measured what it takes to read them: everything is collected before each. */
const measuredOpenings = 8;

/** Threads in which everything was said that came before, read from the store. */
export async function openThreads({ script, input, seed, store }: ThreadsSetup, count: number): Promise<OpenThreads> {
  const counting = countingTool();
  const agent = createScriptedAgent({ script, input, store, counting });
  const threads: Thread[] = [];
  let opening = Infinity;
  for (let i = 0; i < count; i++) {
    const thread = agent.thread(`thread ${serial++}`);
    if (seed !== undefined) await store.commit(seed(thread.id));
    if (i < measuredOpenings) opening = Math.min(opening, (await cost(() => thread.pending())).cpu);
    else await thread.pending();
    threads.push(thread);
  }
  const run = async (): Promise<void> => {
    for (const thread of threads) {
      await soundRun(
        "undangle",
        async (tally) => {
          counting.countFor(tally);
          return (await thread.send(question).result).text;
        },
        script,
      );
    }
  };
  return { run, opening, close: () => agent.close() };
}
