import { describe, expect, test } from "vitest";

import { UndangleError } from "#core";

import { anthropic, gemini, mistral, ollama, openai, openaiCompatible } from "./index.ts";
import type { HttpModelOptions } from "./index.ts";

function codeOf(make: () => unknown): unknown {
  try {
    make();
  } catch (error) {
    return error instanceof UndangleError
      ? [error.code, "option" in error.data ? error.data.option : undefined]
      : error;
  }
  return undefined;
}

const makers = { openai, anthropic, gemini, mistral, ollama };

describe("the options of a model", () => {
  test.each(Object.entries(makers))("%s takes none at all, and needs no key to be made", (_name, make) => {
    expect(make("some-model").name).toMatch(/^\w+\/some-model$/u);
  });

  test.each(Object.entries(makers))("%s refuses an option that does not exist", (_name, make) => {
    const misspelt: object = { temprature: 1 }; // what somebody writes in JavaScript
    expect(codeOf(() => make("m", misspelt))).toEqual(["options/unknown", "temprature"]);
  });

  test.each(Object.entries(makers))("%s refuses a model without a name", (_name, make) => {
    expect(codeOf(() => make(""))).toEqual(["options/value", "id"]);
    expect(codeOf(() => make(undefined as unknown as string))).toEqual(["options/value", "id"]);
  });

  test.each<[string, unknown]>([
    ["apiKey", 5],
    ["apiKey", ""],
    ["baseURL", "api.openai.com/v1"],
    ["baseURL", "ftp://x"],
    ["headers", { a: 1 }],
    ["fetch", "fetch"],
    ["maxTokens", 0],
    ["maxTokens", 1.5],
    ["temperature", 3],
    ["temperature", Number.NaN],
    ["topP", -1],
    ["stop", "x"],
    ["seed", 1.5],
    ["parallelCalls", "no"],
    ["reasoning", "much"],
    ["reasoning", -5],
    ["body", []],
    ["retries", -1],
    ["retries", Infinity],
    ["retryDelay", -1],
    ["timeouts", 5],
    ["name", ""],
    ["env", "x"],
  ])("refuse the value of %s that is %j", (option, value) => {
    expect(codeOf(() => gemini("m", { [option]: value }))).toEqual(["options/value", option]);
  });

  test("refuse phases that do not exist, and times that are none", () => {
    const misspelt: object = { timeouts: { first: 5 } }; // what somebody writes in JavaScript
    expect(codeOf(() => openai("m", misspelt))).toEqual(["options/unknown", "timeouts.first"]);
    expect(codeOf(() => openai("m", { timeouts: { idle: 0 } }))).toEqual(["options/value", "timeouts.idle"]);
    expect(codeOf(() => openai("m", { timeouts: { idle: Infinity } }))).toBeUndefined();
  });

  test("say so where a provider has no place for one", () => {
    expect(codeOf(() => openai("m", { seed: 1 }))).toEqual(["options/unknown", "seed"]);
    expect(codeOf(() => openai("m", { seed: 1, api: "chat" }))).toBeUndefined();
    expect(codeOf(() => anthropic("m", { seed: 1 }))).toEqual(["options/unknown", "seed"]);
  });

  test("never show what may be a key", () => {
    const wrong = { apiKey: ["sk-secret-1"] } as unknown as HttpModelOptions; // what somebody writes in JavaScript
    expect(() => openai("m", wrong)).toThrow(/^(?!.*secret).*apiKey/u);
  });

  test("say what an empty key means, which is no secret", () => {
    expect(() => openai("m", { apiKey: "" })).toThrow(/^"" is not a value of the option apiKey\..*environment/u);
  });

  test("of a compatible server are an address or a provider", () => {
    expect(() => openaiCompatible({})).toThrow(/address of the server.*set provider/u);
    expect(codeOf(() => openaiCompatible({}))).toEqual(["options/value", "baseURL"]);
    expect(codeOf(() => openaiCompatible({ provider: "nobody" }))).toEqual(["options/value", "provider"]);
    expect(codeOf(() => openaiCompatible({ provider: "cohere" }))).toEqual(["options/value", "baseURL"]);
    expect(codeOf(() => openaiCompatible({ provider: "deepseek", apiVersion: "1" }))).toEqual([
      "options/unknown",
      "apiVersion",
    ]);
    expect(codeOf(() => openaiCompatible({ provider: "azure", resource: "" }))).toEqual(["options/value", "resource"]);
    expect(openaiCompatible({ provider: "deepseek" })("deepseek-chat").name).toBe("deepseek/deepseek-chat");
    expect(openaiCompatible({ baseURL: "http://x/v1" })("m").name).toBe("compatible/m");
  });

  test("refuse an api that OpenAI does not have", () => {
    expect(codeOf(() => openai("m", { api: "completions" as "chat" }))).toEqual(["options/value", "api"]);
  });
});
