import { GoogleGenAI } from "@google/genai";
import type { GenerateContentResponse } from "@google/genai";
import { ChatAnthropic } from "@langchain/anthropic";
import type { AIMessageChunk } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { Ollama } from "ollama";
import type { WireFormat } from "undangle/testing";
import { aiPrograms } from "./ai-sdk.ts";
import { anthropicMajors, openaiMajors } from "./official-sdks.ts";

/** What a program hears through an SDK. */
export interface Heard {
  readonly text: string;
  readonly calls: readonly {
    readonly id: string | undefined;
    readonly name: string | undefined;
    /** A value, or the text of one. */
    readonly arguments: unknown;
  }[];
  /** What went wrong after these calls had been presented, and had perhaps been run. */
  readonly error?: unknown;
}

/** A program that asks a model and listens to its stream. It throws where its SDK does. */
export interface Sdk {
  readonly name: string;
  readonly format: WireFormat;
  readonly hear: (baseUrl: string, fetch: typeof globalThis.fetch) => Promise<Heard>;
}

const names = ["find_book", "open_file"];
const parameters = { type: "object", properties: {}, additionalProperties: true } as const;
const chatTools = names.map((name) => ({ type: "function" as const, function: { name, parameters } }));
const anthropicTools = names.map((name) => ({ name, input_schema: { ...parameters, properties: {} } }));

/** The SDKs that people use, as their documentation shows them. */
export const sdks: readonly Sdk[] = [
  ...openaiMajors.map(({ sdk, OpenAI }): Sdk => ({
    name: `${sdk}, chat`,
    format: "openai-chat",
    async hear(baseURL, fetch) {
      const client = new OpenAI({ baseURL, apiKey: "none", maxRetries: 0, fetch });
      const request = { model: "gpt-4.1", messages: [{ role: "user" as const, content: "Hi." }], tools: chatTools };
      const { content, tool_calls: calls = [] } = await client.chat.completions.stream(request).finalMessage();
      return {
        text: content ?? "",
        calls: calls.flatMap((call) =>
          call.type === "function"
            ? [{ id: call.id, name: call.function.name, arguments: call.function.arguments }]
            : [],
        ),
      };
    },
  })),
  {
    name: "@langchain/openai, chat",
    format: "openai-chat",
    hear: (baseURL, fetch) =>
      langchainHeard(
        new ChatOpenAI({
          model: "gpt-4.1",
          apiKey: "none",
          maxRetries: 0,
          useResponsesApi: false,
          configuration: { baseURL, fetch },
        })
          .bindTools(chatTools)
          .stream("Hi."),
      ),
  },
  ...openaiMajors.map(({ sdk, OpenAI }): Sdk => ({
    name: `${sdk}, responses`,
    format: "openai-responses",
    async hear(baseURL, fetch) {
      const client = new OpenAI({ baseURL, apiKey: "none", maxRetries: 0, fetch });
      const tools = names.map((name) => ({ type: "function" as const, name, parameters, strict: false }));
      const { status, output } = await client.responses
        .stream({ model: "gpt-5.1", input: "Hi.", tools })
        .finalResponse();
      if (status !== "completed") throw new Error(`The response is ${status ?? "not there"}.`);
      return {
        text: output
          .flatMap((item) => (item.type === "message" ? item.content : []))
          .map((part) => (part.type === "output_text" ? part.text : ""))
          .join(""),
        calls: output.flatMap((item) =>
          item.type === "function_call" ? [{ id: item.call_id, name: item.name, arguments: item.arguments }] : [],
        ),
      };
    },
  })),
  {
    name: "@langchain/openai, responses",
    format: "openai-responses",
    hear: (baseURL, fetch) =>
      langchainHeard(
        new ChatOpenAI({
          model: "gpt-5.1",
          apiKey: "none",
          maxRetries: 0,
          useResponsesApi: true,
          configuration: { baseURL, fetch },
        })
          .bindTools(chatTools)
          .stream("Hi."),
      ),
  },
  ...anthropicMajors.map(({ sdk, Anthropic }): Sdk => ({
    name: sdk,
    format: "anthropic",
    async hear(baseURL, fetch) {
      const client = new Anthropic({ baseURL, apiKey: "none", maxRetries: 0, fetch });
      const { content } = await client.messages
        .stream({
          model: "claude-sonnet-5-5",
          max_tokens: 99,
          messages: [{ role: "user", content: "Hi." }],
          tools: anthropicTools,
        })
        .finalMessage();
      return {
        text: content.map((block) => (block.type === "text" ? block.text : "")).join(""),
        calls: content.flatMap((block) =>
          block.type === "tool_use" ? [{ id: block.id, name: block.name, arguments: block.input }] : [],
        ),
      };
    },
  })),
  {
    name: "@langchain/anthropic",
    format: "anthropic",
    hear: (baseURL, fetch) =>
      langchainHeard(
        new ChatAnthropic({
          model: "claude-sonnet-5-5",
          apiKey: "none",
          maxRetries: 0,
          maxTokens: 99,
          anthropicApiUrl: baseURL,
          clientOptions: { fetch },
        })
          .bindTools(anthropicTools)
          .stream("Hi."),
      ),
  },
  {
    name: "@google/genai",
    format: "gemini",
    async hear(baseUrl, fetch) {
      const client = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl, fetch } });
      const tools = [{ functionDeclarations: names.map((name) => ({ name })) }];
      const request = { model: "gemini-2.5-pro", contents: "Hi.", config: { tools } };
      const chunks: GenerateContentResponse[] = [];
      for await (const chunk of await client.models.generateContentStream(request)) chunks.push(chunk);
      const finish = chunks.findLast(({ candidates }) => candidates?.[0]?.finishReason)?.candidates?.[0]?.finishReason;
      if (finish?.includes("MALFORMED")) throw new Error(finish); // a program looks at it, because the SDK does not
      const parts = chunks.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
      return {
        text: parts.map(({ text, thought }) => (thought === true ? "" : (text ?? ""))).join(""),
        calls: parts.flatMap(({ functionCall: call }) =>
          call === undefined ? [] : [{ id: call.id ?? `${call.name}`, name: call.name, arguments: call.args }],
        ),
      };
    },
  },
  {
    name: "ollama",
    format: "ollama",
    async hear(host, fetch) {
      const client = new Ollama({ host, fetch });
      const tools = names.map((name) => ({ type: "function", function: { name, parameters: { type: "object" } } }));
      const messages = [{ role: "user", content: "Hi." }];
      let text = "";
      const calls: Heard["calls"][number][] = [];
      for await (const { message } of await client.chat({ model: "qwen3", messages, tools, stream: true })) {
        text += message.content;
        for (const { function: called } of message.tool_calls ?? [])
          calls.push({ id: called.name, name: called.name, arguments: called.arguments }); // it has no ids
      }
      return { text, calls };
    },
  },
  ...aiPrograms,
];

/** The chunks of a stream of LangChain's added up. */
async function langchainHeard(opening: Promise<AsyncIterable<AIMessageChunk>>): Promise<Heard> {
  let all: AIMessageChunk | undefined;
  for await (const chunk of await opening) all = all === undefined ? chunk : all.concat(chunk);
  return {
    text: all?.text ?? "",
    calls: [
      ...(all?.tool_calls ?? []).map(({ id, name, args }) => ({ id, name, arguments: args })),
      ...(all?.invalid_tool_calls ?? []).map(({ id, name }) => ({ id, name, arguments: "no JSON" })),
    ],
  };
}
