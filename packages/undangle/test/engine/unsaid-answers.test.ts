import { createAgent } from "undangle/agent";
import { openai } from "undangle/models";
import { wireServer } from "undangle/testing";
import type { ScriptedTurn } from "undangle/testing";
import { describe, expect, test } from "vitest";

/** What a person is warned of when a model answers so. */
async function warnings(turn: ScriptedTurn, language: "en" | "zh" = "en") {
  const server = await wireServer({ turns: [turn] });
  const model = openai("gpt-5.1", { apiKey: "none", env: {}, baseURL: server.baseUrl("openai-responses") });
  const run = createAgent({ model, language }).thread("t").send("Hello.");
  const told: string[] = [];
  for await (const { type, data } of run) if (type === "warning") told.push(data.message);
  const { status, text } = await run.result;
  await server.close();
  return { told, status, text };
}

describe("an answer that its limit of tokens has ended", () => {
  test("before it said anything is told", async () => {
    const { told, status, text } = await warnings({ reasoning: "Well, let me", finish: "length" });
    expect([status, text, told.length]).toEqual(["done", "", 1]);
    expect(told[0]).toContain("before it contained any text");
  });

  test("is told in the language of the agent", async () => {
    const { told } = await warnings({ finish: "length" }, "zh");
    expect(told[0]).toContain("token 上限");
  });

  test("in the middle of a sentence shows by itself", async () => {
    expect((await warnings({ text: "Hel", finish: "length" })).told).toEqual([]);
    expect((await warnings({ reasoning: "Well.", text: "Hello." })).told).toEqual([]);
  });
});
