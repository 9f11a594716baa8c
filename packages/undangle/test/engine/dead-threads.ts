import { createAgent, tool } from "#engine";
import type { Store } from "#store";
import { scriptedModel } from "#testing";

import { quiet, until } from "./promised.ts";

/** Leaves threads in a store as a process does that dies in the middle of a tool, which is called `slow`. */
export async function leaveDead(store: Store, ids: readonly string[]): Promise<void> {
  const never = new Promise<never>(() => undefined);
  const dead = createAgent({
    model: scriptedModel([{ calls: [{ name: "slow" }] }], { loop: true }),
    store,
    tools: [tool({ name: "slow", description: "Slow.", execute: () => never })],
  });
  for (const id of ids) void dead.thread(id).send("Go.");
  await until(async () => (await store.list({ isOwned: true, limit: 1000 })).length === ids.length);
  await quiet();
}
