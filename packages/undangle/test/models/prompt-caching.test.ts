import { createAnthropic } from "@ai-sdk/anthropic";
import { appendSystemText, createAgent, defineMiddleware, promptCaching, tool } from "undangle/agent";
import type { AgentEvent, Middleware, Model, PromptCachingOptions } from "undangle/agent";
import { aiSdkModel, anthropic, fallback, gemini, mistral, ollama, openai, openaiCompatible } from "undangle/models";
import type { HttpModelOptions, LanguageModel } from "undangle/models";
import { wireServer } from "undangle/testing";
import type { ScriptedTurn } from "undangle/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";

import { faultOf, hear } from "./asking.ts";

type Body = Readonly<Record<string, unknown>>;

const add = tool({
  name: "add",
  description: "Adds.",
  input: z.object({ a: z.number() }),
  execute: () => "3",
});

const memory = defineMiddleware({
  name: "memory",
  beforeModel: (request) => ({
    ...request,
    system: [...request.system, { type: "text", path: "memory", text: "\n\nThe user likes tea.", isVolatile: true }],
  }),
});

const usual = { apiKey: "test-key-0123456789", retryDelay: 1, retries: 0, env: {} } as const;
const twoSteps: readonly ScriptedTurn[] = [{ calls: [{ name: "add", arguments: { a: 1 } }] }, { text: "Three." }];

interface Told {
  readonly bodies: readonly Body[];
  readonly events: readonly AgentEvent[];
  readonly status: string;
  readonly usage: { readonly inputTokens: number; readonly cachedTokens: number };
}

interface Asking {
  readonly make: (options: HttpModelOptions) => Model;
  readonly turns?: readonly ScriptedTurn[];
  readonly caching?: PromptCachingOptions;
  readonly middleware?: readonly Middleware[];
  readonly name?: string;
  readonly thread?: string;
  readonly language?: "en" | "zh";
}

/** One message to an agent with prompt caching. Every host is the wire server, at its own address. */
async function ask({ make, turns = twoSteps, caching, middleware = [], ...given }: Asking): Promise<Told> {
  const server = await wireServer({ turns, strict: false });
  const toServer: HttpModelOptions["fetch"] = (url, init) => fetch(url.replace(/^https?:\/\/[^/]+/u, server.url), init);
  const agent = createAgent({
    ...(given.name !== undefined && { name: given.name }),
    ...(given.language !== undefined && { language: given.language }),
    model: make({ ...usual, fetch: toServer }),
    instructions: "Be brief.",
    tools: [add],
    middleware: [...middleware, promptCaching(caching)],
  });
  try {
    const run = agent.thread(given.thread ?? "t").send("1 + 2?");
    const events: AgentEvent[] = [];
    for await (const event of run) events.push(event);
    const { status, usage } = await run.result;
    return { bodies: server.requests.map(({ body }) => body), events, status, usage };
  } finally {
    await server.close();
  }
}

const claude = (options: HttpModelOptions): Model => anthropic("claude-sonnet-4-5", options);
const compatible = (provider: string, id: string) => (options: HttpModelOptions) =>
  openaiCompatible({ ...options, provider })(id);

const says = (body: Body | undefined): string => JSON.stringify(body);
const warnings = ({ events }: Told): readonly unknown[] =>
  events.filter(({ type }) => type === "warning").map(({ data }) => data);

describe("promptCaching with Anthropic", () => {
  const marker = { cache_control: { type: "ephemeral" } };

  test("PC1, PC9, M10: marks tools, static text, memory and the last message of every request", async () => {
    const { bodies } = await ask({ make: claude, middleware: [memory] });
    expect(bodies.length).toBe(2);
    for (const { tools, system } of bodies) {
      expect(tools).toEqual([expect.objectContaining({ name: "add", ...marker })]);
      expect(system).toEqual([
        { type: "text", text: "Be brief.", ...marker },
        { type: "text", text: "\n\nThe user likes tea.", ...marker },
      ]);
    }
    expect(bodies[0]?.["messages"]).toEqual([{ role: "user", content: [{ type: "text", text: "1 + 2?", ...marker }] }]);
    expect(bodies[1]?.["messages"]).toEqual([
      { role: "user", content: "1 + 2?" },
      { role: "assistant", content: [expect.objectContaining({ type: "tool_use" })] },
      { role: "user", content: [expect.objectContaining({ type: "tool_result", ...marker })] },
    ]);
  });

  test("M10: static text of a later middleware is before the memory", async () => {
    const skills = defineMiddleware({
      name: "skills",
      wrapModelCall: (next) => (request) =>
        next({ ...request, system: appendSystemText(request.system, "Use skills.") }),
    });
    const { bodies } = await ask({ make: claude, middleware: [memory, skills] });
    expect(bodies.map(({ system }) => system)).toEqual(
      [0, 1].map(() => [
        { type: "text", text: "Be brief." },
        { type: "text", text: "\n\nUse skills.", ...marker },
        { type: "text", text: "\n\nThe user likes tea.", ...marker },
      ]),
    );
  });

  test("PC1: markers in `body` stay and count, and `ttl` holds for the others", async () => {
    const own = { type: "text", text: "Be kind.", cache_control: { type: "ephemeral", ttl: "1h" } };
    const { bodies } = await ask({
      make: (options) => claude({ ...options, body: { system: [own] } }),
      caching: { ttl: "1h" },
    });
    expect(bodies[0]?.["system"]).toEqual([own]);
    expect(says(bodies[0]).match(/"cache_control":\{"type":"ephemeral","ttl":"1h"\}/gu)?.length).toBe(3);
    expect(says(bodies[0]).match(/cache_control/gu)?.length).toBe(3);
  });

  test("PC7: marks no request with fewer messages than `minMessages`", async () => {
    const { bodies } = await ask({ make: claude, caching: { minMessages: 3 } });
    expect(bodies.map((body) => says(body).includes("cache_control"))).toEqual([false, true]);
  });
});

describe("promptCaching with fallback()", () => {
  const gpt = (options: HttpModelOptions): Model => openai("gpt-5.1", options);
  const down: ScriptedTurn = { error: { status: 503, message: "Down." } };

  test("PC3, 2.6: the request to OpenAI has no marker of Anthropic", async () => {
    const { bodies, status } = await ask({
      make: (options) => fallback(claude(options), gpt(options)),
      turns: [down, { text: "Three." }],
    });
    expect(status).toBe("done");
    expect(bodies.map((body) => [says(body).includes("cache_control"), "prompt_cache_key" in body])).toEqual([
      [true, false],
      [false, true],
    ]);
  });

  test("PC3: and the request to Anthropic has no key of OpenAI", async () => {
    const { bodies } = await ask({
      make: (options) => fallback(gpt(options), claude(options)),
      turns: [down, { text: "Three." }],
    });
    expect(bodies.map((body) => [says(body).includes("cache_control"), "prompt_cache_key" in body])).toEqual([
      [false, true],
      [true, false],
    ]);
  });

  test("PC6: a model without caching that is not allowed is passed over", async () => {
    const { bodies, events, status } = await ask({
      make: (options) => fallback(gemini("gemini-2.5-flash", options), claude(options)),
      turns: [{ text: "Three." }],
      caching: { unsupported: "error" },
    });
    expect([status, bodies.length]).toEqual(["done", 1]);
    expect(events.filter(({ type }) => type === "model_discarded").length).toBe(1);
  });
});

describe("promptCaching with OpenAI", () => {
  const keyed: readonly [name: string, make: Asking["make"]][] = [
    ["responses", (options) => openai("gpt-5.1", options)],
    ["chat", (options) => openai("gpt-4.1", { ...options, api: "chat" })],
    [
      "responses at Azure",
      (options) => openai("gpt-5.1", { ...options, baseURL: "https://me.openai.azure.com/openai/v1" }),
    ],
    ["azure", (options) => openaiCompatible({ ...options, provider: "azure", resource: "me" })("gpt-4.1")],
  ];

  test.each(keyed)("PC4: the key is a hash of agent and thread: %s", async (_name, make) => {
    const keys = async (given: Partial<Asking>): Promise<readonly unknown[]> =>
      (await ask({ make, ...given })).bodies.map((body) => body["prompt_cache_key"]);
    const [first, second] = await keys({ name: "adder" });
    expect(first).toMatch(/^[0-9a-f]{24}$/u);
    expect(second).toBe(first);
    const others = [await keys({ name: "finder" }), await keys({ name: "adder", thread: "u" }), await keys({})];
    expect(new Set([first, ...others.map(([key]) => key)]).size).toBe(4);
  });

  test("PC4: a key in `body` stays", async () => {
    const make = (options: HttpModelOptions): Model =>
      openai("gpt-5.1", { ...options, body: { prompt_cache_key: "mine" } });
    expect((await ask({ make })).bodies.map((body) => body["prompt_cache_key"])).toEqual(["mine", "mine"]);
  });

  const refusals: readonly [who: string, make: Asking["make"], message: string][] = [
    [
      "Azure, for DeepSeek and Kimi",
      (options) => openaiCompatible({ ...options, provider: "azure", resource: "me" })("DeepSeek-V3"),
      "Unrecognized request argument supplied: prompt_cache_key",
    ],
    ["an Anthropic-compatible host", claude, "system.0: unknown field cache_control"],
    [
      "OpenRouter",
      compatible("openrouter", "anthropic/claude-sonnet-4.5"),
      "No endpoints found that support cache control",
    ],
  ];

  test.each(refusals)("PC4: a host that refuses it gets it once: %s", async (_who, make, message) => {
    const turns = [{ error: { status: 400, message } }, ...twoSteps];
    const told = await ask({ make, turns });
    const asked = told.bodies.map((body) => /prompt_cache_key|cache_control/u.test(says(body)));
    expect([told.status, asked, warnings(told)]).toEqual(["done", [true, false, false], []]);
    expect(warnings(await ask({ make, turns, caching: { unsupported: "warn" } })).length).toBe(1);
  });
});

describe("promptCaching with other providers", () => {
  const without: readonly [name: string, make: Asking["make"]][] = [
    ["gemini", (options) => gemini("gemini-2.5-flash", options)],
    ["mistral", (options) => mistral("mistral-large-latest", options)],
    ["ollama", (options) => ollama("qwen3:8b", options)],
    ["a host of the Responses format", (options) => openai("gpt-5.1", { ...options, baseURL: "https://api.x.ai/v1" })],
    [
      "a host of the chat format",
      (options) => openai("m", { ...options, api: "chat", baseURL: "https://10.0.0.1/v1" }),
    ],
    ["openai.com.example", (options) => openai("m", { ...options, baseURL: "https://openai.com.example/v1" })],
    ["an unknown server", (options) => openaiCompatible({ ...options, baseURL: "http://127.0.0.1:9/v1" })("m")],
    ...["deepseek", "moonshot", "zhipu", "dashscope", "minimax", "groq", "xai", "vllm", "llamacpp", "lmstudio"].map(
      (provider): [string, Asking["make"]] => [provider, compatible(provider, "m")],
    ),
    ["GLM at openrouter", compatible("openrouter", "z-ai/glm-4.6")],
  ];

  test.each(without)("PC4, PC6: nothing is sent and nothing is said: %s", async (_name, make) => {
    const told = await ask({ make });
    expect(told.status).toBe("done");
    for (const body of told.bodies) expect(says(body)).not.toMatch(/cache/u);
    expect(warnings(told)).toEqual([]);
  });

  const flash = (options: HttpModelOptions): Model => gemini("gemini-2.5-flash", options);

  test("PC6, DA5: `warn` says it once in a run, in the language of the agent", async () => {
    const told = await ask({ make: flash, caching: { unsupported: "warn" } });
    expect([told.bodies.length, warnings(told)]).toMatchObject([
      2,
      [
        {
          message: "The model gemini/gemini-2.5-flash has no setting for prompt caching. Requests to it contain none.",
        },
      ],
    ]);
    const chinese = await ask({ make: flash, caching: { unsupported: "warn" }, language: "zh" });
    expect(warnings(chinese)).toMatchObject([{ message: expect.stringContaining("没有提示词缓存的设置") as unknown }]);
  });

  test("PC6: `error` fails the run before anything is sent", async () => {
    const { bodies, status, events } = await ask({ make: flash, caching: { unsupported: "error" } });
    expect([status, bodies]).toEqual(["failed", []]);
    expect(JSON.stringify(events.at(-1))).toContain("promptCaching({ unsupported: 'error' })");
  });

  test("Claude at OpenRouter gets one field, and that of `body` stays", async () => {
    const make = compatible("openrouter", "anthropic/claude-sonnet-4.5");
    const fields = async (given: Partial<Asking>): Promise<unknown> =>
      (await ask({ make, ...given })).bodies[0]?.["cache_control"];
    expect(await fields({})).toEqual({ type: "ephemeral" });
    expect(await fields({ caching: { ttl: "1h" } })).toEqual({ type: "ephemeral", ttl: "1h" });
    const own = { type: "ephemeral", ttl: "5m" };
    expect(
      await fields({ caching: { ttl: "1h" }, make: (options) => make({ ...options, body: { cache_control: own } }) }),
    ).toEqual(own);
  });
});

describe("promptCaching with models of the AI SDK", () => {
  const point = { type: "default" };
  const words = (text: string) => ({ type: "text", path: "", text }) as const;

  /** The call that a package of this provider gets. */
  async function callOf(provider: string, modelId: string, options: Parameters<typeof aiSdkModel>[1] = {}) {
    let call:
      | { readonly prompt: readonly Body[]; readonly tools: readonly Body[]; readonly providerOptions?: Body }
      | undefined;
    const model: LanguageModel = {
      specificationVersion: "v3",
      provider,
      modelId,
      doStream: (given: never) => {
        call = given;
        return Promise.reject(new Error("That is enough."));
      },
    };
    const heard = await hear(aiSdkModel(model, { retries: 0, ...options }), {
      system: [words("Be brief."), { ...words("\n\nTea."), isVolatile: true }],
      tools: [{ name: "add", description: "Adds.", schema: { type: "object", properties: {} } }],
      cache: { ttl: "1h", key: "k", unsupported: "warn" },
    });
    return { call, warnings: heard.parts.filter((part) => part === "<warning>").length };
  }

  test.each([
    ["anthropic.claude-sonnet-4-5-20250929-v1:0", { ...point, ttl: "1h" }],
    ["us.amazon.nova-pro-v1:0", point],
  ])("PC5: Bedrock gets cache points for Claude and Nova: %s", async (modelId, cachePoint) => {
    const { call, warnings: told } = await callOf("amazon-bedrock", modelId);
    expect(call?.prompt.map(({ role, providerOptions }) => [role, providerOptions])).toEqual([
      ["system", { bedrock: { cachePoint } }],
      ["system", { bedrock: { cachePoint } }],
      ["user", { bedrock: { cachePoint } }],
    ]);
    expect(told).toBe(0);
  });

  test.each(["meta.llama3-3-70b-instruct-v1:0", "deepseek.r1-v1:0"])("PC5: and for no other: %s", async (modelId) => {
    const { call, warnings: told } = await callOf("amazon-bedrock", modelId);
    expect(says(call)).not.toContain("cachePoint");
    expect(call?.prompt.map(({ role }) => role)).toEqual(["system", "user"]);
    expect(told).toBe(1);
  });

  test("a marker of the whole request in `providerOptions` takes the place of the last message", async () => {
    const cacheControl = { type: "ephemeral" };
    const { call } = await callOf("anthropic.messages", "claude-sonnet-4-5", {
      providerOptions: { anthropic: { cacheControl } },
    });
    expect(call?.prompt.map(({ providerOptions }) => providerOptions !== undefined)).toEqual([true, true, false]);
    expect(call?.tools.map(({ providerOptions }) => providerOptions)).toEqual([
      { anthropic: { cacheControl: { ...cacheControl, ttl: "1h" } } },
    ]);
  });

  test.each([
    ["openai.responses", { openai: { store: false, promptCacheKey: "k" } }],
    ["openai.chat", { openai: { promptCacheKey: "k" } }],
    ["azure.chat", { openai: { promptCacheKey: "k" }, azure: { promptCacheKey: "k" } }],
    ["deepseek.chat", undefined],
    ["google.generative-ai", undefined],
  ])("PC4: %s gets %o", async (provider, options) => {
    expect((await callOf(provider, "m")).call?.providerOptions).toEqual(options);
  });
});

describe("cached tokens", () => {
  const counted: readonly [
    name: string,
    make: Asking["make"],
    usage: Body,
    tokens: readonly [input: number, cached: number],
  ][] = [
    [
      "anthropic",
      claude,
      { input_tokens: 10, cache_read_input_tokens: 900, cache_creation_input_tokens: 90, output_tokens: 5 },
      [1000, 900],
    ],
    [
      "openai, responses",
      (options) => openai("gpt-5.1", options),
      { input_tokens: 1000, input_tokens_details: { cached_tokens: 900 }, output_tokens: 5, total_tokens: 1005 },
      [1000, 900],
    ],
    [
      "openai, chat",
      (options) => openai("gpt-4.1", { ...options, api: "chat" }),
      { prompt_tokens: 1000, prompt_tokens_details: { cached_tokens: 900 }, completion_tokens: 5, total_tokens: 1005 },
      [1000, 900],
    ],
    [
      "deepseek",
      compatible("deepseek", "deepseek-chat"),
      { prompt_tokens: 1000, prompt_cache_hit_tokens: 900, prompt_cache_miss_tokens: 100, completion_tokens: 5 },
      [1000, 900],
    ],
    [
      "deepseek, with empty details",
      compatible("deepseek", "deepseek-chat"),
      { prompt_tokens: 1000, prompt_tokens_details: {}, prompt_cache_hit_tokens: 900, completion_tokens: 5 },
      [1000, 900],
    ],
    [
      "moonshot",
      compatible("moonshot", "kimi-k2.5"),
      { prompt_tokens: 1000, cached_tokens: 900, completion_tokens: 5, total_tokens: 1005 },
      [1000, 900],
    ],
    [
      "mistral, with null",
      (options) => mistral("mistral-large-latest", options),
      { prompt_tokens: 1000, prompt_tokens_details: null, completion_tokens: 5, total_tokens: 1005 },
      [1000, 0],
    ],
    [
      "openrouter",
      compatible("openrouter", "anthropic/claude-sonnet-4.5"),
      {
        prompt_tokens: 1000,
        prompt_tokens_details: { cached_tokens: 900, cache_write_tokens: 90 },
        completion_tokens: 5,
      },
      [1000, 900],
    ],
    [
      "gemini",
      (options) => gemini("gemini-2.5-flash", options),
      { promptTokenCount: 1000, cachedContentTokenCount: 900, candidatesTokenCount: 5, totalTokenCount: 1005 },
      [1000, 900],
    ],
    [
      "anthropic, with the AI SDK",
      ({ fetch: toServer }) =>
        aiSdkModel(createAnthropic({ apiKey: "none", fetch: toServer as typeof fetch })("claude-sonnet-4-5")),
      { input_tokens: 10, cache_read_input_tokens: 900, cache_creation_input_tokens: 90, output_tokens: 5 },
      [1000, 900],
    ],
    [
      "ollama, which counts none",
      (options) => ollama("qwen3:8b", options),
      { prompt_eval_count: 1000, eval_count: 5 },
      [1000, 0],
    ],
  ];

  test("PC10: Anthropic counts them at the start of the stream", async () => {
    const started = {
      input_tokens: 10,
      cache_read_input_tokens: 900,
      cache_creation_input_tokens: 90,
      output_tokens: 1,
    };
    const frames = [
      { type: "message_start", message: { id: "m", type: "message", role: "assistant", content: [], usage: started } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "Three." } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } },
      { type: "message_stop" },
    ].map((data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`);
    const headers = { "content-type": "text/event-stream" };
    const model = claude({ ...usual, fetch: () => Promise.resolve(new Response(frames.join(""), { headers })) });
    const { usage } = await createAgent({ model }).thread("t").send("1 + 2?").result;
    expect(usage).toEqual({ inputTokens: 1000, outputTokens: 5, totalTokens: 1005, cachedTokens: 900 });
  });

  test.each(counted)("PC10: are in the usage of the run: %s", async (_name, make, usage, [input, cached]) => {
    const { usage: told } = await ask({ make, turns: [{ text: "Three.", usage }] });
    expect([told.inputTokens, told.cachedTokens]).toEqual([input, cached]);
  });
});

test.each<[options: object, code: string]>([
  [{ ttl: "2h" }, "options/value"],
  [{ minMessages: -1 }, "options/value"],
  [{ minMessages: 1.5 }, "options/value"],
  [{ unsupported: "raise" }, "options/value"],
  [{ key: "x" }, "options/unknown"],
])("promptCaching(%o) is refused", async (options, code) => {
  const made = Promise.resolve().then(() => promptCaching(options));
  expect(faultOf({ parts: [], error: await made.catch((error: unknown) => error) }).code).toBe(code);
});
