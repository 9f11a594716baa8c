/** A process with an agent that is to die: `agent-program TASK`, where the task is JSON. */
import { writeSync } from "node:fs";

import { isRecord } from "../../packages/undangle/src/core/index.ts";
import { createAgent } from "../../packages/undangle/src/engine/index.ts";
import { randomFrom } from "../../packages/undangle/src/testing/random.ts";
import { openStore } from "../../packages/undangle/test/store/open-store.ts";
import { createPerson } from "./converse.ts";
import type { WayBack } from "./converse.ts";
import { writeLine } from "./diary.ts";
import { armed } from "./failpoints.ts";
import type { Failpoint } from "./failpoints.ts";
import { crashModel, watchedModel } from "./watched-model.ts";
import { watchStatements, watchedStore } from "./watched-store.ts";
import { gatedTools, watchedTools } from "./watched-tools.ts";

export interface Task {
  /** A file of SQLite, or the address of a database of Postgres. */
  readonly path: string;
  readonly diary: string;
  readonly threads: readonly string[];
  readonly seed: number;
  readonly failpoint: Failpoint | undefined;
  /** It comes back to a thread that another process left, in this way. */
  readonly way: WayBack | undefined;
  readonly messages: number;
  /** The person interrupts and stops as the mood takes them. */
  readonly isMoody: boolean;
  /** Milliseconds until nobody can approve a call any more. */
  readonly expiresAfter: number | undefined;
  readonly busyTimeout: number;
  readonly storeWait: number;
  /** The time of the clock at which it begins, so that several do at once. */
  readonly notBefore: number;
}

const task = JSON.parse(process.argv[2] ?? "") as Task; // written by the process that started this one
const { path, diary, seed, failpoint, way, messages, isMoody, expiresAfter, busyTimeout, storeWait, notBefore } = task;
const visit = armed(failpoint, diary);
const store = await openStore(path, { busyTimeout });
await store.list({ limit: 0 }); // so that its tables are there when it is ready
if (failpoint?.point === "statement") await watchStatements(path, visit);

const agent = createAgent({
  model: watchedModel(crashModel(seed), visit),
  instructions: "Be of help.",
  tools: watchedTools(diary, visit),
  approvals: [
    {
      tools: gatedTools,
      expiresAfter,
      when() {
        visit("gate");
        return true;
      },
    },
  ],
  store: watchedStore(store, visit),
  limits: { storeWait },
  logger: {
    info: () => undefined,
    warn: ({ err }) => void (isRecord(err) && writeLine(diary, { type: "wait", code: String(err["code"]) })),
    error: () => undefined,
  },
});
const people = task.threads.map((id, index) => {
  const random = randomFrom(seed + 10 * index + (way === undefined ? 1 : 2));
  return createPerson({ agent, thread: agent.thread(id), random, diary });
});

const over = new AbortController();

/** Writes down what a listener is told: from then on it has to be so. */
async function listen(id: string): Promise<void> {
  const after = (await store.load(id))?.lastEvent ?? 0;
  for await (const { type, data } of agent.thread(id).events({ after, signal: over.signal })) {
    if (type === "tool_call_end") writeLine(diary, { type: "heard", thread: id, call: data.id, status: data.status });
  }
}
const listening = Promise.all(task.threads.map(listen));

writeSync(1, "ready\n");
while (Date.now() < notBefore);
if (way !== undefined) visit("recover");
await Promise.all(
  people.map(async (person) => {
    if (way !== undefined) await person.comeBack(way);
    for (let number = 1; number <= messages; number++) {
      const text = `Please do number ${number}.`;
      if (isMoody) await person.talk(text);
      else await person.sayPatiently(text);
    }
  }),
);
visit("idle");
over.abort();
await listening;
await people[0]?.leave();
await store.close();
writeSync(1, "ended\n");
