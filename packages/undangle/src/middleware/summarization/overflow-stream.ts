import { contextOverflow, UndangleError } from "#core";
import type { AssembledTurn } from "#core";
import type { ModelPart, ModelStream } from "#model";

export interface Asking {
  /** Sends the request. */
  readonly ask: () => ModelStream | Promise<ModelStream>;
  /** A shorter request after the provider refused the length of the last one. Throws if there is none. */
  readonly shorten: (error: unknown) => Promise<void>;
  /** The request has a complete response. */
  readonly answered: (turn: AssembledTurn) => void;
}

/** A stream that asks again with a shorter request, if the provider refuses its length. */
export function overflowStream({ ask, shorten, answered }: Asking): ModelStream {
  let stream: ModelStream | undefined;
  let turn: AssembledTurn | undefined;

  async function* read(): AsyncGenerator<ModelPart, AssembledTurn> {
    for (;;) {
      let hasContent = false;
      try {
        stream = await ask();
        for await (const part of stream) {
          hasContent ||= part.type !== "warning" && part.type !== "discarded";
          yield part;
        }
        const found = await stream.turn();
        const message = found.error?.message;
        if (message === undefined || contextOverflow(message) === undefined) {
          answered(found);
          turn = found;
          return found;
        }
        await shorten(new Error(message));
      } catch (error) {
        if (!isContextOverflow(error)) throw error;
        await shorten(error);
      }
      if (hasContent) yield { type: "discarded", reason: "The conversation was too long for the model." };
    }
  }

  return {
    async turn() {
      if (turn !== undefined) return turn;
      if (stream !== undefined) return stream.turn(); // the reader has stopped early
      for (const parts = read(); ;) {
        const { done, value } = await parts.next();
        if (done === true) return value;
      }
    },
    [Symbol.asyncIterator]: read,
    get model() {
      return stream?.model;
    },
  };
}

/** True if the provider refused a request because of its length. A custom model throws errors of its SDK. */
const isContextOverflow = (error: unknown): boolean =>
  error instanceof UndangleError ? error.code === "model/context-overflow" : contextOverflow(error) !== undefined;
