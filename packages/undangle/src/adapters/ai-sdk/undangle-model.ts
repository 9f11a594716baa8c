import { fitProvider } from "./fit-provider.ts";
import { holdCalls } from "./hold-calls.ts";
import { mendAnswer } from "./mend-answer.ts";
import type { Answer } from "./mend-answer.ts";
import type { ModelCall } from "./model-turn.ts";
import type { ModelOptions } from "./options.ts";
import { repairPrompt } from "./repair-prompt.ts";
import { tellAnswer, tellPrompt } from "./tell-repair.ts";
import type { ModelListeners, NamedModel } from "./tell-repair.ts";

/** A middleware for `wrapLanguageModel` by its structure, that of `ai` 6, which version 7 accepts too. */
export interface ModelMiddleware {
  readonly specificationVersion: "v3";
  readonly transformParams: <Params extends ModelCall>(call: {
    readonly params: Params;
    readonly model?: NamedModel;
  }) => Promise<Params>;
  readonly wrapGenerate: <Result extends Answer>(call: {
    readonly doGenerate: () => PromiseLike<Result>;
    readonly params: ModelCall;
    readonly model?: NamedModel;
  }) => Promise<Result>;
  readonly wrapStream: <Result extends { readonly stream: ReadableStream<unknown> }>(call: {
    readonly doStream: () => PromiseLike<Result>;
    readonly params: ModelCall;
    readonly model?: NamedModel;
  }) => Promise<Result>;
}

/**
 * A middleware that repairs the prompt, and passes on only the calls of complete turns, each once and under a unique
 * id. Valid input is unchanged.
 */
export function undangleModel({ onRepair, logger = console, ...options }: ModelOptions = {}): ModelMiddleware {
  const listeners: ModelListeners = { onRepair, logger };
  return {
    specificationVersion: "v3",
    transformParams: async ({ params, model }) => {
      const repaired = repairPrompt(params.prompt, model, options);
      const call = repaired.prompt === params.prompt ? params : { ...params, prompt: repaired.prompt };
      const fitted = fitProvider(call, model, options);
      const edits = [...repaired.edits, ...fitted.edits];
      if (edits.length > 0) tellPrompt(listeners, model, edits);
      return fitted.call;
    },
    wrapGenerate: async ({ doGenerate, params, model }) =>
      mendAnswer(await doGenerate(), params, tellAnswer(listeners, model)),
    wrapStream: async ({ doStream, params, model }) => {
      const result = await doStream();
      return { ...result, stream: result.stream.pipeThrough(holdCalls(params, tellAnswer(listeners, model))) };
    },
  };
}
