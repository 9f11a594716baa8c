import { emptyTurn, UndangleError } from "#core";

import type { ModelPart, ModelRequest } from "../model.ts";
import type { Attempt } from "./ask-again.ts";
import type { Manners } from "./manners.ts";

/**
 * Asks a model as it wants to be asked, with the same request every time. Where it refuses something that can be asked for in
 * another way, it is asked so at once, and from then on.
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
      if (first.done !== true) return yield* goneOn(first.value, parts); // it has begun to answer
      if (!(first.value instanceof UndangleError) || !manners.learn(first.value, request)) return first.value;
      prepared = undefined;
    }
  };
}

/** An attempt whose first part was looked at already. */
async function* goneOn(first: ModelPart, parts: Attempt): Attempt {
  let isHeard = false;
  try {
    yield first;
    isHeard = true;
  } finally {
    if (!isHeard) await parts.return(emptyTurn); // nobody listens any more
  }
  return yield* parts;
}
