import { lstat } from "node:fs/promises";
import { join, resolve } from "node:path";

import { UndangleError } from "#core";

import type { FileBackend, FileInfo, GlobQuery, GlobResult, GrepQuery, GrepResult } from "../file-backend.ts";
import { compileGlob } from "../match-glob.ts";
import { byPath, compareText, nameOf, parentPath, prefixOf } from "../path-segments.ts";
import { refuseInvalid } from "../search/search-files.ts";
import { createPause } from "../search/pause.ts";
import { searchInThread } from "../search/search-thread.ts";
import type { SearchSource } from "../search/search-worker.ts";
import { createVisibility } from "../search/visibility.ts";
import { entryPath } from "./disk-entry.ts";
import { readFileAt } from "./file-content.ts";
import { type DiskRoot, openDirectory } from "./open-place.ts";
import { filesWithText, hasRipgrep } from "./ripgrep.ts";
import { walkTree } from "./walk-tree.ts";

/** The searches of a disk. Links are not followed, except by the path of the query. */
export function searchDisk(disk: DiskRoot): Pick<FileBackend, "glob" | "grep"> {
  return {
    async glob(query) {
      query.signal?.throwIfAborted();
      const start = await findStart(disk, query.path);
      if ("data" in start) throw new UndangleError("file/not-directory", { path: query.path });
      return globTree(start.realPath, query);
    },
    async grep(query) {
      query.signal?.throwIfAborted();
      refuseInvalid(query);
      const start = await findStart(disk, query.path);
      if ("data" in start) return searchInThread([[{ type: "content", path: query.path, data: start.data }]], query);
      return grepTree(start.realPath, query);
    },
  };
}

/** A directory to search, with the path of the host without links; or the content of a file. */
type Start = { readonly realPath: string } | { readonly data: Uint8Array };

function findStart(disk: DiskRoot, path: string): Promise<Start> {
  return disk.at(path, { followLast: true }, async (place) => {
    const info = await lstat(place.directory.entry(place.name));
    if (info.isDirectory()) return { realPath: resolve(await disk.realPath(), place.path.slice(1)) };
    return { data: await readFileAt(path, place) };
  });
}

async function globTree(realPath: string, query: GlobQuery): Promise<GlobResult> {
  const glob = compileGlob(query.pattern, { base: query.path });
  const isVisible = query.isVisible ?? (() => true);
  const files: FileInfo[] = [];
  const failures = await walkTree({
    realPath,
    path: query.path,
    enters: (path) => glob.mayMatchIn(path) && isVisible(path),
    visit: (path, type) => {
      if (type !== "directory" && glob.matches(path) && isVisible(path)) files.push({ path, type });
    },
    signal: query.signal,
  });
  return { files: files.sort(byPath), failures };
}

async function grepTree(realPath: string, query: GrepQuery): Promise<GrepResult> {
  const { paths, failures } = await filesToGrep(realPath, query);
  const realDirectory = (path: string): string => join(realPath, path.slice(prefixOf(query.path).length));
  const found = await searchInThread(batchesOf(paths, realDirectory), query);
  return { ...found, failures: [...failures, ...found.failures] };
}

interface Candidates {
  readonly paths: readonly string[];
  readonly failures: readonly string[];
}

/** The files to read, sorted. Ripgrep finds those with a text; other patterns need all files. */
async function filesToGrep(realPath: string, query: GrepQuery): Promise<Candidates> {
  const glob = query.glob === undefined ? undefined : compileGlob(query.glob, { base: query.path });
  const matches = (path: string): boolean => glob === undefined || glob.matches(path);
  const paths: string[] = [];
  if (!query.isRegex && /[\r\n\0]/u.test(query.pattern)) return { paths, failures: [] }; // no line of a text contains them
  if (!query.isRegex && (await hasRipgrep())) {
    const isVisible = createVisibility(query);
    const found = await namesWithText(realPath, query);
    if (found !== undefined) {
      const pause = createPause(query.signal);
      for (const name of found.names) {
        await pause();
        const path = prefixOf(query.path) + name;
        const isNamed = entryPath(parentPath(path), nameOf(path)) !== undefined;
        if (isNamed && matches(path) && isVisible(path)) paths.push(path);
      }
      const failures = found.isPartial ? [`Some files in ${query.path} could not be read.`] : [];
      return { paths: paths.sort(compareText), failures };
    }
  }
  const isVisible = query.isVisible ?? (() => true);
  const failures = await walkTree({
    realPath,
    path: query.path,
    enters: (path) => (glob?.mayMatchIn(path) ?? true) && isVisible(path),
    visit: (path, type) => {
      if (type === "file" && matches(path) && isVisible(path)) paths.push(path);
    },
    signal: query.signal,
  });
  return { paths: paths.sort(compareText), failures };
}

async function namesWithText(realPath: string, query: GrepQuery): ReturnType<typeof filesWithText> {
  const directory = await openDirectory(realPath);
  try {
    return await filesWithText(directory.outside, query);
  } finally {
    await directory.close();
  }
}

/** Files that a thread gets at once: more of them would be read in vain if the limit is reached early. */
const batchSize = 2000;

/** The files by directory. */
function* batchesOf(
  paths: readonly string[],
  realDirectory: (directory: string) => string,
): Generator<readonly SearchSource[], void, void> {
  for (let from = 0; from < paths.length; from += batchSize) {
    const sources: (SearchSource & { type: "directory"; names: string[] })[] = [];
    for (const path of paths.slice(from, from + batchSize)) {
      const prefix = prefixOf(parentPath(path));
      const last = sources.at(-1);
      if (last?.prefix === prefix) last.names.push(nameOf(path));
      else
        sources.push({ type: "directory", prefix, names: [nameOf(path)], realPath: realDirectory(parentPath(path)) });
    }
    yield sources;
  }
}
