import type { Dirent, Stats } from "node:fs";

import { maxPathLength } from "../canonical-path.ts";
import type { FileInfo } from "../file-backend.ts";
import { childPath } from "../path-segments.ts";
import { isTemporary } from "./file-content.ts";

/**
 * The canonical path of an entry; undefined for files that are being written, and for names that no canonical path can
 * spell: control characters, `\`, bytes that are not UTF-8. Such entries are left out of listings and searches.
 */
export function entryPath(directory: string, name: string): string | undefined {
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  if (/[\u0000-\u001f\u007f\\\uFFFD]/u.test(name) || isTemporary(name)) return undefined;
  const path = childPath(directory, name);
  return path.length > maxPathLength ? undefined : path;
}

export const entryType = (entry: Dirent | Stats): FileInfo["type"] => {
  if (entry.isDirectory()) return "directory";
  return entry.isSymbolicLink() ? "link" : "file";
};

export function infoOf(path: string, stats: Stats): FileInfo {
  const type = entryType(stats);
  const times = { createdAt: Math.round(stats.birthtimeMs), modifiedAt: Math.round(stats.mtimeMs) };
  return type === "directory" ? { path, type, ...times } : { path, type, size: stats.size, ...times };
}
