import { createAssembly, emptyTurn, listen } from "#core";
import type { AssembledTurn, AssemblyOptions, StreamFault, StreamPart } from "#core";

import type { AssembledStream } from "./assemble.ts";
import type { CreateDecoder } from "./decoder.ts";
import { decoders } from "./decoders.ts";
import { createFeed } from "./feed.ts";
import type { StreamFormat } from "./formats.ts";
import type { SourceChunks } from "./events/source.ts";
import { recoverLeaked } from "./leaked-calls/recover.ts";

/** Options of the assembler. */
export interface AssemblerOptions extends AssemblyOptions {
  readonly format: StreamFormat | CreateDecoder;
  readonly recoversLeaked: boolean;
}

/** Reads the chunks of a source and assembles their content. */
export function createAssembler(chunks: SourceChunks, options: AssemblerOptions): AssembledStream {
  const { format, recoversLeaked } = options;
  const assembly = createAssembly(options);
  const endLeaks = recoversLeaked ? recoverLeaked(assembly) : undefined;
  const decode = typeof format === "function" ? format : decoders[format];
  const feed = createFeed(decode(assembly), assembly, typeof format === "function" ? undefined : format);
  let queue: StreamPart[] = [];
  let turns: readonly AssembledTurn[] | undefined;
  let running: Promise<void> | undefined;

  const finish = (): void => {
    feed.end();
    endLeaks?.();
    turns = assembly.end();
  };

  /** Reads one chunk if there is a listener, otherwise everything, without a promise per chunk. */
  const read = async (): Promise<void> => {
    try {
      for (;;) {
        const next = await chunks.next();
        if (turns !== undefined) return; // the reader stopped in the meantime
        if (next.done === true) {
          finish();
          return;
        }
        feed.add(next.value);
        if (assembly.emit !== undefined) return;
      }
    } catch (error) {
      if (turns !== undefined) return;
      assembly.fail(cutBy(error));
      finish();
    } finally {
      running = undefined;
    }
  };

  /** At most one read runs at a time. */
  const advance = (): Promise<void> => (running ??= read());

  const all = async (): Promise<readonly AssembledTurn[]> => {
    for (;;) {
      if (turns !== undefined) return turns;
      await advance();
    }
  };

  return {
    turns: all,
    async turn() {
      const [first] = await all();
      return first ?? emptyTurn;
    },
    async *[Symbol.asyncIterator]() {
      listen(assembly, (part) => void queue.push(part));
      try {
        for (;;) {
          const ready = queue;
          queue = [];
          yield* ready;
          if (turns !== undefined && queue.length === 0) return;
          if (queue.length === 0) await advance();
        }
      } finally {
        assembly.emit = undefined;
        if (turns === undefined) {
          chunks.cancel();
          finish();
        }
      }
    },
  };
}

function cutBy(error: unknown): StreamFault {
  const message = error instanceof Error ? error.message || error.name : String(error);
  const code = error instanceof Error && error.name !== "Error" ? { code: error.name } : {};
  return { message, from: "connection", ...code };
}
