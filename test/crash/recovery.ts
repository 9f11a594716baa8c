import { setTimeout as pause } from "node:timers/promises";

import { createAgent } from "../../packages/undangle/src/engine/index.ts";
import type { ModelRequest } from "../../packages/undangle/src/model/index.ts";
import { randomFrom } from "../../packages/undangle/src/testing/random.ts";
import { openStore } from "../../packages/undangle/test/store/open-store.ts";
import { createPerson } from "./converse.ts";
import type { Files } from "./death.ts";
import { nowhere } from "./failpoints.ts";
import type { Plan } from "./plan.ts";
import { takeSnapshot } from "./snapshot.ts";
import { notAsked, unrest } from "./thread-laws.ts";
import { crashModel } from "./watched-model.ts";
import { gatedTools, watchedTools } from "./watched-tools.ts";

/** What came of it, and all that the model was asked. */
export interface Recovery {
  readonly problems: readonly string[];
  readonly requests: readonly ModelRequest[];
}

/** Opens the file with a new agent, comes back to every thread that was left in it, and says one thing more. */
export async function recover({ path, diary }: Files, plan: Plan): Promise<Recovery> {
  if (plan.expiresAfter !== undefined) await pause(plan.expiresAfter); // what nobody has approved by now has expired
  const store = await openStore(path);
  const model = crashModel(plan.seed);
  const agent = createAgent({
    model,
    instructions: "Be of help.",
    tools: watchedTools(diary, nowhere),
    approvals: [{ tools: gatedTools }],
    store,
  });
  const problems: string[] = [];
  const people = plan.threads.map((id, index) => ({
    id,
    person: createPerson({ agent, thread: agent.thread(id), random: randomFrom(plan.seed + 3 + index), diary }),
  }));
  // A thread that was stopped, and not left in the middle, stays as it is until somebody says something.
  const left = new Set((await agent.threads({ isOwned: true })).map(({ id }) => id));
  for (const { person } of people) await person.comeBack(plan.way);
  for (const { id } of people) {
    const found = [...unrest(await takeSnapshot(path, id))].filter((each) => left.has(id) || each !== notAsked);
    problems.push(...found.map((each) => `after ${plan.way}: ${id}: ${each}`));
  }
  if ((await agent.recover()).length > 0) problems.push("there was something left to recover");
  for (const { id, person } of people) {
    const { status, error } = await person.sayPatiently("One thing more.");
    if (status !== "done") problems.push(`${id} does not go on: ${status} ${String(error)}`);
  }
  await agent.close();
  await store.close();
  return { problems, requests: model.requests };
}
