import { describe, expect, test } from "vitest";

import { UndangleError } from "#core";

import { modelNamed } from "./model-named.ts";

function suggestionsFor(name: unknown): unknown {
  try {
    modelNamed(name as string);
  } catch (error) {
    if (error instanceof UndangleError && error.is("model/unknown")) return error.data.suggestions;
    throw error;
  }
  throw new Error("it was found");
}

describe("modelNamed", () => {
  test.each([
    "openai/gpt-5.1",
    "anthropic/claude-sonnet-4-5",
    "gemini/gemini-2.5-flash",
    "mistral/mistral-large-latest",
    "ollama/qwen3:8b",
    "deepseek/deepseek-chat",
    "moonshot/kimi-k2",
    "zhipu/glm-4.6",
    "dashscope/qwen3-max",
    "minimax/MiniMax-M2",
    "groq/openai/gpt-oss-120b",
    "xai/grok-4",
    "openrouter/anthropic/claude-sonnet-4.5",
    "azure/my-deployment",
    "vllm/some/model",
    "llamacpp/local",
    "lmstudio/local",
  ])("knows %s, and calls it so", (name) => {
    expect(modelNamed(name).name).toBe(name);
  });

  test("knows the demo model", () => {
    expect(modelNamed("demo").name).toBe("demo");
  });

  test("passes options on", () => {
    expect(modelNamed("openai/gpt-5.1", { name: "the clever one" }).name).toBe("the clever one");
    expect(() => modelNamed("openai/gpt-5.1", { temperature: 9 })).toThrow("temperature");
  });

  test.each([
    ["opnai/gpt-5", ["openai/gpt-5"]],
    ["google/gemini-2.5-pro", ["gemini/gemini-2.5-pro"]],
    ["kimi/kimi-k2", ["moonshot/kimi-k2"]],
    ["gpt-5.1", ["openai/gpt-5.1"]],
    ["claude-opus-4-6", ["anthropic/claude-opus-4-6"]],
    ["/gpt-5.1", ["openai/gpt-5.1"]],
    ["openai", ["openai/ID"]],
    ["openai/", ["openai/ID"]],
    ["meta-llama/llama-4", ["openrouter/meta-llama/llama-4"]],
    ["something", []],
    ["", []],
    [undefined, []],
  ])("answers %j with suggestions", (name, suggestions) => {
    expect(suggestionsFor(name)).toEqual(suggestions);
  });
});
