import type { ModelRequest } from "../model.ts";
import { sentSchema } from "../providers/structured-output.ts";
import type { SentSchema } from "../providers/structured-output.ts";
import type { AiSdkModelOptions } from "./ai-sdk-model.ts";
import { packageOf } from "./language-model.ts";
import type { CallOptions, LanguageModel } from "./language-model.ts";
import { offeredTools } from "./offered-tools.ts";
import { cacheKeyOptions, withCacheMarkers } from "./prompt-cache.ts";
import { providerOptionsFor } from "./provider-options.ts";
import { writePrompt } from "./write-prompt.ts";

/** The call options without the signal. */
export function writeCall(
  request: ModelRequest,
  model: LanguageModel,
  options: AiSdkModelOptions,
): Omit<CallOptions, "abortSignal"> {
  const { maxTokens, temperature, topP, stop, seed, headers } = options;
  const prompt = writePrompt(request, model);
  const format = formatOf(request, model, options);
  const providerOptions = providerOptionsFor(model, {
    given: options.providerOptions,
    prompt,
    isSingle: request.tools.length > 0 && (request.parallelCalls ?? options.parallelCalls) === false,
    isLoose: format?.isStrict === false,
    cacheKey: cacheKeyOptions(request, model),
  });
  const marked = withCacheMarkers({ prompt, ...offeredTools(request, model, prompt) }, request, {
    model,
    given: options.providerOptions,
  });
  return {
    ...marked,
    ...(format !== undefined && { responseFormat: { type: "json", schema: format.schema, name: "answer" } }),
    ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(stop !== undefined && { stopSequences: stop }),
    ...(seed !== undefined && { seed }),
    ...(headers !== undefined && { headers }),
    ...(providerOptions !== undefined && { providerOptions }),
    includeRawChunks: false,
  };
}

/** The response format, if requested. */
function formatOf(
  { output, tools }: ModelRequest,
  model: LanguageModel,
  { structuredOutput }: AiSdkModelOptions,
): SentSchema | undefined {
  if (output === undefined || structuredOutput === false) return undefined;
  const sent = sentSchema(output);
  const isTaken = takesBoth.includes(packageOf(model)) && (sent.isStrict || tools.length === 0);
  return structuredOutput === true || isTaken ? sent : undefined;
}

/**
 * Providers whose models accept a response format beside tools. Others refuse it or stop calling tools; the output tool
 * is sufficient there.
 */
const takesBoth: readonly string[] = ["openai", "azure"];
