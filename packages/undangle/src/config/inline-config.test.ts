import { expect, test } from "vitest";

import { memoryStore } from "#store";

import type { Config } from "./config.ts";
import { inlineConfig } from "./load-config.ts";
import { agentNames, openAgent, resolveAgent } from "./open-agent.ts";

const env = {};

test("a config in a program is checked as that of a file is", () => {
  const wrong = { agents: { mail: { modle: "x" } } } as unknown as Config; // programs without types
  expect(() => inlineConfig(wrong, "/")).toThrow("the config: Unknown key agents.mail.modle. Did you mean model?");
});

test("its agents work", async () => {
  const loaded = inlineConfig(
    { agents: { mail: {} }, personas: [{ id: "nurse", name: "N", instructions: "Help." }] },
    "/",
  );
  expect(agentNames(loaded.config)).toEqual(["mail", "nurse"]);
  const store = memoryStore();
  const agent = openAgent(loaded, { agent: "nurse", model: "demo", store, env });
  expect((await agent.thread("t1").send("Hello!").result).status).toBe("done");
  await agent.close();
});

test("the language is the one that is asked for, else that of the agent, else that of the config", () => {
  const loaded = inlineConfig({ language: "zh", agents: { a: {}, b: { language: "en" } } }, "/");
  const language = (agent: string, asked?: "en" | "zh"): unknown =>
    resolveAgent(loaded, { agent, language: asked, store: memoryStore(), env }).options.language;
  expect([language("a"), language("b"), language("a", "en")]).toEqual(["zh", "en", "en"]);
});

test("without a config the fallback is taken, by the demo model", () => {
  const { name, modelOrigin, options } = resolveAgent(undefined, {
    store: memoryStore(),
    env,
    fallback: { name: "demo-agent", instructions: "Be brief." },
  });
  expect([name, modelOrigin, options.instructions]).toEqual(["demo-agent", "demo", "Be brief."]);
});

test("an agent that is named where there is no config is an error", () => {
  const choice = { agent: "mail", store: memoryStore(), env };
  expect(() => resolveAgent(undefined, choice)).toThrow(
    '--agent: there is no agent "mail". There are none: define one in the config, or leave the name out.',
  );
});
