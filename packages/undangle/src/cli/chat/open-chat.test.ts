import { describe, expect, test } from "vitest";
import { createAgent } from "#engine";
import { demoModel } from "#model";
import { memoryStore } from "#store";
import type { Store } from "#store";

import { findThread, openAgentIn, openPlace, resumeCommand } from "./open-chat.ts";
import type { Place } from "./open-chat.ts";

const surroundings = { folder: "/nowhere", env: {} };

describe("a thread that a person names", () => {
  /** An agent that is called me, in a store of its own or that of others. */
  const me = (store: Store) => ({ name: "me", agent: createAgent({ model: demoModel({ pace: 0 }), store }) });
  const find = (store: Store, asked: string) => findThread(store, asked, me(store));

  const withThreads = async (...ids: readonly string[]) => {
    const store = memoryStore();
    let time = 0;
    const now = (): number => (time += 1); // one is newer than the other, however fast it goes
    const agent = createAgent({ model: demoModel({ pace: 0 }), store, now });
    for (const id of ids) await agent.thread(id).send("hello").result;
    return store;
  };

  test("is found by its id, by the beginning of it, and as the last one", async () => {
    const store = await withThreads("1234abcd", "5678abcd");
    expect(await find(store, "1234abcd")).toMatchObject({ id: "1234abcd" });
    expect(await find(store, "12")).toMatchObject({ id: "1234abcd" });
    expect(await find(store, "last")).toMatchObject({ id: "5678abcd" });
  });

  test("is the last one of the own agent, also where others have answered in newer ones", async () => {
    const store = await withThreads("before", "mine", "theirs", "served");
    const { agent } = me(store);
    await agent.thread("mine").describe({ meta: { agent: "me" } });
    await agent.thread("theirs").describe({ meta: { agent: "them" } });
    await agent.thread("served").describe({ meta: { "undangle/server": { persona: "nurse" } } });
    expect(await find(store, "last")).toMatchObject({ id: "mine" });
    const other = { name: "somebody", agent };
    await agent.thread("before").describe({ meta: { agent: "them" } });
    expect(await findThread(store, "last", other)).toMatchObject({ id: (await store.list({ limit: 1 }))[0]?.id });
  });

  test("is found by the beginning of its id also where it is old", async () => {
    const store = memoryStore();
    const heads = Array.from({ length: 600 }, (_, index) => `b${index}`);
    const agent = createAgent({ model: demoModel({ pace: 0 }), store });
    for (const id of ["a-first", ...heads]) await agent.thread(id).describe({ title: id });
    expect(await find(store, "a-f")).toMatchObject({ id: "a-first" });
  });

  test("is asked about where there are several, and missed where there is none", async () => {
    const store = await withThreads("1234abcd", "1299abcd");
    expect(await find(store, "12")).toMatchObject({ ambiguous: "12", ids: ["1299abcd", "1234abcd"] });
    expect(await find(store, "1234abdc")).toEqual({ missing: "1234abdc", near: "1234abcd" });
    expect(await find(memoryStore(), "last")).toEqual({ missing: "last", near: undefined });
  });
});

describe("the way back to a thread", () => {
  const place = (options: Place["options"], env: Place["env"] = {}): Place => ({
    loaded: undefined,
    store: memoryStore(),
    storeName: "",
    isKept: true,
    folder: "/nowhere",
    env,
    files: undefined,
    options,
  });

  test.each<[options: Place["options"], command: string]>([
    [{}, "undangle chat --thread t1"],
    [{ store: "a b.db", model: "openai/gpt-5.1" }, "undangle chat --thread t1 --store 'a b.db' --model openai/gpt-5.1"],
    [{ files: "my notes" }, "undangle chat --thread t1 --files 'my notes'"],
    [{ store: "postgres://ann:secret@db/agents" }, "undangle chat --thread t1 --store postgres://ann@db/agents"],
  ])("with %j is %s", (options, command) => {
    expect(resumeCommand(place(options), "t1")).toBe(command);
  });

  test("goes through npx where npm has started the program", () => {
    expect(resumeCommand(place({}, { npm_command: "start" }), "it's")).toBe("npx undangle chat --thread 'it'\\''s'");
  });
});

test("without a config the demo agent answers by the demo model, and both are said to be so", async () => {
  const place = await openPlace({ store: "memory" }, surroundings);
  expect(place).toMatchObject({ storeName: "memory", isKept: false });
  const voice = { language: () => "en" as const, isAsked: () => false };
  expect(openAgentIn(place, voice)).toMatchObject({ name: "demo", model: "demo", isPretend: true, isDemo: true });
  expect(openAgentIn(place, voice, "demo")).toMatchObject({ isPretend: true, isDemo: false });
});
