import { createAgent, memoryStore, tool } from "undangle/agent";
import { scriptedModel } from "undangle/testing";
import { expect, test, vi } from "vitest";

import { serve } from "./serve-fixture.ts";

test("a server goes on with its own threads, and leaves those of other programs on the store alone", async () => {
  const store = memoryStore();
  const never = new Promise<never>(() => undefined);
  const slow = tool({ name: "slow", description: "Slow.", execute: () => never });
  const dead = createAgent({
    model: scriptedModel([{ calls: [{ name: "slow" }] }], { loop: true }),
    store: { ...store, beat: () => Promise.resolve() }, // nobody hears of it
    tools: [slow],
  });
  await dead.thread("own").describe({ meta: { "undangle/server": { persona: "helper" } } });
  for (const id of ["own", "foreign"]) void dead.thread(id).send("Go.");
  const stateOf = async (id: string): Promise<unknown> =>
    (await store.calls(id)).map(({ value }) => (value as { readonly state: string }).state)[0]; // as the ledger keeps it
  await vi.waitUntil(async () => (await stateOf("own")) === "running" && (await stateOf("foreign")) === "running");
  const late = {
    ...store,
    load: gone((id) => store.load(id)),
    list: async (...query: Parameters<typeof store.list>) => (await store.list(...query)).map(orphaned),
  };
  const { app } = serve({ turns: [{ text: "On." }], options: { store: late } });
  await app.ready();
  await vi.waitUntil(async () => (await stateOf("own")) === "lost", { timeout: 10_000 });
  expect(await stateOf("foreign")).toBe("running");
});

type Head = NonNullable<Awaited<ReturnType<ReturnType<typeof memoryStore>["load"]>>>;

/** A thread whose owner nobody has ever heard of. */
const orphaned = (head: Head): Head =>
  head.version > 3 || head.owner === undefined ? head : { ...head, owner: "gone" };

const gone =
  (load: (id: string) => Promise<Head | undefined>) =>
  async (id: string): Promise<Head | undefined> => {
    const head = await load(id);
    return head === undefined ? undefined : orphaned(head);
  };
