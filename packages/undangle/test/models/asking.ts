import { UndangleError } from "#core";
import type { AssembledTurn } from "#core";
import type { Model, ModelRequest } from "#model";

/** A request with what a test cares about, and nothing else. */
export function requestFor(given: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: [],
    messages: [{ role: "user", path: "", name: undefined, parts: [{ type: "text", path: "", text: "Hello." }] }],
    tools: [],
    knownIds: [],
    language: "en",
    signal: new AbortController().signal,
    ...given,
  };
}

/** What came of asking a model: what was heard, and the turn or the error in the end. */
export interface Heard {
  readonly parts: readonly string[];
  readonly turn?: AssembledTurn;
  readonly error?: unknown;
}

/** Asks a model, and listens to the end. A text is written as it is, anything else by its type. */
export async function hear(model: Model, given: Partial<ModelRequest> = {}): Promise<Heard> {
  const parts: string[] = [];
  try {
    const stream = model.stream(requestFor(given));
    for await (const part of stream) parts.push(part.type === "text-delta" ? part.text : `<${part.type}>`);
    return { parts, turn: await stream.turn() };
  } catch (error) {
    return { parts, error };
  }
}

/** The error that a model threw, which has to be one of ours. */
export function faultOf({ error }: Heard): UndangleError {
  if (error instanceof UndangleError) return error;
  throw new Error("It is no error of undangle.", { cause: error });
}
