import { holdCalls } from "./hold-calls.ts";
import { mendAnswer } from "./mend-answer.ts";
import type { Answer } from "./mend-answer.ts";
import type { ModelCall } from "./model-turn.ts";
import type { MessagesOptions } from "./options.ts";
import { repairPrompt } from "./repair-prompt.ts";

/** A middleware of `wrapLanguageModel` by its structure: that of `ai` 6, which version 7 takes as well. */
export interface ModelMiddleware {
  readonly specificationVersion: "v3";
  readonly transformParams: <Params extends ModelCall>(call: { readonly params: Params }) => Promise<Params>;
  readonly wrapGenerate: <Result extends Answer>(call: {
    readonly doGenerate: () => PromiseLike<Result>;
    readonly params: ModelCall;
  }) => Promise<Result>;
  readonly wrapStream: <Result extends { readonly stream: ReadableStream<unknown> }>(call: {
    readonly doStream: () => PromiseLike<Result>;
    readonly params: ModelCall;
  }) => Promise<Result>;
}

/**
 * A middleware that hands the model a prompt with every call answered, and hands on the calls of a whole turn only, each of
 * them once and under an id of its own. What is healthy passes as it is.
 */
export function undangleModel(options: MessagesOptions = {}): ModelMiddleware {
  return {
    specificationVersion: "v3",
    transformParams: async ({ params }) => {
      const prompt = repairPrompt(params.prompt, options);
      return prompt === params.prompt ? params : { ...params, prompt };
    },
    wrapGenerate: async ({ doGenerate, params }) => mendAnswer(await doGenerate(), params),
    wrapStream: async ({ doStream, params }) => {
      const result = await doStream();
      return { ...result, stream: result.stream.pipeThrough(holdCalls(params)) };
    },
  };
}
