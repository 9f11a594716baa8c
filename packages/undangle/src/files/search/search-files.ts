import { UndangleError } from "#core";

import type { FileBackend, FileInfo, GlobQuery, GlobResult, GrepFile, GrepQuery, GrepResult } from "../file-backend.ts";
import { compileGlob } from "../match-glob.ts";
import { byPath } from "../path-segments.ts";
import { createLineSearch, grepLines, maxLines } from "./grep-lines.ts";
import { createPause } from "./pause.ts";
import { searchInThread } from "./search-thread.ts";
import type { SearchSource } from "./search-worker.ts";
import { createVisibility } from "./visibility.ts";

/** The files among `files` that match. */
export async function globFiles(
  files: Iterable<FileInfo> | AsyncIterable<FileInfo>,
  query: GlobQuery,
): Promise<GlobResult> {
  query.signal?.throwIfAborted();
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

/**
 * The matching lines of files, sorted by path. Regular expressions run in a thread of their own, because some of them
 * take for ever. Files are read one after the other.
 */
export async function grepFiles(source: GrepSource, query: GrepQuery): Promise<GrepResult> {
  query.signal?.throwIfAborted();
  refuseInvalid(query);
  const paths = (await filesToGrep(source.files, query)).map(({ path }) => path);
  if (!query.isRegex) return grepContents(paths, source, query);
  const failures: string[] = [];
  const found = await searchInThread(contentsOf(paths, source, failures), query);
  return { ...found, failures: [...failures, ...found.failures] };
}

async function grepContents(paths: readonly string[], source: GrepSource, query: GrepQuery): Promise<GrepResult> {
  const search = createLineSearch(query);
  const pause = createPause(query.signal);
  const files: GrepFile[] = [];
  const failures: string[] = [];
  let left = query.maxCount;
  let lines = 0;
  let skipped = 0;
  for (const path of paths) {
    await pause();
    const data = await readOrFail(path, source, failures);
    if (data === undefined) continue;
    const found = grepLines(data, search, { context: query.context, limit: Math.min(left, maxLines) });
    if (found === undefined) skipped++;
    else if (found.count > 0) files.push({ path, count: found.count, lines: found.lines });
    lines += found?.lines.length ?? 0;
    if (found?.isCut === true || lines > maxLines) return { files, isCut: true, skipped, failures };
    left -= found?.count ?? 0;
  }
  return { files, isCut: false, skipped, failures };
}

/** The contents to send to a thread at once, in bytes. */
const batchBytes = 4_000_000;

async function* contentsOf(
  paths: readonly string[],
  source: GrepSource,
  failures: string[],
): AsyncGenerator<readonly SearchSource[], void, void> {
  let batch: SearchSource[] = [];
  let bytes = 0;
  for (const path of paths) {
    const data = await readOrFail(path, source, failures);
    if (data === undefined) continue;
    batch.push({ type: "content", path, data });
    bytes += data.length;
    if (bytes < batchBytes) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

async function readOrFail(path: string, { read }: GrepSource, failures: string[]): Promise<Uint8Array | undefined> {
  try {
    return await read(path);
  } catch (error) {
    failures.push(failureText(path, error));
    return undefined;
  }
}

/** Throws an error for an invalid regular expression. */
export function refuseInvalid(query: GrepQuery): void {
  try {
    createLineSearch(query);
  } catch (error) {
    throw new UndangleError("file/failed", { path: query.path, reason: invalidPattern(error) }, error);
  }
}

/** V8 says "Invalid regular expression: /(/u: Unterminated group". */
const invalidPattern = (error: unknown): string =>
  `the pattern is not a regular expression${error instanceof Error ? ` (${error.message})` : ""}`;

/** The files that a search has to read, sorted by path. Links are left out: their targets are searched themselves. */
async function filesToGrep(files: GrepSource["files"], query: GrepQuery): Promise<readonly FileInfo[]> {
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
function failureText(path: string, error: unknown): string {
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
