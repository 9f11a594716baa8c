import type Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import type { Content } from "@google/genai";
import { Ollama } from "ollama";
import type OpenAI from "openai";
import { anthropicManner } from "./manner-anthropic.ts";
import { chatManner } from "./manner-chat.ts";
import { geminiManner } from "./manner-gemini.ts";
import { ollamaManner } from "./manner-ollama.ts";
import { responsesManner } from "./manner-responses.ts";
import { valueOf } from "./manner.ts";
import type { Manner } from "./manner.ts";
import { anthropicMajors, openaiMajors } from "./official-sdks.ts";
import { failureOf } from "./program.ts";
import type { Answer, HeardCall, Line, Program } from "./program.ts";

/** What a program takes from an answer that came as a whole, and adds to its history as it is. */
interface Whole {
  readonly calls: readonly HeardCall[];
  readonly messages: readonly unknown[];
}

/** Programs without streams, as the first pages of the documentation of each SDK show them. */
export const wholePrograms: readonly Program[] = [
  ...openaiMajors.map(({ sdk, OpenAI: Client }) =>
    programOf(`${sdk}, chat, no stream`, chatManner, ({ baseUrl: baseURL, fetch }) => {
      const client = new Client({ baseURL, apiKey: "none", maxRetries: 0, fetch });
      return async (request) => {
        const { choices } = await client.chat.completions.create(
          request as unknown as OpenAI.ChatCompletionCreateParamsNonStreaming,
        );
        const messages = choices.map(({ message }) => message);
        const calls = messages.flatMap(({ tool_calls: all = [] }) => all);
        return {
          messages,
          calls: calls.flatMap((call) =>
            call.type === "function"
              ? [{ id: call.id, name: call.function.name, arguments: valueOf(call.function.arguments) }]
              : [],
          ),
        };
      };
    }),
  ),
  ...openaiMajors.map(({ sdk, OpenAI: Client }) =>
    programOf(`${sdk}, responses, no stream`, responsesManner, ({ baseUrl: baseURL, fetch }) => {
      const client = new Client({ baseURL, apiKey: "none", maxRetries: 0, fetch });
      return async (request) => {
        const { output } = await client.responses.create(
          request as unknown as OpenAI.Responses.ResponseCreateParamsNonStreaming,
        );
        const calls = output.filter((item) => item.type === "function_call");
        return {
          messages: output,
          calls: calls.map((call) => ({ id: call.call_id, name: call.name, arguments: valueOf(call.arguments) })),
        };
      };
    }),
  ),
  ...anthropicMajors.map(({ sdk, Anthropic: Client }) =>
    programOf(`${sdk}, no stream`, anthropicManner, ({ baseUrl: baseURL, fetch }) => {
      const client = new Client({ baseURL, apiKey: "none", maxRetries: 0, fetch });
      return async (request) => {
        const { content } = await client.messages.create(
          request as unknown as Anthropic.MessageCreateParamsNonStreaming,
        );
        const calls = content.filter((block) => block.type === "tool_use");
        return {
          messages: [{ role: "assistant", content }],
          calls: calls.map(({ id, name, input }) => ({ id, name, arguments: input })),
        };
      };
    }),
  ),
  programOf("@google/genai, no stream", geminiManner, ({ baseUrl, fetch }) => {
    const client = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl, fetch } });
    return async ({ contents, tools }) => {
      const { candidates, functionCalls = [] } = await client.models.generateContent({
        model: "gemini-2.5-pro",
        contents: contents as Content[],
        config: { tools: tools as [] },
      });
      return {
        messages: (candidates ?? []).flatMap(({ content }) => content ?? []),
        calls: functionCalls.map(({ id, name, args }) => ({ id, name, arguments: args })),
      };
    };
  }),
  programOf("ollama, no stream", ollamaManner, ({ baseUrl: host, fetch }) => {
    const client = new Ollama({ host, fetch });
    return async (request) => {
      const { message } = await client.chat(
        request as unknown as Parameters<typeof client.chat>[0] & { stream: false },
      );
      return {
        messages: [message],
        calls: (message.tool_calls ?? []).map(({ function: { name, arguments: args } }) => ({
          id: undefined,
          name,
          arguments: args,
        })),
      };
    };
  }),
];

type Ask = (request: Readonly<Record<string, unknown>>) => Promise<Whole>;

function programOf(name: string, manner: Manner, connect: (line: Line) => Ask): Program {
  return {
    name,
    format: manner.format,
    history: manner.format,
    open(line, saved = []) {
      const messages = [...saved];
      const ask = connect(line);
      return {
        messages,
        say: (text) => void messages.push(manner.user(text)),
        answer: (results) => void messages.push(...manner.results(results)),
        async ask(): Promise<Answer> {
          try {
            const answer = await ask({ ...manner.request(messages), stream: false });
            messages.push(...answer.messages);
            return { text: "", calls: answer.calls };
          } catch (error) {
            return { text: "", calls: [], ...failureOf(error) };
          }
        },
      };
    },
  };
}
