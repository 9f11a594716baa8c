import { lstat, opendir, readdir } from "node:fs/promises";
import { sep } from "node:path";

import type { FileInfo } from "../file-backend.ts";
import { createPause } from "../search/pause.ts";
import { entryPath, entryType } from "./disk-entry.ts";
import { diskError, hasCode } from "./disk-errors.ts";
import { openDirectory } from "./open-place.ts";

export interface Walk {
  /** The path of the host to start at, without links. */
  readonly realPath: string;
  /** The path that it has for the caller. */
  readonly path: string;
  /** False for directories that are not entered. */
  readonly enters: (path: string) => boolean;
  readonly visit: (path: string, type: FileInfo["type"]) => void;
  readonly signal: AbortSignal | undefined;
}

/** Directories that are read at the same time. */
const parallel = 16;
/** A directory of more bytes has so many entries that reading them at once would hold up other work. */
const largeDirectory = 1_000_000;
/** Entries that are read at once in such a directory. */
const bufferSize = 1024;

/** Visits everything in a directory, in any order, without following links. Returns what could not be read. */
export async function walkTree({ realPath, path, enters, visit, signal }: Walk): Promise<readonly string[]> {
  const waiting = [{ realPath, path }];
  const failures: string[] = [];
  const pause = createPause(signal);
  while (waiting.length > 0) {
    await Promise.all(
      waiting.splice(-parallel).map(async (directory) => {
        try {
          await readDirectory(directory.realPath, (name, type) => {
            const own = entryPath(directory.path, name);
            if (own === undefined) return pause();
            visit(own, type);
            if (type === "directory" && enters(own))
              waiting.push({ realPath: `${directory.realPath}${sep}${name}`, path: own });
            return pause();
          });
        } catch (error) {
          signal?.throwIfAborted();
          // A directory that was deleted or replaced since then is no failure.
          if (!hasCode(error, "ENOENT", "ENOTDIR", "ELOOP")) failures.push(diskError(directory.path, error).message);
        }
      }),
    );
    signal?.throwIfAborted();
  }
  return failures;
}

type Step = (name: string, type: FileInfo["type"]) => Promise<void> | undefined;

/** Reads a directory if it is still where the walk found it, and not below a link. */
async function readDirectory(realPath: string, step: Step): Promise<void> {
  const directory = await openDirectory(realPath);
  try {
    if ((await directory.realPath()) !== realPath) return;
    const { size } = await lstat(directory.entry(""));
    if (size > largeDirectory) {
      for await (const entry of await opendir(directory.entry(""), { bufferSize }))
        await step(entry.name, entryType(entry));
      return;
    }
    for (const entry of await readdir(directory.entry(""), { withFileTypes: true })) {
      const pause = step(entry.name, entryType(entry));
      if (pause !== undefined) await pause;
    }
  } finally {
    await directory.close();
  }
}
