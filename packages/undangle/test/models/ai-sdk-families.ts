import { createAnthropic as createAnthropic6 } from "@ai-sdk-6/anthropic";
import { createGoogleGenerativeAI as createGoogle6 } from "@ai-sdk-6/google";
import { createOpenAI as createOpenAI6 } from "@ai-sdk-6/openai";
import { createOpenAICompatible as createOpenAICompatible6 } from "@ai-sdk-6/openai-compatible";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { aiSdkModel } from "#model";
import type { AiSdkModelOptions, LanguageModel, Model } from "#model";
import type { WireFormat } from "#testing";

/** A package of a provider, in one of the two versions that people use. */
export interface AiSdkFamily {
  readonly name: string;
  readonly format: Exclude<WireFormat, "bedrock" | "ollama">;
  /** What the provider seals its reasoning with; undefined where it does not. */
  readonly seal: string | undefined;
  readonly bare: (baseURL: string) => LanguageModel;
}

const apiKey = "none";

export const aiSdkFamilies: readonly AiSdkFamily[] = [
  {
    name: "6, openai-compatible",
    format: "openai-chat",
    seal: undefined,
    bare: (baseURL) => createOpenAICompatible6({ name: "test", baseURL, apiKey })("gpt-4.1"),
  },
  {
    name: "6, openai chat",
    format: "openai-chat",
    seal: undefined,
    bare: (baseURL) => createOpenAI6({ baseURL, apiKey }).chat("gpt-4.1"),
  },
  {
    name: "6, openai responses",
    format: "openai-responses",
    seal: "gAAAAABsealed",
    bare: (baseURL) => createOpenAI6({ baseURL, apiKey })("gpt-5.1"),
  },
  {
    name: "6, anthropic",
    format: "anthropic",
    seal: "c2VhbGVk",
    bare: (baseURL) => createAnthropic6({ baseURL: `${baseURL}/v1`, apiKey })("claude-sonnet-4-5"),
  },
  {
    name: "6, google",
    format: "gemini",
    seal: "c2VhbGVk",
    bare: (baseURL) => createGoogle6({ baseURL: `${baseURL}/v1beta`, apiKey })("gemini-2.5-pro"),
  },
  {
    name: "7, openai-compatible",
    format: "openai-chat",
    seal: undefined,
    bare: (baseURL) => createOpenAICompatible({ name: "test", baseURL, apiKey })("gpt-4.1"),
  },
  {
    name: "7, openai chat",
    format: "openai-chat",
    seal: undefined,
    bare: (baseURL) => createOpenAI({ baseURL, apiKey }).chat("gpt-4.1"),
  },
  {
    name: "7, openai responses",
    format: "openai-responses",
    seal: "gAAAAABsealed",
    bare: (baseURL) => createOpenAI({ baseURL, apiKey })("gpt-5.1"),
  },
  {
    name: "7, anthropic",
    format: "anthropic",
    seal: "c2VhbGVk",
    bare: (baseURL) => createAnthropic({ baseURL: `${baseURL}/v1`, apiKey })("claude-sonnet-4-5"),
  },
  {
    name: "7, google",
    format: "gemini",
    seal: "c2VhbGVk",
    bare: (baseURL) => createGoogleGenerativeAI({ baseURL: `${baseURL}/v1beta`, apiKey })("gemini-2.5-pro"),
  },
];

/** A model of a family, without patience. */
export const modelOf = ({ bare }: AiSdkFamily, baseURL: string, options: AiSdkModelOptions = {}): Model =>
  aiSdkModel(bare(baseURL), { retryDelay: 1, ...options });
