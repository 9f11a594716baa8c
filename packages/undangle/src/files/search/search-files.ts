import { setImmediate as nextTick } from "node:timers/promises";

import { UndangleError } from "#core";

import type { FileBackend, FileInfo, GlobQuery, GlobResult, GrepFile, GrepQuery, GrepResult } from "../file-backend.ts";
import { compileGlob } from "../match-glob.ts";
import { byPath } from "../path-segments.ts";
import { type LineSearch, createLineSearch, grepLines } from "./grep-lines.ts";
import { createVisibility } from "./visibility.ts";

/** The longest time without a pause for other work, in milliseconds. */
const slice = 10;

/** Pauses from time to time, so that other work can be done, and throws when the caller gives up. */
export function createPause(signal: AbortSignal | undefined): () => Promise<void> | undefined {
  let last = performance.now();
  const pause = async (): Promise<void> => {
    await nextTick();
    signal?.throwIfAborted();
    last = performance.now();
  };
  return () => (performance.now() - last < slice ? undefined : pause());
}

/** The files among `files` that match. */
export async function globFiles(
  files: Iterable<FileInfo> | AsyncIterable<FileInfo>,
  query: GlobQuery,
): Promise<GlobResult> {
  const glob = compileGlob(query.pattern, { base: query.path });
  const isVisible = createVisibility(query);
  const pause = createPause(query.signal);
  const found: FileInfo[] = [];
  for await (const file of files) {
    if (glob.matches(file.path) && isVisible(file.path)) found.push(file);
    await pause();
  }
  return { files: found.sort(byPath), failures: [] };
}

export interface GrepSource {
  /** The files to search. */
  readonly files: Iterable<FileInfo> | AsyncIterable<FileInfo>;
  readonly read: (path: string) => Promise<Uint8Array>;
}

/** The matching lines of files. Files are read one after the other, sorted by path. */
export async function grepFiles({ files, read }: GrepSource, query: GrepQuery): Promise<GrepResult> {
  const candidates = await filesToGrep(files, query);
  const search = searchFor(query);
  const pause = createPause(query.signal);
  const found: GrepFile[] = [];
  const failures: string[] = [];
  let left = query.maxCount;
  let skipped = 0;
  for (const { path } of candidates) {
    await pause();
    const data = await read(path).catch((error: unknown) => void failures.push(failureText(path, error)));
    if (data === undefined) continue;
    const lines = grepLines(data, search, { context: query.context, limit: left });
    if (lines === undefined) skipped++;
    else if (lines.count > 0) found.push({ path, count: lines.count, lines: lines.lines });
    if (lines?.isCut === true) return { files: found, isCut: true, skipped, failures };
    left -= lines?.count ?? 0;
  }
  return { files: found, isCut: false, skipped, failures };
}

function searchFor(query: GrepQuery): LineSearch {
  try {
    return createLineSearch(query);
  } catch (error) {
    throw new UndangleError("file/failed", { path: query.path, reason: invalidPattern(error) }, error);
  }
}

/** V8 says "Invalid regular expression: /(/u: Unterminated group". */
const invalidPattern = (error: unknown): string =>
  `the pattern is not a regular expression${error instanceof Error ? ` (${error.message})` : ""}`;

/** The files that a search has to read, sorted by path. Links are left out: their targets are searched themselves. */
export async function filesToGrep(files: GrepSource["files"], query: GrepQuery): Promise<readonly FileInfo[]> {
  const glob = query.glob === undefined ? undefined : compileGlob(query.glob, { base: query.path });
  const isVisible = createVisibility(query);
  const pause = createPause(query.signal);
  const found: FileInfo[] = [];
  for await (const file of files) {
    await pause();
    if (file.type !== "file" || !isVisible(file.path)) continue;
    if (glob === undefined || file.path === query.path || glob.matches(file.path)) found.push(file);
  }
  return found.sort(byPath);
}

/** The sentence of a file that could not be searched. */
export function failureText(path: string, error: unknown): string {
  if (error instanceof UndangleError) return error.message;
  return new UndangleError("file/failed", { path, reason: "it could not be read" }, error).message;
}

/** Every file and link in a directory, by its listings, for backends that cannot search themselves. */
export async function* listedFiles(
  backend: Pick<FileBackend, "list">,
  directory: string,
  isVisible: (path: string) => boolean = () => true,
): AsyncGenerator<FileInfo, void, void> {
  const waiting = [directory];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const entry of await backend.list(next)) {
      if (!isVisible(entry.path)) continue;
      if (entry.type === "directory") waiting.push(entry.path);
      else yield entry;
    }
  }
}
