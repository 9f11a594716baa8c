import { readdir, readFile } from "node:fs/promises";
import { extname, join, sep } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

import { entityTag } from "../threads/files/file-headers.ts";

/** A file of the studio, as it is sent. */
export interface StudioFile {
  readonly type: string;
  readonly content: Buffer;
  /** Undefined for formats that are compressed already. */
  readonly gzipped: Buffer | undefined;
  readonly tag: string;
}

/** The files of a folder by their path from it: `index.html`, `assets/index-B2x.js`. */
export type StudioFiles = ReadonlyMap<string, StudioFile>;

const types: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
  ".woff2": "font/woff2",
};

const compressed: readonly string[] = [".png", ".woff2"];

/**
 * Reads the files of a built studio, once. A folder without `index.html` has none, and is read again by the next call,
 * because the studio may be built while the server runs.
 */
export function readStudio(folder: string): () => Promise<StudioFiles> {
  let files: Promise<StudioFiles> | undefined;
  return () => {
    files ??= filesIn(folder).then(
      (found) => {
        if (!found.has("index.html")) files = undefined;
        return found;
      },
      (error: unknown) => {
        files = undefined;
        throw error;
      },
    );
    return files;
  };
}

async function filesIn(folder: string): Promise<StudioFiles> {
  const names = await readdir(folder, { recursive: true }).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  });
  const read = names
    .filter((name) => Object.hasOwn(types, extname(name)))
    .map(async (name) => [name.replaceAll(sep, "/"), await readOne(join(folder, name))] as const);
  return new Map(await Promise.all(read));
}

async function readOne(path: string): Promise<StudioFile> {
  const ending = extname(path);
  const content = await readFile(path);
  return {
    type: types[ending] ?? "application/octet-stream",
    content,
    gzipped: compressed.includes(ending) ? undefined : await promisify(gzip)(content),
    tag: entityTag(content),
  };
}
