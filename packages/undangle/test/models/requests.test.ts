import { openai, anthropic, gemini, mistral, ollama, openaiCompatible } from "undangle/models";
import type { Model, HttpModelOptions, ModelRequest } from "undangle/models";
import { describe, expect, test } from "vitest";
import { faultOf, hear } from "./asking.ts";

interface Sent {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What a model sends. Nothing answers: what counts is the request. */
async function sentBy(
  make: (options: HttpModelOptions) => Model,
  options: HttpModelOptions = {},
  request: Partial<ModelRequest> = {},
): Promise<Sent> {
  let sent: Sent | undefined;
  const fetch: HttpModelOptions["fetch"] = (url, { headers, body }) => {
    const told = headers as Sent["headers"]; // we write them so
    sent = { url, headers: told, body: JSON.parse(typeof body === "string" ? body : "") as Sent["body"] }; // and the body as JSON
    return Promise.resolve(new Response("", { status: 418 }));
  };
  const { error } = await hear(make({ apiKey: "key-1234", env: {}, ...options, fetch }), request);
  if (sent === undefined) throw new Error("nothing was sent", { cause: error });
  return sent;
}

const tool = { name: "add", description: "Adds.", schema: { type: "object", properties: {} } };
const schema = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] };
const closed = { ...schema, additionalProperties: false };

const makers = {
  responses: (options: HttpModelOptions) => openai("gpt-5.1", options),
  chat: (options: HttpModelOptions) => openai("gpt-5.1", { ...options, api: "chat" }),
  anthropic: (options: HttpModelOptions) => anthropic("claude-sonnet-4-5", options),
  adaptive: (options: HttpModelOptions) => anthropic("claude-opus-4-6", options),
  gemini: (options: HttpModelOptions) => gemini("gemini-2.5-flash", options),
  gemini3: (options: HttpModelOptions) => gemini("gemini-3-pro-preview", options),
  mistral: (options: HttpModelOptions) => mistral("mistral-medium-latest", options),
  ollama: (options: HttpModelOptions) => ollama("qwen3:8b", options),
  deepseek: (options: HttpModelOptions) => openaiCompatible({ ...options, provider: "deepseek" })("deepseek-chat"),
  dashscope: (options: HttpModelOptions) => openaiCompatible({ ...options, provider: "dashscope" })("qwen3-max"),
  openrouter: (options: HttpModelOptions) => openaiCompatible({ ...options, provider: "openrouter" })("z-ai/glm-4.6"),
  vllm: (options: HttpModelOptions) => openaiCompatible({ ...options, provider: "vllm" })("qwen3"),
  unknown: (options: HttpModelOptions) =>
    openaiCompatible({ ...options, baseURL: options.baseURL ?? "http://127.0.0.1:9/v1" })("m"),
} as const;

type Name = keyof typeof makers;

describe("where a request goes, and with which key", () => {
  test.each<[Name, string, Readonly<Record<string, string>>]>([
    ["responses", "https://api.openai.com/v1/responses", { authorization: "Bearer key-1234" }],
    ["chat", "https://api.openai.com/v1/chat/completions", { authorization: "Bearer key-1234" }],
    [
      "anthropic",
      "https://api.anthropic.com/v1/messages",
      { "x-api-key": "key-1234", "anthropic-version": "2023-06-01" },
    ],
    [
      "gemini",
      "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
      { "x-goog-api-key": "key-1234" },
    ],
    ["mistral", "https://api.mistral.ai/v1/chat/completions", { authorization: "Bearer key-1234" }],
    ["ollama", "http://127.0.0.1:11434/api/chat", {}],
    ["deepseek", "https://api.deepseek.com/v1/chat/completions", { authorization: "Bearer key-1234" }],
    ["openrouter", "https://openrouter.ai/api/v1/chat/completions", { authorization: "Bearer key-1234" }],
    ["unknown", "http://127.0.0.1:9/v1/chat/completions", { authorization: "Bearer key-1234" }],
  ])("%s is asked at %s", async (name, url, headers) => {
    const sent = await sentBy(makers[name]);
    expect(sent.url).toBe(url);
    expect(sent.headers).toMatchObject({ "content-type": "application/json", ...headers });
  });

  test.each([
    ["gemini-2.5-flash", "models/gemini-2.5-flash"],
    ["models/gemini-2.5-flash", "models/gemini-2.5-flash"],
    ["tunedModels/my-model", "tunedModels/my-model"],
    ["a/b", "models/a%2Fb"],
  ])("gemini is asked for %s at its own path", async (id, path) => {
    const { url } = await sentBy((options) => gemini(id, options));
    expect(url).toBe(`https://generativelanguage.googleapis.com/v1beta/${path}:streamGenerateContent?alt=sse`);
  });

  test("keys and addresses come from the environment, when the model is asked", async () => {
    const env: Record<string, string> = {};
    const named = (make: (options: HttpModelOptions) => Model) => (options: HttpModelOptions) =>
      make({ ...options, apiKey: undefined });
    const missing = await hear(openai("gpt-5.1", { env }));
    expect(faultOf(missing).is("model/auth") && faultOf(missing).message).toContain("set OPENAI_API_KEY");
    env["OPENAI_API_KEY"] = " from-env \n";
    env["OPENAI_BASE_URL"] = "https://proxy.example/v1/";
    const sent = await sentBy(named(makers.responses), { env });
    expect(sent.url).toBe("https://proxy.example/v1/responses");
    expect(sent.headers["authorization"]).toBe("Bearer from-env");
    env["GOOGLE_API_KEY"] = "google";
    expect((await sentBy(named(makers.gemini), { env })).headers["x-goog-api-key"]).toBe("google");
    const both = faultOf(await hear(gemini("gemini-2.5-flash", { env: {} })));
    expect(both.message).toContain("GEMINI_API_KEY or GOOGLE_API_KEY");
  });

  test.each([
    ["127.0.0.1:11500", "http://127.0.0.1:11500/api/chat"],
    ["0.0.0.0", "http://127.0.0.1:11434/api/chat"],
    [":8080", "http://127.0.0.1:8080/api/chat"],
    ["gpu.local", "http://gpu.local:11434/api/chat"],
    ["https://ollama.com", "https://ollama.com/api/chat"],
    ["http://x:1/v1", "http://x:1/api/chat"],
  ])("OLLAMA_HOST may be %s", async (host, url) => {
    expect((await sentBy(makers.ollama, { env: { OLLAMA_HOST: host } })).url).toBe(url);
  });

  test.each([
    ["https://x.example/v1", "https://x.example/v1/messages", makers.anthropic],
    ["https://x.example/anthropic", "https://x.example/anthropic/v1/messages", makers.anthropic],
    [
      "https://x.example/v1beta",
      "https://x.example/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
      makers.gemini,
    ],
  ])("the address %s is taken as other libraries write it", async (baseURL, url, make) => {
    expect((await sentBy(make, { baseURL })).url).toBe(url);
  });

  test("Azure is asked at a resource, with or without a date", async () => {
    const azure = (extra: object) => (options: HttpModelOptions) =>
      openaiCompatible({ ...options, provider: "azure", ...extra })("my-gpt");
    const dated = await sentBy(azure({ resource: "acme", apiVersion: "2024-10-21" }));
    expect(dated.url).toBe(
      "https://acme.openai.azure.com/openai/deployments/my-gpt/chat/completions?api-version=2024-10-21",
    );
    expect(dated.headers).toMatchObject({ "api-key": "key-1234" });
    expect(dated.headers).not.toHaveProperty("authorization");
    const plain = await sentBy(azure({}), { env: { AZURE_OPENAI_ENDPOINT: "https://acme.openai.azure.com/" } });
    expect(plain.url).toBe("https://acme.openai.azure.com/openai/v1/chat/completions");
    expect(plain.body["model"]).toBe("my-gpt");
    expect((await sentBy(azure({ resource: "acme", deployment: "other" }))).body["model"]).toBe("other");
    const nowhere = await hear(azure({})({ apiKey: "k", env: {} }));
    expect(String(nowhere.error)).toContain("AZURE_OPENAI_ENDPOINT");
  });

  test("headers of one's own come last, and may carry the key", async () => {
    const headers = { Authorization: "Bearer mine", "X-Team": "a" };
    const sent = await sentBy((options) => makers.responses({ ...options, apiKey: undefined }), { headers });
    expect(sent.headers).toMatchObject({ authorization: "Bearer mine", "x-team": "a" });
  });

  test("a key may be asked for before every request", async () => {
    let asked = 0;
    const apiKey = () => Promise.resolve(`fresh-${++asked}`);
    const make = (options: HttpModelOptions) => makers.responses({ ...options, apiKey });
    expect((await sentBy(make)).headers["authorization"]).toBe("Bearer fresh-1");
    expect((await sentBy(make)).headers["authorization"]).toBe("Bearer fresh-2");
  });
});

describe("what a request says", () => {
  test.each<[Name, HttpModelOptions, Partial<ModelRequest>, object]>([
    ["responses", {}, {}, { stream: true, store: false, include: ["reasoning.encrypted_content"] }],
    ["responses", { reasoning: "high", maxTokens: 50 }, {}, { reasoning: { effort: "high" }, max_output_tokens: 50 }],
    [
      "responses",
      { temperature: 1, topP: 0.5 },
      { sampling: { temperature: 0, maxTokens: 9 } },
      { temperature: 0, top_p: 0.5, max_output_tokens: 16 }, // the API takes no less
    ],
    ["anthropic", {}, { sampling: { maxTokens: 9, topP: undefined } }, { max_tokens: 9 }],
    ["responses", { reasoning: 5000 }, {}, { reasoning: { effort: "medium" } }],
    [
      "responses",
      {},
      { output: schema, tools: [tool] },
      { text: { format: { type: "json_schema", name: "answer", schema: closed, strict: true } } },
    ],
    [
      "responses",
      {},
      { tools: [tool], toolChoice: "required", parallelCalls: false },
      { tool_choice: "required", parallel_tool_calls: false },
    ],
    [
      "chat",
      { maxTokens: 50, stop: ["x"], seed: 3 },
      {},
      { max_completion_tokens: 50, stop: ["x"], seed: 3, stream_options: { include_usage: true } },
    ],
    [
      "chat",
      { reasoning: "none" },
      { output: schema },
      { reasoning_effort: "none", response_format: { type: "json_schema" } },
    ],
    ["anthropic", {}, {}, { max_tokens: 32_000, stream: true }],
    [
      "anthropic",
      { reasoning: "low", maxTokens: 1000 },
      {},
      { max_tokens: 3048, thinking: { type: "enabled", budget_tokens: 2048 } },
    ],
    ["anthropic", { reasoning: "none" }, {}, { thinking: { type: "disabled" } }],
    [
      "anthropic",
      { stop: ["x"], topP: 0.5 },
      { tools: [tool], toolChoice: { tool: "add" }, parallelCalls: false },
      {
        stop_sequences: ["x"],
        top_p: 0.5,
        tool_choice: { type: "tool", name: "add", disable_parallel_tool_use: true },
      },
    ],
    ["anthropic", {}, { output: schema }, { output_config: { format: { type: "json_schema", schema: closed } } }],
    [
      "adaptive",
      { reasoning: "medium" },
      {},
      { thinking: { type: "adaptive" }, output_config: { effort: "medium" }, max_tokens: 32_000 },
    ],
    [
      "gemini",
      { maxTokens: 50, temperature: 0.5, seed: 1, reasoning: 100 },
      {},
      {
        generationConfig: {
          maxOutputTokens: 50,
          temperature: 0.5,
          seed: 1,
          thinkingConfig: { thinkingBudget: 100, includeThoughts: true },
        },
      },
    ],
    [
      "gemini",
      { reasoning: "none" },
      {},
      { generationConfig: { thinkingConfig: { thinkingBudget: 0, includeThoughts: false } } },
    ],
    [
      "gemini",
      {},
      { output: schema },
      { generationConfig: { responseMimeType: "application/json", responseJsonSchema: closed } },
    ],
    [
      "gemini",
      {},
      { tools: [tool], toolChoice: { tool: "add" } },
      { toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["add"] } } },
    ],
    [
      "gemini3",
      { reasoning: "low" },
      { output: schema, tools: [tool] },
      { generationConfig: { thinkingConfig: { thinkingLevel: "low" }, responseJsonSchema: closed } },
    ],
    ["mistral", { seed: 3, reasoning: "low" }, {}, { random_seed: 3, reasoning_effort: "high" }],
    ["mistral", {}, { output: schema }, { response_format: { type: "json_schema" } }],
    [
      "ollama",
      { maxTokens: 50, reasoning: "low", body: { options: { num_ctx: 8192 } } },
      {},
      { think: true, truncate: false, options: { num_predict: 50, num_ctx: 8192 } },
    ],
    ["ollama", {}, { output: schema }, { format: closed }],
    ["deepseek", { reasoning: "low" }, { tools: [tool], toolChoice: "auto" }, { thinking: { type: "enabled" } }],
    ["deepseek", { reasoning: "low" }, { tools: [tool], toolChoice: "required" }, { thinking: { type: "disabled" } }],
    ["dashscope", { reasoning: 700 }, { tools: [tool], toolChoice: { tool: "add" } }, { enable_thinking: false }],
    ["deepseek", { reasoning: "none", maxTokens: 50 }, {}, { thinking: { type: "disabled" }, max_tokens: 50 }],
    ["dashscope", { reasoning: 700 }, {}, { enable_thinking: true, thinking_budget: 700 }],
    ["openrouter", { reasoning: "high" }, {}, { reasoning: { effort: "high" } }],
    ["openrouter", { reasoning: 700 }, {}, { reasoning: { max_tokens: 700 } }],
    ["vllm", { reasoning: "none" }, {}, { chat_template_kwargs: { enable_thinking: false } }],
    [
      "unknown",
      { maxTokens: 50, body: { extra: [1], stream_options: { more: true } } },
      {},
      { max_tokens: 50, extra: [1], stream_options: { include_usage: true, more: true } },
    ],
  ])("%s with %j and %j", async (name, options, request, body) => {
    expect((await sentBy(makers[name], options, request)).body).toMatchObject(body);
  });

  test.each<[Name, HttpModelOptions, Partial<ModelRequest>, readonly string[]]>([
    [
      "responses",
      {},
      { toolChoice: "required", parallelCalls: false },
      ["tool_choice", "parallel_tool_calls", "tools"],
    ],
    ["chat", {}, { parallelCalls: true }, ["parallel_tool_calls", "tools"]],
    ["anthropic", { reasoning: "high" }, { tools: [tool], toolChoice: "required" }, ["thinking"]],
    ["mistral", {}, { output: schema, tools: [tool] }, ["response_format", "stream_options"]],
    ["gemini", {}, { output: schema, tools: [tool] }, ["generationConfig", "model"]],
    ["ollama", {}, { output: schema, tools: [tool] }, ["format"]],
    ["deepseek", {}, { output: schema }, ["response_format"]],
    ["unknown", { maxTokens: 5 }, {}, ["max_completion_tokens", "response_format"]],
  ])("%s with %j and %j leaves out what would be refused", async (name, options, request, absent) => {
    const { body } = await sentBy(makers[name], options, request);
    for (const key of absent) expect(body).not.toHaveProperty([key]);
  });

  test.each([
    ["gpt-5.1", "none"],
    ["gpt-5-mini", "minimal"],
    ["o4-mini", "low"],
    ["gpt-5-pro", "high"],
    ["gpt-5.2-pro", "medium"],
  ])("%s thinks as little as it can with %s", async (id, effort) => {
    const { body } = await sentBy((options) => openai(id, { ...options, reasoning: "none" }));
    expect(body["reasoning"]).toEqual({ effort });
  });

  test("a model that is told to think does not while it is forced to make a call", async () => {
    const make = (options: HttpModelOptions) => openaiCompatible({ ...options, provider: "dashscope" })("qwen-max");
    const { body } = await sentBy(make, { reasoning: "low" }, { tools: [tool], toolChoice: "required" });
    expect(body).toMatchObject({ enable_thinking: false, tool_choice: "required" });
    const plain = await sentBy(make, {}, { tools: [tool], toolChoice: "required" });
    expect(plain.body).not.toHaveProperty("enable_thinking");
  });

  test.each<[string, HttpModelOptions["reasoning"], Readonly<Record<string, unknown>>]>([
    ["kimi-k2.6", "none", { thinking: { type: "disabled" } }],
    ["kimi-k2.6", "low", { thinking: { type: "enabled" } }],
    ["kimi-k2.7-code", "none", {}],
    ["kimi-k2-thinking", "high", {}],
    ["kimi-k3", "none", { reasoning_effort: "low" }],
    ["kimi-k3", "high", { reasoning_effort: "max" }],
  ])("%s with the effort %s is told what it takes", async (id, reasoning, fields) => {
    const { body } = await sentBy((options) => openaiCompatible({ ...options, provider: "moonshot", reasoning })(id));
    const { thinking, reasoning_effort } = body;
    expect(JSON.parse(JSON.stringify({ thinking, reasoning_effort }))).toEqual(fields);
  });

  test.each<[string, (options: HttpModelOptions) => Model]>([
    ["gpt-4o", (options) => openai("gpt-4o", options)],
    ["gpt-4.1, by chat", (options) => openai("gpt-4.1", { ...options, api: "chat" })],
    ["gpt-5-chat-latest", (options) => openai("gpt-5-chat-latest", options)],
    ["gpt-4o at Azure", (options) => openaiCompatible({ ...options, provider: "azure", resource: "r" })("my-gpt-4o")],
    ["llama at Groq", (options) => openaiCompatible({ ...options, provider: "groq" })("llama-3.3-70b-versatile")],
    ["grok-4", (options) => openaiCompatible({ ...options, provider: "xai" })("grok-4")],
    ["mistral-large-latest", (options) => mistral("mistral-large-latest", options)],
  ])("%s is not told not to think, which it would refuse", async (_, make) => {
    const { body } = await sentBy((options) => make({ ...options, reasoning: "none" }));
    expect(body).not.toHaveProperty("reasoning");
    expect(body).not.toHaveProperty("reasoning_effort");
  });

  test.each([
    ["claude-opus-4-1", { reasoning: "high" }, 32_000, 24_576],
    ["claude-opus-4-1", { reasoning: 60_000 }, 32_000, 27_904],
    ["claude-sonnet-4-5", { reasoning: 60_000 }, 64_000, 59_904],
    ["claude-sonnet-4-5", { reasoning: "low", maxTokens: 1000 }, 3048, 2048],
  ] as const)("%s with %j has room for its thoughts, and no more than it takes", async (id, options, most, budget) => {
    const { body } = await sentBy((more) => anthropic(id, { ...more, ...options }));
    expect(body).toMatchObject({ max_tokens: most, thinking: { type: "enabled", budget_tokens: budget } });
  });

  test.each([
    ["claude-sonnet-4-5", { temperature: 0.5, topP: 0.5, reasoning: "low" }, {}],
    ["claude-opus-4-6", { temperature: 0.5, reasoning: "low" }, {}],
    ["claude-sonnet-4-5", { temperature: 0.5, topP: 0.5 }, { temperature: 0.5 }],
    ["claude-sonnet-4-5", { topP: 0.5 }, { top_p: 0.5 }],
    ["claude-sonnet-4-0", { temperature: 0.5, topP: 0.5 }, { temperature: 0.5, top_p: 0.5 }],
    ["claude-opus-4-7", { temperature: 0.5 }, {}],
  ] as const)("%s with %j is told of it no more than it takes", async (id, options, told) => {
    const { body } = await sentBy((more) => anthropic(id, { ...more, ...options }));
    const { temperature, top_p } = body;
    expect({ temperature, top_p }).toEqual({ temperature: undefined, top_p: undefined, ...told });
  });

  test("OpenAI's models that do not think are not asked for encrypted thoughts", async () => {
    for (const id of ["gpt-4o", "gpt-4.1-mini", "gpt-5-chat-latest"]) {
      expect((await sentBy((options) => openai(id, options))).body).not.toHaveProperty("include");
    }
    for (const id of ["o3", "gpt-5", "gpt-5.2-codex", "codex-mini-latest"]) {
      expect((await sentBy((options) => openai(id, options))).body).toHaveProperty("include");
    }
  });
});
