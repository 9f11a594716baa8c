import { describe, expect, test } from "vitest";
import { createPrefixMemory } from "./known-prefix.ts";

const messages = (count: number) => Array.from({ length: count }, (_, i) => ({ role: "user", content: `m${i}` }));

describe("the memory of healthy beginnings", () => {
  test("knows a beginning again by its messages, in another array", () => {
    const memory = createPrefixMemory<string>({ step: 1 });
    const list = messages(100);
    memory.remember(list, 90, "k", { length: 0, state: "s" });
    expect(memory.recall([...list.slice(0, 90), ...messages(20)], "k")).toEqual({ length: 90, state: "s" });
  });

  test("does not know it under another key, with another message in it, or when it is cut", () => {
    const memory = createPrefixMemory<string>({ step: 1 });
    const list = messages(100);
    memory.remember(list, 90, "k", { length: 0, state: "s" });
    expect(memory.recall(list, "other")).toBeUndefined();
    expect(memory.recall(list.with(3, { role: "user", content: "changed" }), "k")).toBeUndefined();
    expect(memory.recall(list.slice(0, 89), "k")).toBeUndefined();
    expect(memory.recall(list.slice(1), "k")).toBeUndefined();
  });

  test("keeps one beginning of a history that grows, not one for each length", () => {
    const memory = createPrefixMemory<string>({ step: 1 });
    const list = messages(200);
    for (let length = 100; length < 200; length += 4) {
      const known = memory.recall(list.slice(0, length), "k");
      memory.remember(list, length, "k", { length: known?.length ?? 0, state: "s" });
    }
    const found = [];
    for (let length = 100; length < 200; length++) found.push(memory.recall(list.slice(0, length), "k")?.length);
    expect(new Set(found)).toEqual(new Set([undefined, 196]));
  });

  test("notes a beginning anew only when it has grown by a step, and none that is short", () => {
    const memory = createPrefixMemory<string>({ step: 16 });
    const list = messages(200);
    memory.remember(list, 10, "k", { length: 0, state: "s" });
    expect(memory.recall(list.slice(0, 10), "k")).toBeUndefined();
    memory.remember(list, 100, "k", { length: 0, state: "s" });
    memory.remember(list, 108, "k", { length: 100, state: "s" });
    expect(memory.recall(list.slice(0, 108), "k")?.length).toBe(100);
  });
});
