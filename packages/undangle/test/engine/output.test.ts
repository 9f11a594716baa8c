import { createAgent } from "#engine";
import type { Entry } from "#engine";
import { memoryStore } from "#store";
import { scriptedModel } from "#testing";
import type { ScriptedAnswer } from "#testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";

import { faultsOf } from "./health.ts";
import { shapeOf } from "./recorded.ts";

const output = z.object({ sum: z.number(), note: z.string().default("none") });
const given = { name: "final_answer", arguments: { sum: 3 } };

function stage(answers: readonly ScriptedAnswer[], language: "en" | "zh" = "en") {
  const store = memoryStore();
  const model = scriptedModel(answers);
  const agent = createAgent({ model, store, output, language, approvals: [{ tools: "*" }] });
  return { store, model, agent, thread: agent.thread("t") };
}

describe("the final answer", () => {
  test.each<readonly [string, readonly ScriptedAnswer[]]>([
    ["by its tool, which no rule gates", [{ calls: [given] }]],
    ["as the text of its answer", [{ text: '{"sum": 3}' }]],
    ["in a fence", [{ text: '```json\n{"sum": 3}\n```' }]],
    ["after arguments that did not fit", [{ calls: [{ ...given, arguments: { sum: "three" } }] }, { calls: [given] }]],
  ])("is taken from a model that gives it %s", async (_, answers) => {
    const { thread, store, model } = stage(answers);
    const end = await thread.send("Add.").result;
    expect(end).toMatchObject({ status: "done", output: { sum: 3, note: "none" } });
    expect(await faultsOf(store, model.requests)).toEqual([]);
  });

  test("is asked for again when a model forgot it, in words that are nobody's", async () => {
    const { thread, store, model, agent } = stage([{ text: "It is three." }, { calls: [given] }]);
    expect((await thread.send("Add.").result).output).toEqual({ sum: 3, note: "none" });
    const reminder = "Please give your final answer by calling final_answer.";
    expect(await shapeOf(thread)).toBe(`H:Add. A:It is three. H:${reminder} A(final_answer) T`);
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: "user", parts: [{ text: reminder }] });
    const entries = (await store.entries("t")).map(({ value }) => value as Entry); // the ledger put them there
    expect(entries.map((entry) => (entry.type === "input" ? (entry.by ?? "a person") : "the model"))).toEqual([
      "a person",
      "the model",
      "engine",
      "the model",
    ]);
    expect(await agent.threads({ search: "Please give" })).toEqual([]);
    expect((await agent.threads({ search: "add." })).map(({ title }) => title)).toEqual(["Add."]);
  });

  test("that never comes fails the run, and the thread can go on", async () => {
    const { thread, store, model } = stage([...["No.", "No.", "No."].map((text) => ({ text })), { calls: [given] }]);
    const end = await thread.send("Add.").result;
    expect(end).toMatchObject({ status: "failed", error: { code: "output/missing", data: { asked: 2 } } });
    expect((await thread.send("Please.").result).status).toBe("done");
    expect(await faultsOf(store, model.requests)).toEqual([]);
  });
});

test.each([
  ["a string", { type: "string" }, "string"],
  ["a list", z.array(z.string()), "array"],
])("an output that is %s is refused by the name of the option", (_, odd, type) => {
  const create = () => createAgent({ model: scriptedModel([]), output: odd });
  expect(create).toThrow(/the option output\. Allowed: a schema that describes an object/u);
  expect(create).toThrow(`it describes "${type}"`);
  expect(create).not.toThrow(/final_answer|tool/u);
});
