import { isRecord, UndangleError } from "#core";

import { askAgain } from "../http/ask-again.ts";
import { askPolitely } from "../http/ask-politely.ts";
import { createManners } from "../http/manners.ts";
import { modelStream } from "../http/model-stream.ts";
import { secretsOf } from "../http/secrets.ts";
import { checkModelOptions } from "../http-model-options.ts";
import type { HttpModelOptions } from "../http-model-options.ts";
import type { Model } from "../model.ts";
import { askModel } from "./ask-model.ts";
import type { AiSdkCall } from "./ask-model.ts";
import { checkLanguageModel, packageOf } from "./language-model.ts";
import type { LanguageModel, ProviderOptions } from "./language-model.ts";
import { cacheFormOf } from "./prompt-cache.ts";
import { writeCall } from "./write-call.ts";

/** Options of a model of the AI SDK. The address and the key are options of its package. */
export interface AiSdkModelOptions extends Omit<HttpModelOptions, (typeof lacks)[number]> {
  /** Options for the provider package, such as `{ openai: { reasoningEffort: "high" } }`. */
  readonly providerOptions?: ProviderOptions | undefined;
  /**
   * True also requests `output` as the response format, not only as a tool. By default for providers that are known to
   * accept both.
   */
  readonly structuredOutput?: boolean | undefined;
}

const lacks = ["apiKey", "baseURL", "fetch", "body", "env", "reasoning"] as const;

/** Uses a model of an AI SDK 6 or 7 provider package as a model of an agent. */
export function aiSdkModel(model: LanguageModel, options: AiSdkModelOptions = {}): Model {
  checkLanguageModel(model);
  checkAiSdkOptions(options);
  const { retries = 2, retryDelay = 500, timeouts, headers = {} } = options;
  const name = options.name ?? `${packageOf(model)}/${model.modelId}`;
  const secrets = secretsOf(undefined, headers);
  const manners = createManners({
    model: name,
    isTextOnly: options.media === false,
    takesCache: () => cacheFormOf(model) !== undefined,
  });
  return {
    name,
    stream: (request) =>
      modelStream(request.signal, async function* ask(signal) {
        signal.throwIfAborted();
        const { knownIds, language } = request;
        const attempt = askPolitely(request, manners, (asked) => {
          const call: AiSdkCall = {
            name,
            model,
            options: writeCall(asked, model, options),
            knownIds: knownIds instanceof Set ? knownIds : new Set(knownIds), // each attempt reads them
            secrets,
            timeouts,
          };
          return () => askModel(call, signal);
        });
        return yield* askAgain(attempt, { retries, retryDelay, language }, signal);
      }),
  };
}

function checkAiSdkOptions(options: AiSdkModelOptions): void {
  const { providerOptions, structuredOutput } = isRecord(options) ? options : {};
  checkModelOptions(options, { lacks, others: ["providerOptions", "structuredOutput"] });
  if (providerOptions !== undefined && !(isRecord(providerOptions) && Object.values(providerOptions).every(isRecord))) {
    const allowed = ["an object with one object per provider, such as { openai: { reasoningEffort: 'low' } }"];
    throw new UndangleError("options/value", { option: "providerOptions", value: providerOptions, allowed });
  }
  if (structuredOutput !== undefined && typeof structuredOutput !== "boolean") {
    const allowed = ["true", "false"];
    throw new UndangleError("options/value", { option: "structuredOutput", value: structuredOutput, allowed });
  }
}
