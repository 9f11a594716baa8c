import { describe, expect, it } from "vitest";

import { contextOverflow, overflowTexts } from "./context-overflow.ts";
import { UndangleError } from "./errors.ts";

describe("The table of context overflows", () => {
  it.each(overflowTexts.map((row) => [row.from, row] as const))("recognizes a text of %s", (_, { says, example }) => {
    expect(says.test(example)).toBe(true);
    const sizes = ["limit", "requested"].filter((name) => says.source.includes(`?<${name}>`));
    expect(Object.keys(contextOverflow(example) ?? {})).toEqual(expect.arrayContaining(sizes));
  });

  it("names a source for every text", () => {
    for (const { source } of overflowTexts) expect(source).toMatch(/^https:\/\//u);
  });

  it("has every provider that Undangle knows by name", () => {
    const named = new Set(overflowTexts.flatMap(({ from }) => from.split(", ")));
    const expected = "openai azure anthropic gemini vertex bedrock mistral deepseek moonshot minimax zhipu dashscope";
    const others = "xai groq openrouter vllm sglang llamacpp ollama cohere together fireworks cerebras lmstudio";
    expect(`${expected} ${others}`.split(" ").filter((name) => !named.has(name))).toEqual([]);
  });
});

describe("The sizes of an overflow", () => {
  it.each<[string, unknown, object]>([
    [
      "the text of OpenAI",
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 204308 tokens.",
      { limit: 128_000, requested: 204_308 },
    ],
    [
      "the text of vLLM and DeepSeek",
      "This model's maximum context length is 65536 tokens. However, you requested 66343 tokens (62247 in the messages, 4096 in the completion).",
      { limit: 65_536, requested: 66_343 },
    ],
    [
      "Anthropic with reserved tokens",
      "input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000, decrease input length or `max_tokens` and try again",
      { limit: 200_000, requested: 207_951 },
    ],
    [
      "numbers with commas",
      "maximum context length is 128,000 tokens. However, you requested 130,001 tokens",
      { limit: 128_000, requested: 130_001 },
    ],
    ["MiniMax, whose number is a code", "invalid params, context window exceeds limit (2013)", {}],
    [
      "Gemini without the request",
      "The input token count exceeds the maximum number of tokens allowed (1048576).",
      { limit: 1_048_576 },
    ],
    ["Ollama, which reports the difference", "prompt too long; exceeded max context length by 12 tokens", {}],
  ])("are read from %s", (_, error, sizes) => {
    expect(contextOverflow(error)).toEqual(sizes);
  });

  it("are read from a body of llama.cpp", () => {
    const error = {
      code: 400,
      message: "the request exceeds the available context size",
      type: "exceed_context_size_error",
      n_prompt_tokens: 1407,
      n_ctx: 256,
    };
    expect(contextOverflow(JSON.stringify({ error }))).toEqual({ limit: 256, requested: 1407 });
    expect(contextOverflow({ error })).toEqual({ limit: 256, requested: 1407 });
  });

  it("are read from the body of another provider inside that of OpenRouter", () => {
    const raw = JSON.stringify({
      error: {
        message:
          "This model's maximum context length is 262144 tokens. However, your messages resulted in 262897 tokens.",
      },
    });
    const body = {
      error: { message: "Provider returned error", code: 400, metadata: { raw, provider_name: "Nvidia" } },
    };
    expect(contextOverflow(JSON.stringify(body))).toEqual({ limit: 262_144, requested: 262_897 });
  });
});

describe("Errors of SDKs", () => {
  const text = "prompt is too long: 219898 tokens > 200000 maximum";
  const sizes = { limit: 200_000, requested: 219_898 };

  it.each<[string, unknown]>([
    ["an error", new Error(`400 ${text}`)],
    ["an error inside another", new Error("Request failed", { cause: new Error(text) })],
    [
      "a rejected promise of the OpenAI SDK",
      Object.assign(new Error("400"), { status: 400, error: { message: text } }),
    ],
    [
      "the Anthropic SDK",
      Object.assign(new Error("400"), { status: 400, error: { type: "error", error: { message: text } } }),
    ],
    [
      "the AI SDK",
      Object.assign(new Error("Bad Request"), {
        name: "AI_APICallError",
        statusCode: 400,
        responseBody: JSON.stringify({ error: { message: text } }),
      }),
    ],
    [
      "the AI SDK after retries",
      Object.assign(new Error("Failed"), { name: "AI_RetryError", lastError: new Error(text) }),
    ],
    [
      "AWS",
      Object.assign(new Error(`The model returned the following errors: ${text}`), { name: "ValidationException" }),
    ],
  ])("are recognized: %s", (_, error) => {
    expect(contextOverflow(error)).toEqual(sizes);
  });

  it("are recognized if a model of this package threw them", () => {
    const data = { model: "m", message: "Too long.", canRetry: false, ...sizes };
    expect(contextOverflow(new UndangleError("model/context-overflow", data))).toEqual(sizes);
    expect(contextOverflow(new UndangleError("model/refused", { ...data, canRetry: false }))).toBeUndefined();
  });

  it("are recognized by the status 413 alone, unless they are about a rate", () => {
    expect(contextOverflow(Object.assign(new Error("413 status code (no body)"), { status: 413 }))).toEqual({});
    const rate =
      "Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 14810, please reduce your message size and try again.";
    expect(contextOverflow(Object.assign(new Error(rate), { status: 413 }))).toBeUndefined();
  });
});

describe("Other errors", () => {
  it.each<[string, unknown]>([
    [
      "a limit per minute",
      "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 342389. The input or output tokens must be reduced in order to run successfully.",
    ],
    [
      "a rate limit",
      "Rate limit reached for model `x` on tokens per minute (TPM): Limit 6000, Used 5034, Requested 1443. Please try again in 4.77s.",
    ],
    ["throttling of Bedrock", "ThrottlingException: Too many tokens, please wait before trying again."],
    [
      "too many tokens for the response",
      "The maximum tokens you requested exceeds the model limit of 4096. Try again with a maximum tokens value that is lower than 4096.",
    ],
    [
      "a limit of max_tokens",
      "max_tokens must be less than or equal to 16384, the maximum value for max_tokens is less than the context_window for this model",
    ],
    [
      "a long id",
      "Invalid 'messages[36].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 51 instead.",
    ],
    [
      "an unanswered call",
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
    ],
    ["nothing", undefined],
    ["an empty text", ""],
    ["a number", 400],
    [
      "a conversation that speaks of one",
      Object.assign(new Error("Bad Request"), {
        statusCode: 400,
        requestBodyValues: { messages: [{ content: "prompt is too long" }] },
      }),
    ],
    ["a long quotation", `Invalid value: ${"x".repeat(2000)} prompt is too long`],
  ])("are not recognized: %s", (_, error) => {
    expect(contextOverflow(error)).toBeUndefined();
  });

  it("may refer to themselves", () => {
    const error: Error & { cause?: unknown } = new Error("odd");
    error.cause = error;
    expect(contextOverflow(error)).toBeUndefined();
  });
});
