import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createAgent, tool } from "#engine";
import type { Tool } from "#engine";
import { memoryStore } from "#store";
import { scriptedModel } from "#testing";
import { afterAll, describe, expect, test } from "vitest";

import { sqliteStore } from "../../src/store/sqlite.ts";
import { agentWith } from "./any-tool-stage.ts";
import { faultsAfterwards } from "./health.ts";
import { promised, quiet, soon, until } from "./promised.ts";
import { callsOf, eventsOf, statesOf, toldOf } from "./recorded.ts";

const folder = mkdtempSync(join(tmpdir(), "undangle-bad-input-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("a tool", () => {
  test("that never ends is stopped, and what it says afterwards changes nothing", async () => {
    const never = promised();
    const { thread, store } = agentWith(() => never.promise);
    const run = thread.send("Go.");
    await until(async () => (await statesOf(store, "t"))["any"] === "running");
    expect((await soon(run.stop())).status).toBe("stopped");
    never.reject(new Error("much later"));
    await quiet();
    expect(await statesOf(store, "t")).toEqual({ any: "stopped" });
    expect(await faultsAfterwards(store)).toEqual([]);
  });

  test.each(["memory", "sqlite"])(
    "that returns 50 MB: all of it is kept, and the model sees both ends (%s)",
    async (kind) => {
      const store = kind === "memory" ? memoryStore() : sqliteStore(join(folder, "big.db"));
      const big = `begin${"x".repeat(50_000_000)}end`;
      const { thread, model } = agentWith(() => big, { store });
      expect((await thread.send("Go.").result).text).toBe("Done.");
      const [call] = await callsOf(store, "t");
      expect(call?.outcome).toEqual({ type: "result", parts: [{ type: "text", text: big }], isError: false });
      const told = (await toldOf(thread))["any"] ?? "";
      expect(told.length).toBeLessThan(500_000);
      expect([told.startsWith("beginx"), told.endsWith("xend"), /characters omitted/u.test(told)]).toEqual([
        true,
        true,
        true,
      ]);
      expect(JSON.stringify(model.requests[1]?.messages).length).toBeLessThan(500_000);
      await store.close();
    },
  );

  test("that returns a long list of texts: the model sees no more of them than of one text", async () => {
    const content = Array.from({ length: 20 }, () => ({ type: "text", text: "§".repeat(1000) }));
    const { thread } = agentWith(() => ({ content }), { limits: { resultLength: 2000 } });
    await thread.send("Go.").result;
    const told = JSON.stringify(await thread.history("anthropic"));
    expect(told.length).toBeLessThan(6000);
    expect(told.split("§").length - 1).toBeLessThanOrEqual(2000);
  });

  test("that returns a long text full of wide characters: none is cut in two", async () => {
    for (const before of ["", "a"]) {
      const { thread } = agentWith(() => before + "👀".repeat(500), { limits: { resultLength: 101 } });
      await thread.send("Go.").result;
      const told = (await toldOf(thread))["any"] ?? "";
      expect(told.isWellFormed()).toBe(true);
    }
  });

  const cyclic: Record<string, unknown> = { name: "self" };
  cyclic["self"] = cyclic;
  const values: readonly (readonly [name: string, value: unknown])[] = [
    ["a BigInt", 1n],
    ["a function", () => 1],
    ["a symbol", Symbol("x")],
    ["a cycle", cyclic],
    ["a Map", new Map([[1, 2]])],
    ["a Set in an object", { set: new Set([1]) }],
    ["NaN", { n: Number.NaN }],
    ["an error", new Error("returned, not thrown")],
    ["bytes", new Uint8Array(3)],
    ["a promise inside", { later: Promise.resolve(1) }],
    [
      "a getter that throws",
      Object.defineProperty({}, "x", {
        enumerable: true,
        get: () => {
          throw new Error("no");
        },
      }),
    ],
    [
      "toJSON that throws",
      {
        toJSON: () => {
          throw new Error("no");
        },
      },
    ],
    [
      "a proxy that throws",
      new Proxy(
        {},
        {
          ownKeys: () => {
            throw new Error("no");
          },
        },
      ),
    ],
    [
      "a class",
      new (class Odd {
        secret = 1;
      })(),
    ],
  ];

  test.each(values)(
    "that returns %s: the model is told that it ran, and that its result cannot be passed on",
    async (_, value) => {
      const { thread, store } = agentWith(() => value);
      expect((await thread.send("Go.").result).status).toBe("done");
      expect(await statesOf(store, "t")).toEqual({ any: "failed" });
      expect((await toldOf(thread))["any"]).toMatch(/^The tool ran, but its result cannot be passed on/u);
      expect(await faultsAfterwards(store)).toEqual([]);
    },
  );

  test.each<[string, unknown, string]>([
    ["null", null, "null"],
    ["false", false, "false"],
    ["an empty text", "", ""],
    ["a list", [], "[]"],
    ["a date", new Date(0), '"1970-01-01T00:00:00.000Z"'],
    ["a thenable", { then: (resolve: (value: unknown) => void) => resolve("later") }, "later"],
    ["half a character", "half \ud83d", "half \ufffd"],
  ])("that returns %s has a result", async (_, value, text) => {
    const { thread, store } = agentWith(() => value);
    expect((await thread.send("Go.").result).status).toBe("done");
    expect((await callsOf(store, "t"))[0]).toMatchObject({
      state: "succeeded",
      outcome: { parts: [{ type: "text", text }] },
    });
    expect(await faultsAfterwards(store)).toEqual([]);
  });

  test("that keeps something that is not JSON in the state of the thread is told so, and the thread stays whole", async () => {
    for (const value of [1n, cyclic, () => 1, undefined]) {
      const keep = tool({
        name: "any",
        description: "Any.",
        execute: (_: unknown, { state }) => state.set("key", value),
      });
      const { thread, store } = agentWith(() => 1, { tools: [keep] });
      expect((await thread.send("Go.").result).status).toBe("done");
      expect(JSON.stringify(await thread.state())).not.toContain("null");
      expect(await faultsAfterwards(store)).toEqual([]);
    }
  });

  test.each<[string, unknown]>([
    ["a Map", new Map([[1, 2]])],
    ["NaN", Number.NaN],
    ["a function", () => 1],
  ])(
    "that keeps %s in the state of the thread is told why it cannot, for it would come back as another",
    async (what, value) => {
      const keep = tool({
        name: "any",
        description: "Any.",
        execute: (_: unknown, { state }) => state.set("key", { value }),
      });
      const { thread, store } = agentWith(() => 1, { tools: [keep] });
      await thread.send("Go.").result;
      const [call] = await thread.calls();
      expect(call?.error).toContain(`state.key. Allowed: JSON, and \`value\` is ${what}`);
      expect(await thread.state()).toEqual({});
      expect(await faultsAfterwards(store)).toEqual([]);
    },
  );

  test("that reports the same object again and again is heard as it was each time", async () => {
    const report = { percent: 0 };
    const work = tool({
      name: "any",
      description: "Any.",
      execute(_: unknown, context) {
        for (report.percent = 10; report.percent < 40; report.percent += 10) context.progress(report);
        context.progress(undefined);
      },
    });
    const run = agentWith(() => 1, { tools: [work] }).thread.send("Go.");
    await run.result;
    const heard = (await eventsOf(run)).flatMap(({ data }) => ("progress" in data ? [data.progress] : []));
    expect(heard).toEqual([{ percent: 10 }, { percent: 20 }, { percent: 30 }, null]);
  });

  test("that reports something that is not JSON is not disturbed by it, and those who watch are told", async () => {
    const work = tool({
      name: "any",
      description: "Any.",
      execute(_: unknown, context) {
        context.progress({ done: 1n });
        context.progress(cyclic);
        return "done";
      },
    });
    const { thread } = agentWith(() => 1, { tools: [work] });
    const run = thread.send("Go.");
    await run.result;
    const events = await eventsOf(run);
    expect(() => JSON.stringify(events)).not.toThrow();
    const warnings = events.flatMap((event) => (event.type === "warning" ? [event.data] : []));
    expect(warnings.map(({ id }) => id)).toEqual(["call_1", "call_1"]);
    expect(warnings[0]?.message).toMatch(/any reports .*: `done` is a BigInt/u);
    expect(warnings[1]?.message).toMatch(/any reports .*: .*circular reference/u);
    expect(await thread.calls()).toMatchObject([{ status: "succeeded", result: "done" }]);
  });

  test("that goes on after its call was settled, and reports and keeps things, disturbs nobody", async () => {
    const go = promised();
    const keep = tool({
      name: "any",
      description: "Any.",
      async execute(_: unknown, context) {
        await go.promise;
        context.progress("still here");
        context.state.set("late", true);
        return "late";
      },
    });
    const { thread, store } = agentWith(() => 1, { tools: [keep] });
    const run = thread.send("Go.");
    await until(async () => (await statesOf(store, "t"))["any"] === "running");
    await run.stop();
    go.resolve(undefined);
    await quiet();
    expect((await thread.send("And?").result).text).toBe("Done.");
    expect(await statesOf(store, "t")).toEqual({ any: "stopped" });
    expect(await faultsAfterwards(store)).toEqual([]);
  });

  test("two of one name, what is none, and one that is named like the final answer are refused", () => {
    const one = tool({ name: "one", description: "One.", execute: () => 1 });
    const final = tool({ name: "final_answer", description: "Mine.", execute: () => 1 });
    const model = scriptedModel([]);
    expect(() => createAgent({ model, tools: [one, one] })).toThrow(/one.*tools\[0\].*tools\[1\]/u);
    const none: unknown = { name: "x" };
    expect(() => createAgent({ model, tools: [none as Tool] })).toThrow(/tools\[0\]/u);
    expect(() => createAgent({ model, tools: [one], middleware: [{ name: "m", tools: [one] }] })).toThrow(
      /tools\[0\].*m\.tools\[0\]/u,
    );
    expect(() => createAgent({ model, tools: [final], output: { type: "object" } })).toThrow(/final_answer/u);
  });
});
