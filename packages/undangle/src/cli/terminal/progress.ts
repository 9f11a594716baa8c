import type { Io } from "../io.ts";
import type { Texts } from "../texts/texts.ts";
import { printable } from "./printable.ts";
import { truncate } from "./text-width.ts";

/** Tells a person at a terminal how far a long reading has come; silent where nobody is looking. */
export interface Progress {
  /** Starts to count anew for a source; its size where that is known. */
  begin(file: string, size: number | undefined): void;
  /** Notes that one document of so many bytes was read. */
  advance(bytes: number): Promise<void>;
  /** Takes the line away, before anything else is written to the terminal. */
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
      if (documents % 64 !== 0 && bytes < 65_536) return; // the clock is not asked for every short line
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

/** Milliseconds before the first sign of life, and between two. */
const patience = 500;
const interval = 100;

const silent: Progress = { begin: () => {}, advance: () => Promise.resolve(), clear: () => Promise.resolve() };
