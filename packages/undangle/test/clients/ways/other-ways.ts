import { GoogleGenAI } from "@google/genai";
import { ChatAnthropic } from "@langchain/anthropic";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { parameters, said, sky, toolName } from "./way.ts";
import type { Script, Way, WayLine } from "./way.ts";

/** The ways of Google's SDK. */
export const geminiWays: readonly Way[] = (
  [
    ["models.generateContent", async ({ models }, contents) => (await models.generateContent(asking(contents))).text],
    [
      "models.generateContentStream",
      async ({ models }, contents) => {
        let text = "";
        for await (const chunk of await models.generateContentStream(asking(contents))) text += chunk.text ?? "";
        return text;
      },
    ],
    [
      "chats.sendMessage",
      async ({ chats }, contents) => {
        const chat = chats.create({ ...asking([]), history: contents.slice(0, -1) });
        return (await chat.sendMessage({ message: "And in Rome?" })).text;
      },
    ],
    [
      "chats.sendMessageStream",
      async ({ chats }, contents) => {
        const chat = chats.create({ ...asking([]), history: contents.slice(0, -1) });
        let text = "";
        for await (const chunk of await chat.sendMessageStream({ message: "And in Rome?" })) text += chunk.text ?? "";
        return text;
      },
    ],
  ] satisfies [string, (client: GoogleGenAI, contents: Contents) => Promise<unknown>][]
).map(([name, ask]): Way => ({
  name: `@google/genai, ${name}`,
  format: "gemini",
  script: said,
  ask: ({ baseUrl, fetch }, isAnswered) =>
    ask(new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl, fetch } }), contentsOf(isAnswered)),
}));

type Contents = ReturnType<typeof contentsOf>;

const asking = (contents: Contents) => ({
  model: "gemini-2.5-pro",
  contents,
  config: { tools: [{ functionDeclarations: [{ name: toolName, parametersJsonSchema: parameters }] }] },
});

const contentsOf = (isAnswered: boolean) => [
  { role: "user", parts: [{ text: "Weather in Oslo?" }] },
  { role: "model", parts: [{ functionCall: { name: toolName, args: { city: "Oslo" } } }] },
  ...(isAnswered
    ? [{ role: "user", parts: [{ functionResponse: { name: toolName, response: { output: "Rain." } } }] }]
    : []),
  { role: "user", parts: [{ text: "And in Rome?" }] },
];

/** LangChain offers the schema as a tool. */
const extracted: Script = {
  turns: [{ calls: [{ name: "weather", arguments: { sky: "clear" } }] }],
  outcome: { sky: "clear" },
};

/** The ways of LangChain, over the SDKs that it brings. */
export const langchainWays: readonly Way[] = [
  ...waysOf("@langchain/openai, chat", "openai-chat", ({ baseUrl: baseURL, fetch }) => openai(baseURL, fetch, false)),
  ...waysOf("@langchain/openai, responses", "openai-responses", ({ baseUrl: baseURL, fetch }) =>
    openai(baseURL, fetch, true),
  ),
  ...waysOf("@langchain/anthropic", "anthropic", ({ baseUrl: anthropicApiUrl, fetch }) => {
    const settings = { model: "claude-opus-4-8", apiKey: "none", maxRetries: 0, maxTokens: 99 };
    return new ChatAnthropic({ ...settings, anthropicApiUrl, clientOptions: { fetch } });
  }),
];

function openai(baseURL: string, fetch: typeof globalThis.fetch, useResponsesApi: boolean): ChatOpenAI {
  const settings = { model: "gpt-4.1", apiKey: "none", maxRetries: 0, useResponsesApi };
  return new ChatOpenAI({ ...settings, configuration: { baseURL, fetch } });
}

function waysOf(sdk: string, format: Way["format"], connect: (line: WayLine) => BaseChatModel): readonly Way[] {
  const tool = { type: "function", function: { name: toolName, parameters } };
  const bound = (line: WayLine) => {
    const model = connect(line);
    if (model.bindTools === undefined) throw new Error(`${sdk} takes no tools.`);
    return model.bindTools([tool]);
  };
  return [
    {
      name: `${sdk}, invoke`,
      format,
      script: said,
      ask: async (line, isAnswered) => (await bound(line).invoke(messagesOf(isAnswered))).text,
    },
    {
      name: `${sdk}, stream`,
      format,
      script: said,
      async ask(line, isAnswered) {
        let text = "";
        for await (const chunk of await bound(line).stream(messagesOf(isAnswered))) text += chunk.text;
        return text;
      },
    },
    {
      name: `${sdk}, withStructuredOutput`,
      format,
      script: extracted,
      ask: (line, isAnswered) =>
        connect(line)
          .withStructuredOutput({ title: "weather", ...sky }, { method: "functionCalling" })
          .invoke(messagesOf(isAnswered)),
    },
  ];
}

const messagesOf = (isAnswered: boolean) => [
  new HumanMessage("Weather in Oslo?"),
  new AIMessage({ content: "", tool_calls: [{ id: "call_1", name: toolName, args: { city: "Oslo" } }] }),
  ...(isAnswered ? [new ToolMessage({ tool_call_id: "call_1", content: "Rain." })] : []),
  new HumanMessage("And in Rome?"),
];
