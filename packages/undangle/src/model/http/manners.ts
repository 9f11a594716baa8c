import type { Language, UndangleError } from "#core";

import type { ModelRequest, ModelWarning } from "../model.ts";
import { forcesCall } from "../providers/provider.ts";
import type { Forcing } from "../providers/provider.ts";
import { concessions } from "./concessions.ts";
import type { ConcessionName } from "./concessions.ts";

/** How a model wants to be asked: what is known of it from the start, and what its refusals have taught. */
export interface Manners {
  /** The request as the model takes it, and what the person is to know of that. */
  readonly adapt: (request: ModelRequest) => Adapted;
  /** True when a refusal has taught something about the request that was made: it can be made again in another way. */
  readonly learn: (refusal: UndangleError, request: ModelRequest) => boolean;
}

export interface Adapted {
  readonly request: ModelRequest;
  readonly warnings: readonly ModelWarning[];
}

export interface MannersOptions {
  readonly model: string;
  /** Whoever made it has said that it takes only text, and need not be told. */
  readonly isTextOnly?: boolean | undefined;
  /** It is known to take only text. */
  readonly isBlind?: boolean | undefined;
  /** What it takes to force a call. */
  readonly forcing?: Forcing | undefined;
  /** It is told to think. */
  readonly isThinking?: boolean | undefined;
}

const names = Object.keys(concessions) as readonly ConcessionName[]; // the keys of the table

/** What is known of a model is kept for as long as the model. */
export function createManners(options: MannersOptions): Manners {
  const { model, isTextOnly, isBlind, forcing, isThinking } = options;
  const known = new Set<ConcessionName>();
  const untold = new Set<ConcessionName>(); // was learned just now
  if (isTextOnly === true || isBlind === true) known.add("media");
  if (forcing === "never") known.add("tool-choice");
  const isTold = (name: ConcessionName, request: ModelRequest): boolean =>
    untold.delete(name) || (concessions[name].isNews(request) && !(name === "media" && isTextOnly === true));
  return {
    adapt(given) {
      const { language } = given;
      const warnings: ModelWarning[] = [];
      let request = given;
      for (const name of names) {
        if (!known.has(name) || !concessions[name].concerns(given)) continue;
        if (isTold(name, given)) warnings.push({ type: "warning", message: concessions[name].told[language](model) });
        request = concessions[name].apply(request);
      }
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

const thoughtless: Readonly<Record<Language, (model: string) => string>> = {
  en: (model) =>
    `The model ${model} does not think for this request, because a model that thinks cannot be forced to call a tool.`,
  zh: (model) => `模型 ${model} 在本次请求中不思考：思考时不能强制其调用工具。`,
};
