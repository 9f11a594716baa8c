import { emptyTurn } from "#core";
import type { AssembledTurn } from "#core";

import type { ModelPart, ModelStream } from "../model.ts";

type Parts = AsyncGenerator<ModelPart, AssembledTurn, undefined>;

/**
 * The stream of a model. The first reader opens it, and it is cancelled when a reader stops early. It is read as fast
 * as it arrives, so that a slow reader does not cause a timeout.
 */
export function modelStream(outer: AbortSignal, open: (signal: AbortSignal) => Parts): ModelStream {
  const controller = new AbortController();
  const { signal } = controller;
  const end = (): void => controller.abort(outer.reason);
  if (outer.aborted) end();
  else outer.addEventListener("abort", end, { once: true });

  let queue: ModelPart[] = [];
  let isHeard = false;
  let wake: (() => void) | undefined; // resolves the pending read
  let outcome: { readonly turn: AssembledTurn } | { readonly error: unknown } | undefined;
  let reading: Promise<void> | undefined;

  const settle = (value: NonNullable<typeof outcome>): void => {
    outcome ??= value;
    outer.removeEventListener("abort", end);
    wake?.();
  };

  const read = async (): Promise<void> => {
    try {
      const parts = open(signal);
      for (;;) {
        const next = await parts.next();
        if (next.done === true) {
          settle({ turn: next.value });
          return;
        }
        if (outcome !== undefined) return void (await parts.return(emptyTurn)); // the caller stopped reading
        if (!isHeard) continue;
        queue.push(next.value);
        wake?.();
      }
    } catch (error) {
      settle({ error });
    }
  };
  const start = (): Promise<void> => (reading ??= read());

  return {
    async turn() {
      if (outcome === undefined) await start();
      if (outcome === undefined || "error" in outcome) throw outcome?.error;
      return outcome.turn;
    },
    async *[Symbol.asyncIterator]() {
      isHeard = true;
      void start(); // it never rejects
      try {
        for (;;) {
          const ready = queue;
          queue = [];
          for (const part of ready) yield part;
          if (queue.length > 0) continue;
          if (outcome === undefined) {
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
            wake = undefined;
          } else if ("error" in outcome) throw outcome.error;
          else return;
        }
      } finally {
        isHeard = false;
        if (outcome === undefined) {
          const error = new Error("The caller stopped reading before the end of the response.");
          settle({ error });
          controller.abort(error); // closes the connection and rejects pending reads
          await reading;
        }
      }
    },
  };
}
