import { packageOf } from "./language-model.ts";
import type { LanguageModel, ProviderOptions } from "./language-model.ts";
import { withoutThinking } from "./thinking.ts";

export interface Circumstances {
  /** From the program; they take precedence. */
  readonly given: ProviderOptions | undefined;
  readonly prompt: readonly unknown[];
  /** True for one call at a time. */
  readonly isSingle: boolean;
  /** True if the response has a schema that no model enforces. */
  readonly isLoose: boolean;
  /** The key of the prompt cache, if the package takes one. */
  readonly cacheKey: ProviderOptions | undefined;
}

/** The options for the provider of a model: required options, and those of the program. */
export function providerOptionsFor(model: LanguageModel, circumstances: Circumstances): ProviderOptions | undefined {
  const { given, prompt, isSingle, isLoose, cacheKey } = circumstances;
  const name = packageOf(model);
  return together(
    /^(?:openai|azure)\.responses$/u.test(model.provider) ? nothingKept(name) : undefined,
    isSingle ? oneAtATime[name] : undefined,
    isLoose ? { [name]: { strictJsonSchema: false } } : undefined, // otherwise the schema is refused
    cacheKey,
    given,
    withoutThinking(given, prompt),
  );
}

/** Reasoning is returned encrypted and sent back with the next request, so that a thread can be resumed at any time. */
const nothingKept = (name: string): ProviderOptions => ({ [name]: { store: false } });

/** The options of each package for one call at a time. Other packages have none. */
const oneAtATime: Readonly<Record<string, ProviderOptions>> = {
  openai: { openai: { parallelToolCalls: false } },
  azure: { azure: { parallelToolCalls: false }, openai: { parallelToolCalls: false } },
  anthropic: { anthropic: { disableParallelToolUse: true } },
  groq: { groq: { parallelToolCalls: false } },
  mistral: { mistral: { parallelToolCalls: false } },
};

/** Merges provider options; later ones take precedence. */
function together(...all: readonly (ProviderOptions | undefined)[]): ProviderOptions | undefined {
  const given = all.filter((each) => each !== undefined);
  if (given.length <= 1) return given[0];
  const names = new Set(given.flatMap(Object.keys));
  return Object.fromEntries([...names].map((name) => [name, Object.assign({}, ...given.map((each) => each[name]))]));
}
