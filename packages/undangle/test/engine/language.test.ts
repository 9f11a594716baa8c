import { createAgent, tool } from "#engine";
import type { AgentEvent, Decisions } from "#engine";
import { memoryStore } from "#store";
import { scriptedModel } from "#testing";
import { describe, expect, test } from "vitest";

import { afterDeath } from "./after-death.ts";
import { eventsOf, toldOf } from "./recorded.ts";

const latin = /[A-Za-z]{3,}/gu;

/** The English words in a text, but those that are names. */
const wordsIn = (text: string, names: readonly string[]): readonly string[] =>
  (text.match(latin) ?? []).filter((word) => !names.includes(word));

describe("an agent that speaks Chinese", () => {
  test("says what is wrong with arguments in Chinese", async () => {
    const input = {
      type: "object",
      properties: {
        city: { type: "string", minLength: 2 },
        days: { type: "integer", minimum: 1, maximum: 7 },
        unit: { enum: ["celsius", "kelvin"] },
        tags: { type: "array", items: { type: "string" }, maxItems: 1, uniqueItems: true },
        place: { anyOf: [{ type: "string" }, { type: "null" }] },
        range: { oneOf: [{ required: ["from"] }, { required: ["until"] }] },
        code: { type: "string", pattern: "^[0-9]+$" },
      },
      required: ["city", "when"],
      additionalProperties: false,
    } as const;
    const wrong = [
      {},
      { city: 5, when: 1 },
      { city: "x", days: 9, unit: "kilo", tags: [1, 1] },
      { city: "xy", days: 0, place: 4, range: {}, code: "no", extra: true },
      { city: null, days: 1.5, tags: {}, range: { from: 1, until: 2 } },
    ];
    const weather = tool({ name: "weather", description: "天气", input, execute: () => 1 });
    for (const args of wrong) {
      const model = scriptedModel([{ calls: [{ name: "weather", arguments: args }] }, { text: "好。" }]);
      const thread = createAgent({ model, tools: [weather], language: "zh" }).thread("t");
      await thread.send("天气如何？").result;
      const { weather: told = "" } = await toldOf(thread);
      const names = [...Object.keys(input.properties), "when", "extra", "until", "from", "weather", "null", "true"];
      expect(wordsIn(told, [...names, "celsius", "kelvin", "kilo"])).toEqual([]);
      expect(told).toContain("参数不符合要求");
    }
  });

  test("says what was wrong with a stream, and that an answer is gone, in Chinese", async () => {
    const quick = tool({ name: "quick", description: "快", execute: () => 1 });
    const model = scriptedModel([
      { calls: [{ name: "quick" }], faults: ["id-never"] },
      { text: "好", faults: ["cut-quietly"] },
    ]);
    const run = createAgent({ model, tools: [quick], language: "zh" })
      .thread("t")
      .send("开始");
    const said = (await eventsOf(run)).flatMap((event): readonly string[] => sentencesIn(event));
    expect(said.length).toBeGreaterThan(2);
    expect(said.flatMap((text) => wordsIn(text, ["scripted", "call", "JSON"]))).toEqual([]);
  });

  test("says what is wrong with decisions in Chinese", async () => {
    const input = { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] } as const;
    const pay = tool({ name: "pay", description: "付款", input, approval: true, execute: () => 1 });
    const look = tool({ name: "look", description: "查看", execute: () => 1 });
    const model = scriptedModel([{ calls: [{ name: "pay", arguments: { amount: 1 } }, { name: "look" }] }]);
    const thread = createAgent({ model, tools: [pay, look], language: "zh" }).thread("t");
    await thread.send("开始").result;
    const wrong: readonly unknown[] = [
      { type: "maybe" },
      "approve",
      { type: "approve", digest: "x" },
      { type: "approve", reason: "x" },
      { type: "approve", always: "x" },
      { type: "approve", always: { scope: "x" } },
      { type: "approve", always: { match: "x" } },
      { type: "approve", always: { scope: "agent" } },
      { type: "reject", reason: 7 },
      { type: "edit" },
      { type: "edit", name: 7, arguments: {} },
      { type: "edit", arguments: { amount: 1n } },
      { type: "edit", arguments: { amount: "x" } },
      { type: "edit", name: "look", arguments: {}, always: true },
      { type: "respond" },
      { type: "respond", result: 1n },
    ];
    const names =
      "call awaiting approve reject edit respond type digest reason arguments name always scope match".split(" ");
    names.push(..."result maybe true pay look amount thread agent tool createAgent JSON BigInt succeeded".split(" "));
    const problems = [
      ...wrong.map((decision) => ({ call_1: decision })),
      { call_2: { type: "approve" } },
      { nope: { type: "approve" } },
    ].map(async (decisions) => {
      const events = await eventsOf(thread.decide(decisions as Decisions)); // as in JavaScript
      const end = events.at(-1);
      return end?.type === "run_end" ? (end.data.error?.message ?? "") : "";
    });
    for (const problem of await Promise.all(problems)) {
      expect(problem).toMatch(/^没有作出任何决定：/u);
      expect(wordsIn(problem, [...names, "nope"])).toEqual([]);
    }
  });

  test("says that a process has died in Chinese", async () => {
    const store = memoryStore();
    const dead = createAgent({ model: scriptedModel([{ text: "好", delay: 60_000 }]), store, language: "zh" });
    void dead.thread("t").send("开始");
    await expect.poll(async () => (await store.load("t"))?.owner).toBeDefined();
    const agent = createAgent({ model: scriptedModel([{ text: "回来了" }]), store: afterDeath(store), language: "zh" });
    const thread = agent.thread("t");
    expect((await thread.send("还在吗？").result).status).toBe("done");
    const events: AgentEvent[] = [];
    for await (const event of thread.events()) {
      events.push(event);
      if (event.type === "run_end" && event.data.status === "done") break;
    }
    const crash = events.filter(
      ({ type, data }) => type === "model_discarded" || (type === "run_end" && "error" in data),
    );
    expect(crash.flatMap(sentencesIn)).toEqual([
      expect.stringMatching(/^运行它的进程（.+）中途终止了。$/u),
      expect.stringMatching(/^运行它的进程（.+）中途终止了。$/u),
    ]);
  });
});

/** What an event says to a person. */
function sentencesIn({ type, data }: AgentEvent): readonly string[] {
  switch (type) {
    case "repair":
    case "warning":
      return [data.message];
    case "model_discarded":
      return [data.reason];
    case "run_end":
      return data.error === undefined ? [] : [data.error.message];
    default:
      return [];
  }
}
