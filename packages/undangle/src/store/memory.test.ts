import { describe, expect, test } from "vitest";

import { testStore } from "#testing";

import { memoryStore } from "./memory.ts";

describe("memoryStore", () => {
  test.each(testStore(memoryStore))("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });

  test("gives out copies: whoever changes what they got changes nothing that is kept", async () => {
    const store = memoryStore();
    await store.commit({
      thread: "t",
      version: 0,
      at: 1,
      head: { epoch: 1, owner: undefined, status: "idle", deadline: undefined, title: "T", data: { state: { n: 1 } } },
      entries: [{ value: { parts: ["said"] }, text: "said" }],
      calls: [{ id: "call_1", entry: 0, place: 0, value: { raw: "{}" } }],
      events: [{ type: "tool_call_end", data: { result: { secret: "s" } } }],
    });
    const read = async (): Promise<readonly unknown[]> => [
      await store.load("t"),
      ...(await store.entries("t")),
      ...(await store.calls("t")),
      ...(await store.events("t")),
      ...(await store.list()),
    ];
    const before = JSON.stringify(await read());
    for (const each of await read()) spoil(each);
    expect(JSON.stringify(await read())).toBe(before);
  });
});

/** Changes every text and number in a value. */
function spoil(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const key of Object.keys(value)) {
    spoil(Reflect.get(value, key));
    if (typeof Reflect.get(value, key) !== "object") Reflect.set(value, key, "***");
  }
}
