import { UndangleError } from "#core";
import type { Language } from "#core";

import type { ModelRequest, ModelWarning, PromptCache } from "../model.ts";
import { forcesCall } from "../providers/provider.ts";
import type { Forcing } from "../providers/provider.ts";
import { concessions } from "./concessions.ts";
import type { ConcessionName } from "./concessions.ts";

/** The known limits of a model: those from its options, and those learned from refusals. */
export interface Manners {
  /** The request as the model accepts it, and messages for the user. Throws if the request requires a missing feature. */
  readonly adapt: (request: ModelRequest) => Adapted;
  /** The same request without messages for the user. */
  readonly limit: (request: ModelRequest) => ModelRequest;
  /** True if a refusal showed a limit for this request, so that it can be repeated in another way. */
  readonly learn: (refusal: UndangleError, request: ModelRequest) => boolean;
}

export interface Adapted {
  readonly request: ModelRequest;
  readonly warnings: readonly ModelWarning[];
}

export interface MannersOptions {
  readonly model: string;
  /** The option `media: false`, which needs no message. */
  readonly isTextOnly?: boolean | undefined;
  /** The model is known to accept only text. */
  readonly isBlind?: boolean | undefined;
  /** What is necessary to force a call. */
  readonly forcing?: Forcing | undefined;
  /** True if thinking is enabled. */
  readonly isThinking?: boolean | undefined;
  /** False if the provider has no setting for prompt caching. */
  readonly takesCache: () => boolean;
}

const names = Object.keys(concessions) as readonly ConcessionName[]; // the keys of the table

/** The limits are kept as long as the model. */
export function createManners(options: MannersOptions): Manners {
  const { model, isTextOnly, isBlind, forcing, isThinking, takesCache } = options;
  const known = new Set<ConcessionName>();
  const untold = new Set<ConcessionName>(); // learned just now
  if (isTextOnly === true || isBlind === true) known.add("media");
  if (forcing === "never") known.add("tool-choice");
  const warned = new WeakSet<PromptCache>(); // of runs
  const lacks = (name: ConcessionName): boolean => known.has(name) || (name === "cache" && !takesCache());
  const isTold = (name: ConcessionName, request: ModelRequest): boolean => {
    const isNews = concessions[name].isNews(request);
    if (name !== "cache") return untold.delete(name) || (isNews && !(name === "media" && isTextOnly === true));
    const { cache = {} } = request;
    const isFirst = !warned.has(cache);
    warned.add(cache);
    return isNews && isFirst;
  };
  const limits = (given: ModelRequest): readonly ConcessionName[] =>
    names.filter((name) => concessions[name].concerns(given) && lacks(name));
  const limit = (given: ModelRequest): ModelRequest =>
    limits(given).reduce((request, name) => concessions[name].apply(request), volatileLast(given));
  return {
    limit,
    adapt(given) {
      const { language } = given;
      const warnings: ModelWarning[] = [];
      for (const name of limits(given)) {
        if (name === "cache" && given.cache?.unsupported === "error") {
          throw new UndangleError("model/refused", { model, message: uncached[language], canRetry: false });
        }
        if (isTold(name, given)) warnings.push({ type: "warning", message: concessions[name].told[language](model) });
      }
      const request = limit(given);
      if (forcing === "thoughtless" && isThinking === true && forcesCall(request)) {
        warnings.push({ type: "warning", message: thoughtless[language](model) });
      }
      return { request, warnings };
    },
    learn({ data }, request) {
      const words = "message" in data && typeof data.message === "string" ? data.message : "";
      const name = names.find((each) => concessions[each].concerns(request) && concessions[each].says.test(words));
      if (name === undefined) return false;
      known.add(name);
      untold.add(name);
      return true;
    },
  };
}

/** Middleware adds system texts in any order. Those that may change come last, so that the others can be cached. */
function volatileLast(request: ModelRequest): ModelRequest {
  const { system } = request;
  const isLast = ({ isVolatile }: ModelRequest["system"][number]): boolean => isVolatile === true;
  const first = system.findIndex(isLast);
  if (first === -1 || system.slice(first).every(isLast)) return request;
  return { ...request, system: [...system.filter((text) => !isLast(text)), ...system.filter(isLast)] };
}

const uncached: Readonly<Record<Language, string>> = {
  en: "it has no setting for prompt caching, and promptCaching({ unsupported: 'error' }) requires one.",
  zh: "它没有提示词缓存的设置，而 promptCaching({ unsupported: 'error' }) 要求必须有。",
};

const thoughtless: Readonly<Record<Language, (model: string) => string>> = {
  en: (model) =>
    `The model ${model} does not think for this request, because a model that thinks cannot be forced to call a tool.`,
  zh: (model) => `模型 ${model} 在本次请求中不思考：思考时不能强制其调用工具。`,
};
