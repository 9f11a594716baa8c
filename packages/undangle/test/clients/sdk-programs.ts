import type Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import type { Content } from "@google/genai";
import { Ollama } from "ollama";
import type OpenAI from "openai";
import { aiProgram } from "./ai-program.ts";
import { langchainProgram } from "./langchain-program.ts";
import { anthropicManner } from "./manner-anthropic.ts";
import { chatManner } from "./manner-chat.ts";
import { geminiManner } from "./manner-gemini.ts";
import { ollamaManner } from "./manner-ollama.ts";
import { responsesManner } from "./manner-responses.ts";
import { converse } from "./manner.ts";
import type { Ask, Manner } from "./manner.ts";
import { anthropicMajors, openaiMajors } from "./official-sdks.ts";
import type { Line, Program } from "./program.ts";

/** Programs over the SDKs that people use. What the SDKs are given is checked by the server, not by types. */
export const sdkPrograms: readonly Program[] = [
  ...openaiMajors.map(({ sdk, OpenAI: Client }) =>
    programOf(`${sdk}, chat`, chatManner, ({ baseUrl: baseURL, fetch }) => {
      const client = new Client({ baseURL, apiKey: "none", maxRetries: 0, fetch });
      return (body, signal) => {
        const { stream: _, ...request } = body as unknown as OpenAI.ChatCompletionCreateParamsStreaming;
        return client.chat.completions.stream(request, { signal });
      };
    }),
  ),
  ...openaiMajors.map(({ sdk, OpenAI: Client }) =>
    programOf(`${sdk}, responses`, responsesManner, ({ baseUrl: baseURL, fetch }) => {
      const client = new Client({ baseURL, apiKey: "none", maxRetries: 0, fetch });
      return async function* ask(body, signal) {
        yield* await client.responses.create(body as unknown as OpenAI.Responses.ResponseCreateParamsStreaming, {
          signal,
        });
      };
    }),
  ),
  ...anthropicMajors.map(({ sdk, Anthropic: Client }) =>
    programOf(sdk, anthropicManner, ({ baseUrl: baseURL, fetch }) => {
      const client = new Client({ baseURL, apiKey: "none", maxRetries: 0, fetch });
      return (body, signal) =>
        client.messages.stream(body as unknown as Anthropic.MessageStreamParams, signal ? { signal } : {});
    }),
  ),
  leftOpen("@google/genai", geminiManner, ({ baseUrl, fetch }) => {
    const client = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl, fetch } });
    return async function* ask({ contents, tools }, abortSignal) {
      const config = { tools: tools as [], ...(abortSignal && { abortSignal }) };
      const request = { model: "gemini-2.5-pro", contents: contents as Content[], config };
      yield* await client.models.generateContentStream(request);
    };
  }),
  leftOpen("ollama", ollamaManner, ({ baseUrl: host, fetch }) => {
    return async function* ask(body, signal) {
      const client = new Ollama({ host, fetch });
      const stop = (): void => client.abort();
      signal?.addEventListener("abort", stop, { once: true });
      try {
        yield* await client.chat(body as unknown as Parameters<typeof client.chat>[0] & { stream: true });
      } finally {
        signal?.removeEventListener("abort", stop);
      }
    };
  }),
  aiProgram,
  langchainProgram,
];

function programOf(name: string, manner: Manner, connect: (line: Line) => Ask): Program {
  return {
    name,
    format: manner.format,
    history: manner.format,
    open: (line, saved) => converse(manner, connect(line), saved),
  };
}

function leftOpen(...given: Parameters<typeof programOf>): Program {
  return { ...programOf(...given), needsSignal: true };
}
