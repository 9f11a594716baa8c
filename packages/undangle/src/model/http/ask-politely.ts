import { emptyTurn, UndangleError } from "#core";

import type { ModelPart, ModelRequest } from "../model.ts";
import type { Attempt } from "./ask-again.ts";
import type { Manners } from "./manners.ts";

/**
 * Adapts the request to the known limits of the model. If the model refuses something that can be expressed in another
 * way, the request is repeated in that way, and later requests use it too.
 */
export function askPolitely(
  given: ModelRequest,
  manners: Manners,
  prepare: (request: ModelRequest) => () => Attempt,
): () => Attempt {
  let prepared: { readonly request: ModelRequest; readonly ask: () => Attempt } | undefined;
  return async function* attempt(): Attempt {
    for (;;) {
      if (prepared === undefined) {
        const { request, warnings } = manners.adapt(given);
        yield* warnings;
        prepared = { request, ask: prepare(request) };
      }
      const { request, ask } = prepared;
      const parts = ask();
      const first = await parts.next();
      if (first.done !== true) return yield* goneOn(first.value, parts); // the response has started
      if (!(first.value instanceof UndangleError) || !manners.learn(first.value, request)) return first.value;
      prepared = undefined;
    }
  };
}

/** An attempt whose first part has already been read. */
async function* goneOn(first: ModelPart, parts: Attempt): Attempt {
  let isHeard = false;
  try {
    yield first;
    isHeard = true;
  } finally {
    if (!isHeard) await parts.return(emptyTurn); // the caller stopped reading
  }
  return yield* parts;
}
