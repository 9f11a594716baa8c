import { createAgent, memoryStore } from "undangle/agent";
import type { Store } from "undangle/agent";
import { scriptedModel } from "undangle/testing";
import { expect, test } from "vitest";

/** A store that fails every change after the first `changes`, as when its process dies. */
function dyingStore(store: Store, changes: number): Store {
  let left = changes;
  const dying =
    <Given extends readonly unknown[], Value>(change: (...given: Given) => Promise<Value>) =>
    async (...given: Given): Promise<Value> => {
      if (left-- <= 0) throw new Error("The process died.");
      return change(...given);
    };
  return {
    ...store,
    delete: dying((id: string, at: number) => store.delete(id, at)),
    restore: dying((id: string) => store.restore(id)),
    purge: dying((before: number) => store.purge(before)),
    remove: dying((id: string) => store.remove(id)),
  };
}

test.each([0, 1, 2])("a deleted thread never returns, if its removal dies after %d changes", async (changes) => {
  const store = memoryStore();
  const model = scriptedModel([{ text: "Yes." }]);
  const first = createAgent({ model, store });
  await first.thread("t").send("Hello.").result;
  await first.delete("t");
  const second = createAgent({ model, store: dyingStore(store, changes) });
  await second.delete("t", { purge: true }).catch(() => undefined);
  expect(await store.list()).toEqual([]);
  expect(await first.delete("t", { purge: true })).toBe(changes === 0);
  expect(await store.load("t")).toBeUndefined();
});
