import type { AiSdkTool } from "#codecs";
import { isRecord, UndangleError } from "#core";
import type { JsonObject } from "#core";

/** A model of an AI SDK 6 or 7 provider package, by its structure. */
export interface LanguageModel {
  readonly specificationVersion: "v3" | "v4";
  readonly provider: string;
  readonly modelId: string;
  // oxlint-disable-next-line typescript/method-signature-style -- a method takes what each package writes there
  doStream(options: never): PromiseLike<StreamResult>;
}

export interface StreamResult {
  readonly stream: ReadableStream<unknown>;
  readonly response?: { readonly headers?: Readonly<Record<string, string>> | undefined } | undefined;
}

/** The call options of both versions. Only the prompt differs. */
export interface CallOptions {
  readonly prompt: readonly unknown[];
  readonly tools?: readonly AiSdkTool[];
  readonly toolChoice?: JsonObject;
  readonly responseFormat?: JsonObject;
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly stopSequences?: readonly string[];
  readonly seed?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly providerOptions?: ProviderOptions;
  readonly abortSignal: AbortSignal;
  readonly includeRawChunks: false;
}

/** Options by provider. */
export type ProviderOptions = Readonly<Record<string, JsonObject>>;

/** Refuses anything but a model of these versions. */
export function checkLanguageModel(value: unknown): void {
  const isModel =
    isRecord(value) &&
    (value["specificationVersion"] === "v3" || value["specificationVersion"] === "v4") &&
    typeof value["doStream"] === "function" &&
    typeof value["modelId"] === "string" &&
    typeof value["provider"] === "string";
  if (isModel) return;
  const allowed = ["a model of a provider package of the AI SDK 6 or 7, such as openai('gpt-5.1') from @ai-sdk/openai"];
  throw new UndangleError("options/value", { option: "model", value, allowed });
}

/** The package of a model: `openai` for `openai.responses`. */
export const packageOf = ({ provider }: Pick<LanguageModel, "provider">): string => provider.split(".")[0] ?? provider;
