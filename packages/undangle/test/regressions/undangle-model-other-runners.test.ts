import type { JSONValue, ModelMessage, ToolCallPart } from "ai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { wireServer, type WireServer } from "undangle/testing";
import { type Edit, wrapFetch } from "../../src/index.ts";
import { type ModelRepair, repairStep, undangleModel } from "../../src/adapters/ai-sdk.ts";
import { type AiProgram, aiPrograms } from "../clients/ai-sdk.ts";

type Parts = Exclude<Extract<ModelMessage, { role: "assistant" }>["content"], string>;

interface Run {
  readonly id: string;
  readonly name: string;
  readonly input: JSONValue;
  readonly value: JSONValue;
  readonly options?: ToolCallPart["providerOptions"];
}

/** A call that a provider has run, and its result, as its package gives them. */
function ran({ id: toolCallId, name: toolName, input, value, options }: Run): Parts {
  const more = options && { providerOptions: options };
  return [
    { type: "tool-call", toolCallId, toolName, input, providerExecuted: true, ...more },
    { type: "tool-result", toolCallId, toolName, output: { type: "json", value }, ...more },
  ];
}

const hit = { type: "web_search_result", url: "https://a.example", title: "NORWAY WON", pageAge: null };
const histories: Readonly<Record<string, { readonly parts: Parts; readonly own: RegExp }>> = {
  "a search by Anthropic": {
    own: /anthropic$/u,
    parts: ran({
      id: "srvtoolu_1",
      name: "web_search",
      input: { query: "who won" },
      value: [{ ...hit, encryptedContent: "SEALED" }],
    }),
  },
  "code that Anthropic ran": {
    own: /anthropic$/u,
    parts: ran({
      id: "srvtoolu_2",
      name: "code_execution",
      input: { type: "bash_code_execution", command: "cat winner" },
      value: { type: "bash_code_execution_result", stdout: "NORWAY WON", stderr: "", return_code: 0, content: [] },
    }),
  },
  "a search by OpenAI": {
    own: /responses$/u,
    parts: ran({
      id: "ws_68f1a0c2d4e6",
      name: "web_search",
      input: {},
      value: { action: { type: "search", query: "NORWAY WON" } },
    }),
  },
  "code that Gemini ran": {
    own: /^ai 7, google$/u, // the package of version 6 takes it for a call of the application's
    parts: ran({
      id: "abcdefgh12345678",
      name: "code_execution",
      input: { language: "PYTHON", code: "print(winner)" },
      value: { outcome: "OUTCOME_OK", output: "NORWAY WON" },
    }),
  },
  "a search by Google": {
    own: /google$/u,
    parts: ran({
      id: "tool_1",
      name: "server:GOOGLE_SEARCH",
      input: { queries: ["who won"] },
      value: { found: "NORWAY WON" },
      options: { google: { serverToolCallId: "tool_1", serverToolType: "GOOGLE_SEARCH" } },
    }),
  },
};

const around = (...parts: Parts): ModelMessage[] => [
  { role: "user", content: "Who won?" },
  {
    role: "assistant",
    content: [{ type: "text", text: "Let me look." }, ...parts, { type: "text", text: "It was Norway." }],
  },
  { role: "user", content: "By how much?" },
];

let server: WireServer;
beforeAll(async () => (server = await wireServer({ turns: () => ({ text: "By two goals." }) })));
afterAll(() => server.close());

/** What a program is answered, what was sent for it, and what it is told. */
async function ask(program: AiProgram, messages: ModelMessage[], { isBare = false, fetch = globalThis.fetch } = {}) {
  const told: ModelRepair[] = [];
  const bare = program.modelOf(server.baseUrl(program.format), fetch);
  const middleware = undangleModel({ logger: false, onRepair: (repair) => told.push(repair) });
  const model = isBare ? bare : program.sdk.wrapLanguageModel({ model: bare, middleware });
  const { text } = await program.sdk.generateText({ model, messages, maxRetries: 0, prepareStep: repairStep() });
  return { text, sent: JSON.stringify(server.requests.at(-1)?.body), told };
}

describe.each(aiPrograms)("$name", (program) => {
  const others = Object.entries(histories).filter(([, { own }]) => !own.test(program.name));
  test.each(others)("is told of %s in words, and of nothing that is not so", async (_, { parts }) => {
    for (const fetch of [globalThis.fetch, wrapFetch({ onRepair: () => expect.unreachable("it was healthy") })]) {
      const { text, sent, told } = await ask(program, around(...parts), { fetch });
      expect(text).toBe("By two goals.");
      for (const said of ["Let me look.", "NORWAY WON", "It was Norway."]) expect(sent.split(said)).toHaveLength(2);
      expect(sent).not.toMatch(/cancelled|no recorded result|SEALED|item_reference/u);
      expect(told).toMatchObject([{ side: "request", isChanged: true }]);
      expect(told[0]?.edits?.map(({ rule, from, to, before }) => ({ rule, from, to, before }))).toEqual(
        parts.map((before, i) => {
          const place = `messages[1].content[${i + 1}]`;
          return { rule: "content-type", from: place, to: place, before: expect.objectContaining(before) as unknown };
        }),
      );
    }
  });
});

const owned = aiPrograms.flatMap((program) =>
  Object.entries(histories).flatMap(([what, { parts, own }]) =>
    own.test(program.name) ? [{ name: program.name, what, program, parts }] : [],
  ),
);

test.each(owned)("$name gets $what as it was", async ({ program, parts }) => {
  const bare = await ask(program, around(...parts), { isBare: true });
  expect(await ask(program, around(...parts))).toEqual(bare);
});

/** The prompt that a model of a provider gets, and what is told. */
async function promptFor(provider: string, prompt: readonly { readonly role: string; readonly content: unknown }[]) {
  const edits: Edit[] = [];
  const middleware = undangleModel({ logger: false, onRepair: (repair) => edits.push(...(repair.edits ?? [])) });
  const params = { prompt };
  const sent = await middleware.transformParams({ params, model: { provider, modelId: "some-model" } });
  return { isSame: sent === params, messages: sent.prompt, edits };
}

const user = { role: "user", content: [{ type: "text", text: "Go." }] };
const said = (...content: unknown[]) => ({ role: "assistant", content });
const search = {
  type: "tool-call",
  toolCallId: "srvtoolu_1",
  toolName: "web_search",
  input: { query: "q" },
  providerExecuted: true,
};
const found = (value: unknown) => ({
  type: "tool-result",
  toolCallId: "srvtoolu_1",
  toolName: "web_search",
  output: { type: "json", value },
});

describe("a call that another provider has run", () => {
  test("is told where it stands, and so is a result that came in a later message", async () => {
    const own = { type: "tool-call", toolCallId: "c1", toolName: "look", input: {} };
    const result = { type: "tool-result", toolCallId: "c1", toolName: "look", output: { type: "text", value: "seen" } };
    const later = said(found(["three"]), { type: "text", text: "Three." });
    const { messages } = await promptFor("openai.chat", [
      user,
      said(search, own),
      { role: "tool", content: [result] },
      later,
    ]);
    expect(messages).toEqual([
      user,
      said({ type: "text", text: '[web_search: {"query":"q"}]' }, own),
      { role: "tool", content: [result] },
      said({ type: "text", text: '[web_search: ["three"]]\n' }, { type: "text", text: "Three." }),
    ]);
  });

  test("is a call of the application's when its result stands as one of those", async () => {
    const { messages, edits } = await promptFor("openai.chat", [
      user,
      said(search),
      { role: "tool", content: [found(["three"])] },
      user,
    ]);
    const { providerExecuted, ...call } = search;
    expect(providerExecuted).toBe(true);
    expect(messages).toEqual([user, said(call), { role: "tool", content: [found(["three"])] }, user]);
    expect(edits).toHaveLength(1);
  });

  test("is told where it stands in the end, beside what else is mended", async () => {
    const open = { type: "tool-call", toolCallId: "c1", toolName: "look", input: {} };
    const prompt = [user, said(open), user, said(search, found([]))];
    const { messages, edits } = await promptFor("some.chat", prompt);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user", "assistant"]);
    expect(edits.map(({ rule, from, to }) => [rule, from, to])).toEqual([
      ["content-type", "messages[3].content[0]", "messages[4].content[0]"],
      ["content-type", "messages[3].content[1]", "messages[4].content[1]"],
      ["unanswered-call", "messages[1].content[0]", "messages[2].content[0]"],
    ]);
  });

  test.each([
    [{ type: "error-json", value: { errorCode: "max_uses" } }, '[web_search: error {"errorCode":"max_uses"}]'],
    [{ type: "execution-denied", reason: "not now" }, "[web_search: denied not now]"],
    [{ type: "execution-denied" }, "[web_search: denied]"],
    [{ type: "text", value: "three" }, "[web_search: three]"],
  ])("says how it ended: %o", async (output, expected) => {
    const { messages } = await promptFor("openai.chat", [user, said({ ...found([]), output }, search), user]);
    expect(JSON.stringify(messages)).toContain(JSON.stringify(expected));
  });

  test("is none of a call of the application's with the same id", async () => {
    const { providerExecuted, ...own } = search;
    expect(providerExecuted).toBe(true);
    const { messages } = await promptFor("openai.chat", [user, said(search, found(["three"])), user, said(own), user]);
    expect(messages[3]).toEqual(said(own));
    expect(messages[4]).toMatchObject({ role: "tool" });
  });

  test("is not told with what nobody else can read, and the edit says so", async () => {
    const picture = "iVBORw0KGgo".repeat(1000);
    const value = [{ title: "A", encryptedContent: "SEALED", picture, link: `data:image/png;base64,${picture}` }];
    const { messages, edits } = await promptFor("openai.chat", [user, said(search, found(value))]);
    expect(JSON.stringify(messages)).toContain("A");
    expect(JSON.stringify(messages)).not.toMatch(/SEALED|iVBOR/u);
    expect(edits.map(({ lossless }) => lossless)).toEqual([true, false]);
  });

  test.each(["gateway", "mine", "anthropic.messages", "vertex.anthropic.messages"])(
    "stays for %s",
    async (provider) => {
      const { isSame } = await promptFor(provider, [user, said(search, found([])), user]);
      expect(isSame).toBe(true);
    },
  );

  test("is known by the server of Responses that keeps it", async () => {
    const kept = (name: string) =>
      said(
        { ...search, toolCallId: "mcp_1", providerOptions: { [name]: { itemId: "mcp_1" } } },
        { ...found([]), toolCallId: "mcp_1" },
      );
    const takes = async (provider: string, name: string) =>
      (await promptFor(provider, [user, kept(name), user])).isSame;
    for (const [provider, name] of [
      ["openai.responses", "openai"],
      ["azure.responses", "azure"],
      ["azure.responses", "openai"],
      ["mine.responses", "openai"],
    ] as const) {
      expect(await takes(provider, name)).toBe(true);
    }
    for (const [provider, name] of [
      ["xai.responses", "openai"],
      ["openai.responses", "azure"],
      ["openai.responses", "xai"],
    ] as const) {
      expect(await takes(provider, name)).toBe(false);
    }
  });
});
