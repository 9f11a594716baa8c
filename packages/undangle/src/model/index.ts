export { aiSdkModel } from "./ai-sdk/ai-sdk-model.ts";
export type { AiSdkModelOptions } from "./ai-sdk/ai-sdk-model.ts";
export type { LanguageModel, ProviderOptions } from "./ai-sdk/language-model.ts";
export { demoModel } from "./demo/demo-model.ts";
export type { DemoModelOptions } from "./demo/demo-model.ts";
export { fallback } from "./fallback/fallback.ts";
export type { FallbackOptions } from "./fallback/fallback.ts";
export type {
  Discarded,
  Model,
  ModelExchange,
  ModelPart,
  ModelRequest,
  ModelSampling,
  ModelStream,
  ModelToolChoice,
  ModelWarning,
  PromptCache,
  RequestTarget,
  ToolDescription,
  WrittenRequest,
} from "./model.ts";
export type { HttpModelOptions, ModelTimeouts, ReasoningEffort } from "./http-model-options.ts";
export { modelNamed } from "./model-named.ts";
export { anthropic } from "./providers/anthropic.ts";
export type { AzureOptions } from "./providers/azure.ts";
export { gemini } from "./providers/gemini.ts";
export { mistral } from "./providers/mistral.ts";
export { ollama } from "./providers/ollama.ts";
export { openai } from "./providers/openai.ts";
export type { OpenAiOptions } from "./providers/openai.ts";
export { openaiCompatible } from "./providers/openai-compatible.ts";
export type { CompatibleOptions } from "./providers/openai-compatible.ts";
