import type { AssembledTurn } from "#core";

import { modelStream } from "../http/model-stream.ts";
import type { Model, ModelPart, ModelRequest, ModelStream } from "../model.ts";
import { brokenOff, failureOfAll, takeover } from "./failure.ts";
import type { Failure } from "./failure.ts";
import type { Members } from "./members.ts";

export interface Fallback {
  /** The name of the combined model. */
  readonly name: string;
  readonly members: Members;
  readonly when: (error: unknown, model: Model) => boolean;
}

type Answer = { readonly turn: AssembledTurn } | { readonly failure: Failure };

type Parts<Result> = AsyncGenerator<ModelPart, Result, undefined>;

/** The stream of the first model that succeeds. Each failure discards the parts so far. */
export function fallbackStream(given: ModelRequest, { name, members, when }: Fallback): ModelStream {
  const { knownIds, language } = given;
  const ids = knownIds instanceof Set ? knownIds : new Set(knownIds); // several models iterate it
  let asked: Model | undefined;
  let stream: ModelStream | undefined;

  /** Yields the parts of one model, and returns its turn or an error. */
  async function* listen(model: Model, signal: AbortSignal, isLast: boolean): Parts<Answer> {
    try {
      asked = model;
      stream = undefined; // that of another model
      stream = model.stream({ ...given, knownIds: ids, signal });
      yield* stream;
      const turn = await stream.turn();
      const error = brokenOff(turn, model.name, language);
      if (error === undefined || (isLast && turn.finish === "error")) return { turn }; // there is no better one
      return { failure: { model, error } };
    } catch (error) {
      return { failure: { model, error } };
    }
  }

  async function* read(signal: AbortSignal): Parts<AssembledTurn> {
    const failures: Failure[] = [];
    const models = members.inTurn();
    for (const [i, model] of models.entries()) {
      signal.throwIfAborted();
      const next = models[i + 1];
      const answer = yield* listen(model, signal, next === undefined);
      if ("turn" in answer) {
        members.answered(model);
        return answer.turn;
      }
      signal.throwIfAborted(); // the model did not fail
      const { failure } = answer;
      failures.push(failure);
      members.failed(model, failure.error);
      if (next === undefined || !when(failure.error, model)) break;
      yield { type: "discarded", reason: takeover(failure, next, language) };
    }
    throw failureOfAll(failures, name);
  }

  return {
    ...modelStream(given.signal, read),
    get model() {
      return stream?.model ?? asked?.name;
    },
  };
}
