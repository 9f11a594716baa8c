import type { Language, UndangleError } from "#core";

import type { ModelRequest, ModelWarning } from "../model.ts";
import { forcesCall } from "../providers/provider.ts";
import type { Forcing } from "../providers/provider.ts";
import { concessions } from "./concessions.ts";
import type { ConcessionName } from "./concessions.ts";

/** The known limits of a model: those from its options, and those learned from refusals. */
export interface Manners {
  /** The request as the model accepts it, and messages for the user. */
  readonly adapt: (request: ModelRequest) => Adapted;
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
}

const names = Object.keys(concessions) as readonly ConcessionName[]; // the keys of the table

/** The limits are kept as long as the model. */
export function createManners(options: MannersOptions): Manners {
  const { model, isTextOnly, isBlind, forcing, isThinking } = options;
  const known = new Set<ConcessionName>();
  const untold = new Set<ConcessionName>(); // learned just now
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
