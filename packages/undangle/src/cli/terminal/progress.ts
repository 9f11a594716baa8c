import type { Io } from "../io.ts";
import type { Texts } from "../texts/texts.ts";
import { printable } from "./printable.ts";
import { truncate } from "./text-width.ts";

/** Shows the progress of a long read at a terminal. Does nothing in a pipe. */
export interface Progress {
  /** Restarts the count for a source, with its size if known. */
  begin(file: string, size: number | undefined): void;
  /** Counts a document. */
  advance(bytes: number): Promise<void>;
  /** Removes the line before other output. */
  clear(): Promise<void>;
}

export function createProgress(
  { stderr, now }: Pick<Io, "stderr" | "now">,
  { texts, quiet }: { readonly texts: Texts; readonly quiet: boolean },
): Progress {
  if (!stderr.isTTY || quiet) return silent;
  let source: { readonly file: string; readonly size: number | undefined } = { file: "", size: undefined };
  let [read, documents, next, shown] = [0, 0, 0, false];
  return {
    begin(file, size) {
      source = { file, size };
      [read, documents, next] = [0, 0, now() + patience];
    },
    async advance(bytes) {
      read += bytes;
      documents++;
      if (documents % 64 !== 0 && bytes < 65_536) return; // reads the clock less often for short lines
      const time = now();
      if (time < next) return;
      next = time + interval;
      shown = true;
      const line = `${printable(source.file)}  ${texts.progress({ read, size: source.size, documents })}`;
      await stderr.replaceLine(truncate(line, stderr.columns - 1));
    },
    async clear() {
      if (!shown) return;
      shown = false;
      await stderr.replaceLine("");
    },
  };
}

/** Milliseconds before the first progress line, and between two. */
const patience = 500;
const interval = 100;

const silent: Progress = { begin: () => {}, advance: () => Promise.resolve(), clear: () => Promise.resolve() };
