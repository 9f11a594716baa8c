import { packageOf } from "./language-model.ts";
import type { LanguageModel, ProviderOptions } from "./language-model.ts";
import { withoutThinking } from "./thinking.ts";

/** What decides which options a provider needs. */
export interface Circumstances {
  /** By the program, and before ours. */
  readonly given: ProviderOptions | undefined;
  readonly prompt: readonly unknown[];
  /** Calls are to be made one at a time. */
  readonly isSingle: boolean;
  /** There is a form for the answer to which no model can be held. */
  readonly isLoose: boolean;
}

/** The options for the provider of a model: what it needs to be told, and what the program says. */
export function providerOptionsFor(model: LanguageModel, circumstances: Circumstances): ProviderOptions | undefined {
  const { given, prompt, isSingle, isLoose } = circumstances;
  const name = packageOf(model);
  return together(
    /^(?:openai|azure)\.responses$/u.test(model.provider) ? nothingKept(name) : undefined,
    isSingle ? oneAtATime[name] : undefined,
    isLoose ? { [name]: { strictJsonSchema: false } } : undefined, // else the schema is refused
    given,
    withoutThinking(given, prompt),
  );
}

/** What the model thought comes encrypted and goes back with the next request, so that a thread can be gone on with at any time. */
const nothingKept = (name: string): ProviderOptions => ({ [name]: { store: false } });

/** How each package is told that calls are to be made one at a time; others cannot be told. */
const oneAtATime: Readonly<Record<string, ProviderOptions>> = {
  openai: { openai: { parallelToolCalls: false } },
  azure: { azure: { parallelToolCalls: false }, openai: { parallelToolCalls: false } },
  anthropic: { anthropic: { disableParallelToolUse: true } },
  groq: { groq: { parallelToolCalls: false } },
  mistral: { mistral: { parallelToolCalls: false } },
};

/** Options for providers, the later before the earlier. */
function together(...all: readonly (ProviderOptions | undefined)[]): ProviderOptions | undefined {
  const given = all.filter((each) => each !== undefined);
  if (given.length <= 1) return given[0];
  const names = new Set(given.flatMap(Object.keys));
  return Object.fromEntries([...names].map((name) => [name, Object.assign({}, ...given.map((each) => each[name]))]));
}
