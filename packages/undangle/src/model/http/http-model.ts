import { takesOnlyText } from "#codecs";

import { checkModelId, checkModelOptions } from "../http-model-options.ts";
import type { HttpModelOptions } from "../http-model-options.ts";
import type { Model } from "../model.ts";
import type { Provider } from "../providers/provider.ts";
import { askAgain } from "./ask-again.ts";
import { askOnce } from "./ask-once.ts";
import { askPolitely } from "./ask-politely.ts";
import { createManners } from "./manners.ts";
import { modelStream } from "./model-stream.ts";
import { keyFault, prepareCall, takesCache, writtenRequest } from "./prepare-call.ts";
import { createHistoryWriter } from "./written-history.ts";

/** A model of a provider over HTTP. Keys and addresses are read at the first request. */
export function httpModel(provider: Provider, id: string, options: HttpModelOptions): Model {
  checkModelId(id);
  checkModelOptions(options, { lacks: provider.lacks ?? [] });
  const name = options.name ?? `${provider.name}/${id}`;
  const { retries = 2, retryDelay = 500 } = options;
  const target = { model: name, id, provider, options, write: createHistoryWriter(provider, id) };
  const manners = createManners({
    model: name,
    isTextOnly: options.media === false,
    isBlind: provider.format === "openai-chat" && takesOnlyText(provider.profile, id),
    forcing: provider.forcing?.(id),
    isThinking: options.reasoning !== undefined && options.reasoning !== "none",
    takesCache: () => takesCache(target),
  });
  return {
    name,
    checkKey: () => keyFault(target),
    write: (request) => writtenRequest(target, manners.limit(request)),
    stream: (request) =>
      modelStream(request.signal, (signal) => {
        const attempt = askPolitely(request, manners, (asked) => {
          const call = prepareCall(target, asked); // the same for every attempt
          return () => askOnce(call, asked, signal);
        });
        return askAgain(attempt, { retries, retryDelay, language: request.language }, signal);
      }),
  };
}
