import { check, encode, repair } from "#codecs";
import type { Conversation, Format, Message, StreamFormat } from "#codecs";
import { createAgent, tool } from "#engine";
import type { Thread } from "#engine";
import type { ModelRequest } from "#model";
import { memoryStore } from "#store";
import { scriptedModel, wireServer } from "#testing";
import type { WireServer } from "#testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { judge } from "../judge/judge.ts";
import { faultsAfterwards, faultsOf } from "./health.ts";
import { answers, encrypted, recordedModel, signature, thought } from "./sealed-answers.ts";

const someText: unknown = expect.any(String);

type Provider = keyof typeof answers;
type Wire = Readonly<Record<string, unknown>>;

/** How a provider is asked when its model is to think. */
interface Target {
  readonly format: StreamFormat & Format;
  readonly provider?: string;
  readonly model: string;
  /** Whose seals it takes. */
  readonly owner?: string;
  readonly path: string;
  readonly more: Wire;
}

const claude = "anthropic.claude-sonnet-4-5-20250929-v1:0";
const budget = { type: "enabled", budget_tokens: 1024 };

const targets: Readonly<Record<Provider, Target>> = {
  anthropic: {
    format: "anthropic",
    owner: "anthropic",
    model: "claude-sonnet-4-5",
    path: "/v1/messages",
    more: { thinking: budget },
  },
  gemini: {
    format: "gemini",
    owner: "gemini",
    model: "gemini-3-pro-preview",
    path: "/v1beta/models/gemini-3-pro-preview:generateContent",
    more: {},
  },
  encrypted: {
    format: "openai-responses",
    owner: "openai",
    model: "gpt-5.1",
    path: "/v1/responses",
    more: { store: false, include: ["reasoning.encrypted_content"] },
  },
  stored: {
    format: "openai-responses",
    owner: "openai",
    model: "gpt-5.1",
    path: "/v1/responses",
    more: { store: true },
  },
  deepseek: {
    format: "openai-chat",
    provider: "deepseek",
    model: "deepseek-reasoner",
    path: "/v1/chat/completions",
    more: { thinking: { type: "enabled" } },
  },
  openrouter: {
    format: "openai-chat",
    provider: "openrouter",
    owner: "openrouter",
    model: "anthropic/claude-sonnet-4.5",
    path: "/v1/chat/completions",
    more: { reasoning: { enabled: true } },
  },
  bedrock: {
    format: "bedrock",
    owner: "anthropic",
    model: claude,
    path: `/model/${encodeURIComponent(claude)}/converse`,
    more: { additionalModelRequestFields: { thinking: budget } },
  },
};
const providers = Object.keys(targets) as Provider[]; // its own keys

/** By what the seals of an owner are seen in a request. */
const signs: Readonly<Record<string, RegExp>> = {
  anthropic: new RegExp(`${signature}(?!O)`, "u"),
  gemini: new RegExp(thought, "u"),
  openrouter: new RegExp(`${signature}O`, "u"),
  openai: new RegExp(`${encrypted}|"(?:rs|fc|msg)_\\d"`, "u"),
};

function bodyFor({ messages, tools }: ModelRequest, { format, provider, model, more }: Target): Wire {
  const setting: Conversation["setting"] = {
    model,
    isStreamed: undefined,
    tools: tools.map((each) => ({ path: "", ...each, isCustom: false, isStrict: false })),
    toolChoice: undefined,
    isParallel: undefined,
    sampling: {},
  };
  return { ...(encode({ messages, setting }, { to: format, provider, model }) as Wire), ...more }; // of a setting: a body
}

const found = tool({
  name: "look",
  description: "Looks.",
  input: { type: "object", properties: { q: { type: "string" } } },
  execute: () => "seen",
});

/** A thread in which a provider has made two calls, told what it found, and said good-bye. */
async function lifeOf(
  provider: Provider,
): Promise<{ readonly thread: Thread; readonly requests: readonly ModelRequest[] }> {
  const model = recordedModel(targets[provider].format, answers[provider]);
  const store = memoryStore();
  const agent = createAgent({ model, store, tools: [found, { ...found, name: "find" }] });
  const thread = agent.thread("t");
  expect((await thread.send("Go.").result).text).toBe("Found.");
  expect((await thread.send("And?").result).text).toBe("Bye.");
  expect(await faultsOf(store, model.requests)).toEqual([]);
  return { thread, requests: model.requests };
}

describe("what a provider has sealed", () => {
  let server: WireServer;
  let named: Readonly<Record<string, WireServer>> = {};
  beforeAll(async () => {
    const turns = () => ({ text: "Yes." });
    server = await wireServer({ turns });
    named = {
      deepseek: await wireServer({ turns, provider: "deepseek" }),
      openrouter: await wireServer({ turns, provider: "openrouter" }),
    };
  });
  afterAll(() => Promise.all([server, ...Object.values(named)].map((each) => each.close())));

  const ask = async (body: unknown, { path, provider }: Target): Promise<string> => {
    const { url } = named[provider ?? ""] ?? server;
    const response = await fetch(url + path, { method: "POST", body: JSON.stringify(body) });
    return response.status === 200 ? "accepted" : `${response.status} ${await response.text()}`;
  };

  test.each(providers)("%s takes its own thread back, with its thoughts, as it is", async (provider) => {
    const target = targets[provider];
    const { requests } = await lifeOf(provider);
    expect(requests).toHaveLength(3);
    for (const request of requests) {
      const body = bodyFor(request, target);
      const { format, provider: name } = target;
      expect(check(body, { format, ...(name !== undefined && { provider: name }) })).toEqual([]);
      expect(judge(body, { format, ...(name !== undefined && { provider: name }) })).toEqual([]);
      expect(await ask(body, target)).toBe("accepted");
    }
  });

  test("and Anthropic refuses it without", async () => {
    const { requests } = await lifeOf("anthropic");
    const [, request] = requests;
    const bare = request?.messages.map((message): Message => {
      if (message.role !== "assistant") return message;
      return { ...message, parts: message.parts.filter(({ type }) => type !== "reasoning") };
    });
    const body = request && bodyFor({ ...request, messages: bare ?? [] }, targets.anthropic);
    expect(await ask(body, targets.anthropic)).toMatch(/^400 .*must start with a thinking block/u);
  });

  const pairs = providers.flatMap((from) => providers.filter((to) => to !== from).map((to) => [from, to] as const));

  test.each(pairs)("a thread of %s can go on with %s, which sees no seal but its own", async (from, to) => {
    const target = targets[to];
    const { requests } = await lifeOf(from);
    for (const request of requests) {
      const { format, provider } = target;
      const { output } = repair(bodyFor(request, target), { format, provider });
      expect(await ask(output, target)).toBe("accepted");
      const seen = Object.keys(signs).filter((owner) => signs[owner]?.test(JSON.stringify(output)) === true);
      expect(seen.filter((owner) => owner !== target.owner)).toEqual([]);
    }
  });

  test.each<[Provider, unknown]>([
    [
      "anthropic",
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Two calls.", signature },
          { type: "redacted_thinking", data: `${signature}R` },
          { type: "text", text: "I look." },
          { type: "tool_use", id: "toolu_a", name: "look", input: { q: "x" } },
          { type: "tool_use", id: "toolu_b", name: "find", input: { q: "x" } },
        ],
      },
    ],
    [
      "gemini",
      {
        role: "model",
        parts: [
          { text: "Two calls.", thought: true },
          { text: "I look." },
          { functionCall: { id: someText, name: "look", args: { q: "x" } }, thoughtSignature: thought },
          { functionCall: { id: someText, name: "find", args: { q: "x" } } },
        ],
      },
    ],
    [
      "encrypted",
      {
        type: "reasoning",
        id: "rs_1",
        summary: [{ type: "summary_text", text: "Two calls." }],
        encrypted_content: encrypted,
      },
    ],
    ["stored", { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "Two calls." }] }],
    [
      "bedrock",
      {
        role: "assistant",
        content: [
          { reasoningContent: { reasoningText: { text: "Two calls.", signature } } },
          { text: "I look." },
          { toolUse: { toolUseId: "tooluse_a", name: "look", input: { q: "x" } } },
          { toolUse: { toolUseId: "tooluse_b", name: "find", input: { q: "x" } } },
        ],
      },
    ],
  ])("the history for %s has it in its place", async (provider, second) => {
    const { thread } = await lifeOf(provider);
    const { format, model } = targets[provider];
    const history = (await thread.history(format, { model })) as readonly unknown[];
    expect(history[1]).toEqual(second);
  });

  test("OpenAI's items are named by what it keeps them under", async () => {
    const { thread } = await lifeOf("stored");
    const history = (await thread.history("openai-responses")) as readonly Wire[];
    expect(history.map(({ id, type, role }) => id ?? type ?? role)).toEqual([
      "user",
      "rs_1",
      "msg_1",
      "fc_1",
      "fc_2",
      "function_call_output",
      "function_call_output",
      "rs_2",
      "msg_2",
      "user",
      "msg_3",
    ]);
  });

  test("a text that Gemini's signatures divide is divided for Gemini only", async () => {
    const { thread } = await lifeOf("gemini");
    const own = (await thread.history("gemini")) as readonly Wire[];
    expect(own[3]).toEqual({
      role: "model",
      parts: [
        { text: "Fou" },
        { text: "nd.", thoughtSignature: `${thought}2` },
        { text: "", thoughtSignature: `${thought}3` },
      ],
    });
    const formats: readonly Format[] = [
      "openai-chat",
      "openai-responses",
      "anthropic",
      "bedrock",
      "ollama",
      "langchain",
    ];
    for (const format of formats) expect(JSON.stringify(await thread.history(format))).toMatch(/"Found\."/u);
  });

  test("DeepSeek gets back what it thought, and others do not", async () => {
    const { thread } = await lifeOf("deepseek");
    const own = (await thread.history("openai-chat", { provider: "deepseek" })) as readonly Wire[];
    expect(own[1]).toMatchObject({ reasoning_content: "Two calls.", content: "I look." });
    expect(JSON.stringify(await thread.history("openai-chat"))).not.toContain("Two calls.");
  });

  test("OpenRouter gets back what its model has signed, in one piece, and others do not", async () => {
    const { thread } = await lifeOf("openrouter");
    const own = (await thread.history("openai-chat", { provider: "openrouter" })) as readonly Wire[];
    expect(own[1]).toMatchObject({
      reasoning_details: [{ type: "reasoning.text", index: 0, text: "Two calls.", signature: `${signature}O` }],
    });
    expect(own[1]).not.toHaveProperty("reasoning_content");
    expect(JSON.stringify(await thread.history("anthropic"))).not.toContain(signature);
    expect(await thread.history("ai-sdk")).toMatchObject([
      {},
      { content: [{ providerOptions: { openrouter: { reasoning_details: [{ text: "Two calls." }] } } }, {}, {}, {}] },
      {},
      {},
      {},
      {},
    ]);
  });

  test("Google's chat completions get the signatures where they gave them", async () => {
    const { thread } = await lifeOf("gemini");
    const model = "gemini-3-pro-preview";
    const own = (await thread.history("openai-chat", { model })) as readonly { tool_calls?: readonly Wire[] }[];
    expect(own[1]?.tool_calls?.map(({ extra_content: extra }) => extra)).toEqual([
      { google: { thought_signature: thought } },
      undefined,
    ]);
    expect(JSON.stringify(await thread.history("openai-chat", { model: "gpt-4o" }))).not.toContain(thought);
  });

  test("a picture that the model drew stays in the history", async () => {
    const image = { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" }, thoughtSignature: thought };
    const frames = [
      { candidates: [{ content: { parts: [{ text: "Look:" }, image] }, finishReason: "STOP" }], responseId: "r" },
    ];
    const store = memoryStore();
    const thread = createAgent({ model: recordedModel("gemini", [frames]), store }).thread("t");
    expect((await thread.send("Draw.").result).text).toBe("Look:");
    expect(await thread.history("gemini")).toMatchObject([{}, { parts: [{ text: "Look:" }, image] }]);
    expect(await faultsAfterwards(store)).toEqual([]);
  });
});

describe("a scripted model", () => {
  test.each<[StreamFormat & Format, string]>([
    ["anthropic", signature],
    ["bedrock", signature],
    ["gemini", thought],
    ["openai-responses", encrypted],
  ])("seals its reasoning in %s, with words and without", async (format, seal) => {
    const script = [
      { reasoning: "Hm.", seal, text: "I look.", calls: [{ name: "look" }] },
      { seal: `${seal}2`, text: "Found." },
    ];
    for (const direct of [true, false]) {
      const model = scriptedModel(script, { format, direct });
      const store = memoryStore();
      const thread = createAgent({ model, store, tools: [found] }).thread("t");
      expect((await thread.send("Go.").result).text).toBe("Found.");
      const sent = JSON.stringify(await thread.history(format));
      expect([sent.split(seal).length, sent.split(`${seal}2`).length]).toEqual([3, 2]);
      expect(await faultsOf(store, model.requests)).toEqual([]);
      expect(await faultsAfterwards(store)).toEqual([]);
    }
  });
});
