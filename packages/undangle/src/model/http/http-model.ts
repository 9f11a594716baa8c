import { checkModelId, checkModelOptions } from "../http-model-options.ts";
import type { HttpModelOptions } from "../http-model-options.ts";
import type { Model } from "../model.ts";
import type { Provider } from "../providers/provider.ts";
import { askAgain } from "./ask-again.ts";
import type { Attempt } from "./ask-again.ts";
import { askOnce } from "./ask-once.ts";
import { modelStream } from "./model-stream.ts";
import { prepareCall } from "./prepare-call.ts";
import type { PreparedCall } from "./prepare-call.ts";
import { createHistoryWriter } from "./written-history.ts";

/** A model that a provider runs, asked over HTTP. Keys and addresses are looked up when it is asked first. */
export function httpModel(provider: Provider, id: string, options: HttpModelOptions): Model {
  checkModelId(id);
  checkModelOptions(options, { lacks: provider.lacks ?? [] });
  const name = options.name ?? `${provider.name}/${id}`;
  const { retries = 2, retryDelay = 500 } = options;
  const target = { model: name, id, provider, options, write: createHistoryWriter(provider, id) };
  return {
    name,
    stream: (request) =>
      modelStream(request.signal, (signal) => {
        let call: Promise<PreparedCall> | undefined; // the same for every attempt
        const attempt = (): Attempt => askOnce((call ??= prepareCall(target, request)), request, signal);
        return askAgain(attempt, { retries, retryDelay, language: request.language }, signal);
      }),
  };
}
