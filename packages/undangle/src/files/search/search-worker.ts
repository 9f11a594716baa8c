import { closeSync, constants, fstatSync, openSync, readSync, readlinkSync, realpathSync } from "node:fs";
import { parentPort } from "node:worker_threads";

import type { GrepFile } from "../file-backend.ts";
import { createLineSearch, grepLines, maxLines } from "./grep-lines.ts";

/**
 * The thread that searches lines. A regular expression can take for ever, and the only way to end it is to end its
 * thread. It imports nothing but its neighbours, so that it starts fast.
 */
export interface SearchRequest {
  readonly pattern: string;
  readonly isRegex: boolean;
  readonly context: number;
  readonly limit: number;
  readonly maxBytes: number;
  readonly sources: readonly SearchSource[];
}

/** A file with its content, or files of a directory of the disk. */
export type SearchSource =
  | { readonly type: "content"; readonly path: string; readonly data: Uint8Array }
  | {
      readonly type: "directory";
      /** What the paths of the files start with. */
      readonly prefix: string;
      readonly names: readonly string[];
      /** The path of the host, without links. */
      readonly realPath: string;
    };

export interface SearchReply {
  readonly files: readonly GrepFile[];
  readonly isCut: boolean;
  readonly skipped: number;
  /** Files that could not be read, with their size if they are too large. */
  readonly failures: readonly { readonly path: string; readonly size?: number }[];
}

parentPort?.on("message", (request: SearchRequest) => {
  parentPort?.postMessage(searchSources(request)); // oxlint-disable-line unicorn/require-post-message-target-origin
});

/** The text of a reply ends here, because it is copied to the other thread. */
const maxCharacters = 10_000_000;

function searchSources({ sources, context, limit, maxBytes, ...query }: SearchRequest): SearchReply {
  const search = createLineSearch(query);
  const files: GrepFile[] = [];
  const failures: { path: string; size?: number }[] = [];
  let skipped = 0;
  let left = limit;
  let characters = 0;
  /** False when there is nothing more to look for. */
  const grep = (path: string, data: Uint8Array): boolean => {
    const found = grepLines(data, search, { context, limit: Math.min(left, maxLines) });
    if (found === undefined) skipped++;
    else if (found.count > 0) files.push({ path, count: found.count, lines: found.lines });
    left -= found?.count ?? 0;
    for (const { text } of found?.lines ?? []) characters += text.length;
    return found?.isCut !== true && characters < maxCharacters;
  };
  const fail: Steps["fail"] = (failure) => void failures.push(failure);
  for (const source of sources) {
    const isOpen =
      source.type === "content" ? grep(source.path, source.data) : grepDirectory(source, maxBytes, { grep, fail });
    if (!isOpen) return { files, isCut: true, skipped, failures };
  }
  return { files, isCut: false, skipped, failures };
}

interface Steps {
  readonly grep: (path: string, data: Uint8Array) => boolean;
  readonly fail: (failure: { path: string; size?: number }) => void;
}

const hasDescriptorPaths = process.platform === "linux";

/** Opens the directory, and the files relative to it, so that a link cannot take the place of either. */
function grepDirectory(
  { prefix, names, realPath }: Extract<SearchSource, { type: "directory" }>,
  maxBytes: number,
  { grep, fail }: Steps,
): boolean {
  const directory = openOnly(realPath, constants.O_DIRECTORY ?? 0);
  if (directory === undefined) {
    for (const name of names) fail({ path: prefix + name });
    return true;
  }
  try {
    const at = hasDescriptorPaths ? `/proc/self/fd/${directory}` : realPath;
    const isSame = (hasDescriptorPaths ? readlinkSync(at) : realpathSync(realPath)) === realPath;
    for (const name of names) {
      const path = prefix + name;
      const file = isSame ? openOnly(`${at}/${name}`, constants.O_NONBLOCK ?? 0) : undefined;
      if (file === undefined) {
        fail({ path });
        continue;
      }
      try {
        const info = fstatSync(file);
        if (!info.isFile()) continue;
        if (info.size > maxBytes) fail({ path, size: info.size });
        else if (!grep(path, readWhole(file, info.size))) return false;
      } finally {
        closeSync(file);
      }
    }
    return true;
  } finally {
    closeSync(directory);
  }
}

/** Opens what is not a link; undefined if it cannot be read. */
function openOnly(path: string, flags: number): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | flags);
  } catch (error) {
    if (error instanceof Error && "code" in error) return undefined;
    throw error;
  }
}

let buffer = new Uint8Array(65_536);

/** The content is valid until the next call. */
function readWhole(file: number, size: number): Uint8Array {
  if (buffer.length < size) buffer = new Uint8Array(size);
  let length = 0;
  while (length < size) {
    const count = readSync(file, buffer, length, size - length, null);
    if (count === 0) break;
    length += count;
  }
  return buffer.subarray(0, length);
}
