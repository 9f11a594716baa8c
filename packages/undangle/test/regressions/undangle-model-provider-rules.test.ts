import type { ModelMessage } from "ai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { wireServer, type WireServer } from "undangle/testing";
import { check, type Edit, repair } from "../../src/index.ts";
import { repairStep, undangleModel } from "../../src/adapters/ai-sdk.ts";
import { providerModels, type ProviderModel } from "../adapters/provider-models.ts";

type Options = Pick<
  Parameters<ProviderModel["sdk"]["generateText"]>[0],
  "providerOptions" | "reasoning" | "allowSystemInMessages"
>;

const user = (content: string): ModelMessage => ({ role: "user", content });
const asks = (id: string, toolName = "look"): ModelMessage => ({
  role: "assistant",
  content: [{ type: "tool-call", toolCallId: id, toolName, input: { at: id } }],
});
const gets = (id: string, toolName = "look"): ModelMessage => ({
  role: "tool",
  content: [{ type: "tool-result", toolCallId: id, toolName, output: { type: "text", value: `seen ${id}` } }],
});
const thinks = (id: string, openai: Record<string, string>): ModelMessage => ({
  role: "assistant",
  content: [
    { type: "reasoning", text: "I look.", providerOptions: { openai } },
    { type: "tool-call", toolCallId: id, toolName: "look", input: {} },
  ],
});
const budget = { anthropic: { thinking: { type: "enabled", budgetTokens: 1024 } } };

interface Case {
  readonly name: string;
  /** What the SDK or the provider says without the middleware. */
  readonly refusal: RegExp;
  /** The models that refuse it, by a part of their names. */
  readonly models: RegExp;
  readonly messages: readonly ModelMessage[];
  readonly options?: Options;
  readonly isWithoutTools?: boolean;
  /** What the rules changed, and what the provider is sent then. */
  readonly edits: readonly unknown[];
  readonly sent: Readonly<Record<string, unknown>>;
}

const cases: readonly Case[] = [
  {
    name: "a history that begins with a call",
    refusal: /function call turn comes/u,
    models: /gemini/u,
    messages: [asks("c1"), gets("c1"), user("Well?")],
    edits: ["role-order insert messages[0]"],
    sent: { contents: expect.arrayContaining([{ role: "user", parts: [{ text: "(continued)" }] }]) },
  },
  {
    name: "a history that begins with a result",
    refusal: /function call turn comes/u,
    models: /gemini/u,
    messages: [gets("c1"), user("Well?")],
    edits: ["role-order insert messages[0]"],
    sent: {},
  },
  {
    name: "a call behind words of the assistant",
    refusal: /function call turn comes/u,
    models: /gemini/u,
    messages: [user("Go."), { role: "assistant", content: "I look." }, asks("c1"), gets("c1"), user("Well?")],
    edits: ["role-order merge messages[1]"],
    sent: {},
  },
  {
    name: "an input that is text",
    refusal: /Struct|dictionary/u,
    models: /gemini|ai 6, claude/u,
    messages: [
      user("Go."),
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "c1", toolName: "look", input: "a string" }] },
      gets("c1"),
      user("Well?"),
    ],
    edits: ["arguments-type rewrite messages[1].content[0].input"],
    sent: {},
  },
  {
    name: "a system message in the middle",
    refusal: /system|role/u,
    models: /gemini|claude/u,
    messages: [
      { role: "system", content: "Be kind." },
      user("Go."),
      asks("c1"),
      gets("c1"),
      { role: "system", content: "Be brief." },
      user("Well?"),
    ],
    options: { allowSystemInMessages: true },
    edits: [expect.stringMatching(/^(?:unknown-role|system-position) move messages\[1\]$/u)],
    sent: {},
  },
  {
    name: "thinking in a running loop that has none",
    refusal: /thinking/u,
    models: /claude-(?:3-7|sonnet-4-5|opus-4-8)/u,
    messages: [user("Go."), asks("c1"), gets("c1")],
    options: { providerOptions: budget },
    edits: ["thinking-first rewrite providerOptions.anthropic.thinking"],
    sent: { thinking: { type: "disabled" } },
  },
  {
    name: "a level of reasoning in a running loop that has none",
    refusal: /thinking/u,
    models: /ai 7, claude-(?:3-7|sonnet-4-5)/u,
    messages: [user("Go."), asks("c1"), gets("c1")],
    options: { reasoning: "high" },
    edits: ["thinking-first rewrite providerOptions.anthropic.thinking"],
    sent: { thinking: { type: "disabled" } },
  },
  {
    name: "calls without any tools",
    refusal: /tools/u,
    models: /claude/u,
    messages: [user("Go."), asks("c1"), gets("c1"), user("Sum it up.")],
    isWithoutTools: true,
    edits: ["missing-tools insert tools", "missing-tools rewrite toolChoice"],
    sent: {
      tools: [expect.objectContaining({ name: "look" })],
      tool_choice: expect.objectContaining({ type: "none" }),
    },
  },
  {
    name: "an answer that is not to be continued",
    refusal: /prefill/u,
    models: /claude-(?:opus-4-8|sonnet-5-5)/u,
    messages: [user("Go."), { role: "assistant", content: "I begin" }],
    edits: ["last-message insert messages[2]"],
    sent: {},
  },
  {
    name: "encrypted reasoning that cannot be read",
    refusal: /could not be verified/u,
    models: /gpt/u,
    messages: [
      user("Go."),
      thinks("c1", { itemId: "rs_1", reasoningEncryptedContent: "words of a person" }),
      gets("c1"),
      user("Well?"),
    ],
    options: { providerOptions: { openai: { store: false } } },
    edits: ["encrypted-reasoning remove undefined"],
    sent: {},
  },
  {
    name: "the same reasoning twice",
    refusal: /Duplicate item/u,
    models: /gpt/u,
    messages: [
      user("Go."),
      thinks("c1", { itemId: "rs_1", reasoningEncryptedContent: "gAAAAABo" }),
      gets("c1"),
      thinks("c2", { itemId: "rs_1", reasoningEncryptedContent: "gAAAAABo" }),
      gets("c2"),
      user("Well?"),
    ],
    options: { providerOptions: { openai: { store: false } } },
    edits: ["duplicate-item remove undefined"],
    sent: {},
  },
  {
    name: "an id that is too long",
    refusal: /64/u,
    models: /gpt/u,
    messages: [user("Go."), asks("c".repeat(70)), gets("c".repeat(70)), user("Well?")],
    edits: [
      "invalid-call-id rename messages[1].content[0].toolCallId",
      "invalid-call-id rename messages[2].content[0].toolCallId",
    ],
    sent: {},
  },
];

let server: WireServer;
beforeAll(async () => (server = await wireServer({ turns: () => ({ text: "Done." }) })));
afterAll(() => server.close());

async function ask(
  { format, modelOf, sdk }: ProviderModel,
  { messages, options = {}, isWithoutTools = false }: Case,
  isBare: boolean,
) {
  const edits: Edit[] = [];
  const bare = modelOf(server.baseUrl(format), globalThis.fetch);
  const middleware = undangleModel({ logger: false, onRepair: (repair) => edits.push(...(repair.edits ?? [])) });
  const look = { inputSchema: sdk.jsonSchema<object>({ type: "object", properties: {} }) };
  const { text } = await sdk.generateText({
    ...options,
    model: isBare ? bare : sdk.wrapLanguageModel({ model: bare, middleware }),
    messages: [...messages],
    maxRetries: 0,
    prepareStep: repairStep(),
    ...(!isWithoutTools && { tools: { look } }),
  });
  return { text, edits, body: server.requests.at(-1)?.body };
}

describe.each(cases)("$name", (each) => {
  const { models, refusal, edits: expected, sent } = each;

  test.each(providerModels.filter(({ name }) => models.test(name)))("$name takes it", async (model) => {
    await expect(ask(model, each, true)).rejects.toThrow(refusal);
    const { text, edits, body } = await ask(model, each, false);
    expect(text).toBe("Done.");
    expect(edits.map(({ rule, type, to }) => `${rule} ${type} ${to}`)).toEqual(expected);
    expect(body).toMatchObject(sent);
    const said = JSON.stringify(body);
    const told = each.messages.map(({ role, content }) => (role === "tool" ? "seen" : content));
    for (const text of told.filter((content) => typeof content === "string")) expect(said).toContain(text);
  });

  test.each(providerModels.filter(({ name }) => !models.test(name)))("$name took it before", async (model) => {
    const bare = await ask(model, each, true);
    const { edits, body } = await ask(model, each, false);
    expect(edits).toEqual([]);
    expect(body).toEqual(bare.body);
  });
});

describe("a model behind the gateway", () => {
  const params = {
    prompt: [
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "c1", toolName: "look", input: {} }] },
      {
        role: "tool",
        content: [{ type: "tool-result", toolCallId: "c1", toolName: "look", output: { type: "text", value: "seen" } }],
      },
    ],
    providerOptions: budget,
    tools: [{ type: "function", name: "look" }],
  };
  const fit = (modelId: string) =>
    undangleModel({ logger: false }).transformParams({ params, model: { provider: "gateway", modelId } });

  test("gets what the package behind it needs", async () => {
    expect((await fit("google/gemini-2.5-pro")).prompt).toEqual([
      { role: "user", content: [{ type: "text", text: "(continued)" }] },
      ...params.prompt,
    ]);
    const claude = await fit("anthropic/claude-sonnet-4-5");
    expect(claude.providerOptions).toEqual({ anthropic: { thinking: { type: "disabled" } } });
    expect(claude.prompt).toBe(params.prompt);
  });

  test("of a provider that is not known gets the call as it is", async () => {
    expect(await fit("some/model")).toBe(params);
  });
});

describe("ids of another provider", () => {
  const history = (id: string) => [user("Go."), asks(id), gets(id), user("Well?")];
  const long = "c".repeat(70);

  test.each([
    ["mistral.chat/mistral-large-latest", "call_1", /^[a-zA-Z0-9]{9}$/u],
    ["openai.chat/gpt-4.1", long, /^.{1,40}$/u],
    ["azure.chat/gpt-4.1", long, /^.{1,40}$/u],
    ["openai.responses/gpt-5.1", long, /^.{1,64}$/u],
    ["amazon-bedrock/amazon.nova-pro-v1:0", long, /^[a-zA-Z0-9_.:-]{1,64}$/u],
    ["anthropic.messages/claude-sonnet-4-5", "functions.look:0", /^[a-zA-Z0-9_-]+$/u],
  ])("become such as %s takes", (model, id, form) => {
    const given = history(id);
    expect(check(given, { format: "ai-sdk", model }).map(({ rule }) => rule)).toContain("invalid-call-id");
    const { output } = repair(given, { format: "ai-sdk", model });
    const ids = output.flatMap(({ content }) =>
      typeof content === "string" ? [] : content.flatMap((part) => ("toolCallId" in part ? part.toolCallId : [])),
    );
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
    for (const each of ids) expect(each).toMatch(form);
    expect(repair(output, { format: "ai-sdk", model }).output).toBe(output);
  });

  test.each(["mistral.chat/mistral-large-latest", "openai.chat/gpt-4.1", "google.generative-ai/gemini-2.5-pro"])(
    "stay where %s takes them",
    (model) => {
      const given = history("a1b2c3d4e");
      expect(repair(given, { format: "ai-sdk", model }).output).toBe(given);
    },
  );
});
