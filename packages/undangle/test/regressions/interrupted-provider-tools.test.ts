import type { ModelMessage, UIMessage } from "ai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { wireServer, type WireServer } from "undangle/testing";
import { check, repair } from "../../src/index.ts";
import { repairModelMessages, repairStep, repairUIMessages, undangleModel } from "../../src/adapters/ai-sdk.ts";
import { type AiProgram, aiPrograms } from "../clients/ai-sdk.ts";

type Parts = Exclude<Extract<ModelMessage, { role: "assistant" }>["content"], string>;

const search: Parts[number] = {
  type: "tool-call",
  toolCallId: "srvtoolu_1",
  toolName: "web_search",
  input: { query: "who won" },
  providerExecuted: true,
};
const found: Parts[number] = {
  type: "tool-result",
  toolCallId: "srvtoolu_1",
  toolName: "web_search",
  output: {
    type: "json",
    value: [
      { type: "web_search_result", url: "https://a.example", title: "Norway", pageAge: null, encryptedContent: "x" },
    ],
  },
};
const words = (text: string): Parts[number] => ({ type: "text", text });
const own: Parts[number] = { type: "tool-call", toolCallId: "toolu_1", toolName: "look", input: {} };
const ownResult: ModelMessage = {
  role: "tool",
  content: [{ type: "tool-result", toolCallId: "toolu_1", toolName: "look", output: { type: "text", value: "seen" } }],
};
const user = (content: string): ModelMessage => ({ role: "user", content });
const said = (...content: Parts): ModelMessage => ({ role: "assistant", content });

const interrupted: Readonly<Record<string, readonly ModelMessage[]>> = {
  "a search after words": [user("Who won?"), said(words("I look."), search), user("Well?")],
  "a search alone": [user("Who won?"), said(search), user("Well?")],
  "code that was running": [
    user("Run it."),
    said(words("I run it."), { ...search, toolName: "code_execution", input: { code: "1" } }),
    user("Well?"),
  ],
  "a call of an MCP server": [
    user("Look."),
    said(words("I look."), {
      ...search,
      toolCallId: "mcptoolu_1",
      toolName: "echo",
      providerOptions: { anthropic: { type: "mcp-tool-use", serverName: "echo" } },
    }),
    user("Well?"),
  ],
  "a search beside a call of the application's": [user("Who won?"), said(search, own), ownResult, user("Well?")],
  "a search that the next step does not mention": [
    user("Who won?"),
    said(search, own),
    ownResult,
    said(words("Norway.")),
    user("Sure?"),
  ],
  "one search of two": [user("Who won?"), said({ ...search, toolCallId: "srvtoolu_0" }, search, found), user("Well?")],
};

const running: Readonly<Record<string, readonly ModelMessage[]>> = {
  "a turn that the provider paused": [user("Who won?"), said(words("I look."), search)],
  "a search that waits for the application": [user("Who won?"), said(search, own), ownResult],
  "a search whose result comes in the next step": [
    user("Who won?"),
    said(search, own),
    ownResult,
    said(found, words("Norway.")),
    user("Sure?"),
  ],
  "an approval that the provider waits for": [
    user("Pay."),
    said({ ...search, toolCallId: "mcpr_1" }, { type: "tool-approval-request", approvalId: "a", toolCallId: "mcpr_1" }),
    { role: "tool", content: [{ type: "tool-approval-response", approvalId: "a", approved: true }] },
  ],
};

let server: WireServer;
beforeAll(async () => (server = await wireServer({ turns: () => ({ text: "Done." }) })));
afterAll(() => server.close());

async function ask(
  { format, modelOf, sdk }: AiProgram,
  messages: readonly ModelMessage[],
  way: "bare" | "repairStep" | "repairModelMessages" | "undangleModel",
): Promise<string> {
  const bare = modelOf(server.baseUrl(format), globalThis.fetch);
  const middleware = undangleModel({ logger: false });
  const given = [...messages];
  const { text } = await sdk.generateText({
    model: way === "undangleModel" ? sdk.wrapLanguageModel({ model: bare, middleware }) : bare,
    messages: way === "repairModelMessages" ? repairModelMessages(given) : given,
    ...(way === "repairStep" && { prepareStep: repairStep() }),
    maxRetries: 0,
    tools: { look: { inputSchema: sdk.jsonSchema<object>({ type: "object", properties: {} }) } },
  });
  expect(text).toBe("Done.");
  return JSON.stringify(server.requests.at(-1)?.body);
}

const claudes = aiPrograms.filter(({ format }) => format === "anthropic");
const ways = ["repairStep", "repairModelMessages", "undangleModel"] as const;

describe.each(claudes)("$name", (program) => {
  test("refuses a later turn with an interrupted call", async () => {
    const messages = interrupted["a search after words"] ?? [];
    await expect(ask(program, messages, "bare")).rejects.toThrow(/without a corresponding/u);
  });

  describe.each(Object.entries(interrupted))("%s", (_, messages) => {
    test.each(ways)("is left out by %s, and nothing else", async (way) => {
      const sent = await ask(program, messages, way);
      expect(sent).not.toContain(messages === interrupted["one search of two"] ? "srvtoolu_0" : '"server_tool_use"');
      expect(sent).not.toContain('"mcp_tool_use"');
      for (const kept of ["I look.", "I run it.", "seen", "Norway", "Well?", "Sure?"]) {
        expect(sent.includes(kept)).toBe(JSON.stringify(messages).includes(kept));
      }
    });
  });
});

test.each(aiPrograms)("$name takes a history without the interrupted call", async (program) => {
  for (const messages of Object.values(interrupted)) {
    await expect(ask(program, messages, "undangleModel")).resolves.toMatch(/Well\?|Sure\?/u);
  }
});

describe("a call of a tool that the provider runs", () => {
  test.each(Object.entries(interrupted))("goes with an edit that holds it: %s", (_, messages) => {
    const { output, edits, problems } = repair(messages, { format: "ai-sdk" });
    expect(problems).toEqual([]);
    expect(edits.map(({ rule, type, lossless }) => ({ rule, type, lossless }))).toEqual([
      { rule: "unpaired-server-call", type: "remove", lossless: false },
    ]);
    expect(edits[0]?.before).toMatchObject({ type: "tool-call", providerExecuted: true });
    expect(repair(output, { format: "ai-sdk" }).output).toBe(output);
  });

  test.each(Object.entries(running))("stays while its result may come: %s", (_, messages) => {
    expect(check(messages, { format: "ai-sdk" })).toEqual([]);
    expect(repair(messages, { format: "ai-sdk" }).output).toBe(messages);
  });
});

describe("a message of a page", () => {
  const part = (state: string, more: object = {}) => ({
    type: "tool-web_search",
    toolCallId: "srvtoolu_1",
    state,
    input: { query: "who won" },
    providerExecuted: true,
    ...more,
  });
  const step = { type: "step-start" };
  const ownPart = { type: "tool-look", toolCallId: "toolu_1", state: "output-available", input: {}, output: "seen" };
  const page = (role: string, ...parts: object[]) => ({ id: role, role, parts }) as unknown as UIMessage; // as stored
  const asked = page("user", words("Who won?"));
  const again = page("user", words("Well?"));

  const stored: readonly { readonly name: string; readonly list: readonly UIMessage[]; readonly isLeft: boolean }[] = [
    {
      name: "an interrupted search",
      isLeft: false,
      list: [asked, page("assistant", step, words("I look."), part("input-available")), again],
    },
    {
      name: "a search that the next step does not mention",
      isLeft: false,
      list: [asked, page("assistant", step, part("input-available"), ownPart, step, words("Norway."))],
    },
    {
      name: "a search that waits for the application",
      isLeft: true,
      list: [asked, page("assistant", step, part("input-available"), ownPart)],
    },
    { name: "a search at the end", isLeft: true, list: [asked, page("assistant", step, part("input-available"))] },
    {
      name: "a call that waits for an approval",
      isLeft: true,
      list: [asked, page("assistant", step, part("approval-requested", { approval: { id: "a" } })), again],
    },
    {
      name: "a search with its result",
      isLeft: true,
      list: [asked, page("assistant", step, part("output-available", { output: [] })), again],
    },
  ];

  test.each(stored)("with $name", ({ list, isLeft }) => {
    const repaired = repairUIMessages([...list]);
    expect(repaired[1]?.parts.some(({ type }) => type === "tool-web_search")).toBe(isLeft);
    expect(repaired[1]?.parts.filter(({ type }) => type !== "tool-web_search")).toEqual(
      list[1]?.parts.filter(({ type }) => type !== "tool-web_search"),
    );
    expect(repairUIMessages(repaired)).toBe(repaired);
  });

  test.each(claudes)("$name takes what is left of it", async (program) => {
    const list = repairUIMessages([...(stored[0]?.list ?? [])]);
    const sent = await ask(program, await program.sdk.convertToModelMessages(list), "bare");
    expect(sent).toContain("I look.");
    expect(sent).not.toContain("srvtoolu_1");
  });
});
