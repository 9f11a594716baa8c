import { createAnthropic as createAnthropic6 } from "@ai-sdk-6/anthropic";
import { createGoogleGenerativeAI as createGoogle6 } from "@ai-sdk-6/google";
import { createOpenAI as createOpenAI6 } from "@ai-sdk-6/openai";
import { createOpenAICompatible as createOpenAICompatible6 } from "@ai-sdk-6/openai-compatible";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import * as ai7 from "ai";
import * as ai6 from "ai-6";
import type { ModelMiddleware } from "../../src/adapters/ai-sdk.ts";
import type { Heard, Sdk } from "./sdks.ts";

/** A program of the AI SDK, which can wrap its model too. */
export interface AiProgram extends Sdk {
  readonly sdk: typeof ai7;
  readonly modelOf: (baseUrl: string, fetch: typeof globalThis.fetch) => Model;
  readonly hear: (baseUrl: string, fetch: typeof globalThis.fetch, middleware?: ModelMiddleware) => Promise<Heard>;
}

// What is used of them here is the same in both versions, but for the types of models.
const sdk6 = ai6 as unknown as typeof ai7;

const versions = [
  {
    version: "ai 6",
    sdk: sdk6,
    createOpenAI: createOpenAI6 as unknown as typeof createOpenAI,
    createAnthropic: createAnthropic6 as unknown as typeof createAnthropic,
    createGoogle: createGoogle6 as unknown as typeof createGoogleGenerativeAI,
    createCompatible: createOpenAICompatible6 as unknown as typeof createOpenAICompatible,
  },
  {
    version: "ai 7",
    sdk: ai7,
    createOpenAI,
    createAnthropic,
    createGoogle: createGoogleGenerativeAI,
    createCompatible: createOpenAICompatible,
  },
];

/** Both versions that people use, with the providers of their time. */
export const aiPrograms: readonly AiProgram[] = versions.flatMap((providers): readonly AiProgram[] => {
  const { version, sdk } = providers;
  const settings = (baseURL: string, fetch: typeof globalThis.fetch) => ({ baseURL, apiKey: "none", fetch });
  const program = (name: string, format: Sdk["format"], modelOf: AiProgram["modelOf"]): AiProgram => ({
    name: `${version}, ${name}`,
    format,
    sdk,
    modelOf,
    hear: (baseUrl, fetch, middleware) => {
      const model = modelOf(baseUrl, fetch);
      return heardBy(sdk, middleware === undefined ? model : sdk.wrapLanguageModel({ model, middleware }));
    },
  });
  return [
    program("openai-compatible", "openai-chat", (baseURL, fetch) =>
      providers.createCompatible({ name: "test", ...settings(baseURL, fetch) })("gpt-4.1"),
    ),
    program("openai chat", "openai-chat", (baseURL, fetch) =>
      providers.createOpenAI(settings(baseURL, fetch)).chat("gpt-4.1"),
    ),
    program("openai responses", "openai-responses", (baseURL, fetch) =>
      providers.createOpenAI(settings(baseURL, fetch)).responses("gpt-5.1"),
    ),
    program("anthropic", "anthropic", (baseURL, fetch) =>
      providers.createAnthropic(settings(`${baseURL}/v1`, fetch))("claude-sonnet-5-5"),
    ),
    program("google", "gemini", (baseURL, fetch) =>
      providers.createGoogle(settings(`${baseURL}/v1beta`, fetch))("gemini-2.5-pro"),
    ),
  ];
});

type Model = Parameters<typeof ai7.wrapLanguageModel>[0]["model"];

/** What a model says to a program that shows the text and runs the calls as they come. */
async function heardBy(sdk: typeof ai7, model: Model): Promise<Heard> {
  const inputSchema = sdk.jsonSchema<Record<string, unknown>>({
    type: "object",
    properties: {},
    additionalProperties: true,
  });
  const { fullStream } = sdk.streamText({
    model,
    prompt: "Hi.",
    maxRetries: 0,
    onError: () => undefined,
    tools: { find_book: { inputSchema }, open_file: { inputSchema } },
  });
  let text = "";
  const calls: Heard["calls"][number][] = [];
  let error: unknown;
  try {
    for await (const part of fullStream) {
      if (part.type === "error") error ??= part.error;
      if (part.type === "text-delta") text += part.text;
      if (part.type !== "tool-call") continue;
      calls.push({
        id: part.toolCallId,
        name: part.toolName,
        arguments: part.invalid === true ? "no JSON" : part.input,
      });
    }
  } catch (thrown) {
    error ??= thrown; // what came before it has been run
  }
  return error === undefined ? { text, calls } : { text, calls, error };
}
