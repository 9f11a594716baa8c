import { equal } from "node:assert/strict";

import type { FileBackend, GrepQuery, GrepResult } from "#files";

/** The requirements for an empty backend, by name. */
export type FilesCases = Readonly<Record<string, (files: FileBackend) => Promise<void>>>;

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

export const textAt = async (files: FileBackend, path: string): Promise<string> =>
  new TextDecoder("utf-8", { ignoreBOM: true }).decode(await files.read(path));

/** Writes files with these texts. */
export async function fill(files: FileBackend, texts: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(texts)) await files.write(path, bytes(text));
}

/** The paths of the children of a directory; those of directories end with a slash. */
export const names = async (files: FileBackend, path: string): Promise<readonly string[]> =>
  (await files.list(path)).map((info) => (info.type === "directory" ? `${info.path}/` : info.path));

export const globbed = async (files: FileBackend, pattern: string, path = "/"): Promise<readonly string[]> =>
  (await files.glob({ pattern, path })).files.map((info) => info.path);

export const grep = (files: FileBackend, pattern: string, rest: Partial<GrepQuery> = {}): Promise<GrepResult> =>
  files.grep({ pattern, isRegex: false, path: "/", context: 0, maxCount: 1000, ...rest });

/** The paths and the numbers of matching lines: `/a:1`. */
export const matches = ({ files }: GrepResult): readonly string[] =>
  files.flatMap(({ path, lines }) => lines.filter(({ isMatch }) => isMatch).map(({ number }) => `${path}:${number}`));

/** Deletes with a backend that can. */
export async function remove(files: FileBackend, path: string): Promise<number> {
  if (files.delete === undefined) throw new Error("The backend has no delete.");
  const { files: count, failures } = await files.delete(path);
  equal(failures?.join(" "), undefined);
  return count;
}
