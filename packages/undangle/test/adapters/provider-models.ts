import { createAnthropic as createAnthropic6 } from "@ai-sdk-6/anthropic";
import { createGoogleGenerativeAI as createGoogle6 } from "@ai-sdk-6/google";
import { createOpenAI as createOpenAI6 } from "@ai-sdk-6/openai";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import * as ai7 from "ai";
import * as ai6 from "ai-6";

type Model = Parameters<typeof ai7.wrapLanguageModel>[0]["model"];

/** A model of a provider, by the package of one version of the SDK. */
export interface ProviderModel {
  readonly name: string;
  readonly format: "anthropic" | "gemini" | "openai-responses";
  readonly sdk: typeof ai7;
  readonly modelId: string;
  readonly modelOf: (baseUrl: string, fetch: typeof globalThis.fetch) => Model;
}

// What is used of them here is the same in both versions, but for the types of models.
const versions = [
  {
    version: "ai 6",
    sdk: ai6 as unknown as typeof ai7,
    anthropic: createAnthropic6 as unknown as typeof createAnthropic,
    google: createGoogle6 as unknown as typeof createGoogleGenerativeAI,
    openai: createOpenAI6 as unknown as typeof createOpenAI,
  },
  { version: "ai 7", sdk: ai7, anthropic: createAnthropic, google: createGoogleGenerativeAI, openai: createOpenAI },
];

/** Models whose rules differ, by the packages of both versions. */
export const providerModels: readonly ProviderModel[] = versions.flatMap(
  ({ version, sdk, anthropic, google, openai }) => {
    const one = (
      format: ProviderModel["format"],
      modelId: string,
      modelOf: ProviderModel["modelOf"],
    ): ProviderModel => ({ name: `${version}, ${modelId}`, format, sdk, modelId, modelOf });
    const settings = (baseURL: string, fetch: typeof globalThis.fetch) => ({ baseURL, apiKey: "none", fetch });
    return [
      ...["claude-3-7-sonnet-latest", "claude-sonnet-4-5", "claude-opus-4-8", "claude-sonnet-5-5"].map((id) =>
        one("anthropic", id, (url, fetch) => anthropic(settings(`${url}/v1`, fetch))(id)),
      ),
      ...["gemini-2.5-pro", "gemini-3-pro-preview"].map((id) =>
        one("gemini", id, (url, fetch) => google(settings(`${url}/v1beta`, fetch))(id)),
      ),
      ...["gpt-4.1", "gpt-5.1"].map((id) =>
        one("openai-responses", id, (url, fetch) => openai(settings(url, fetch)).responses(id)),
      ),
    ];
  },
);
