import { lstat, readdir, rmdir, unlink } from "node:fs/promises";

import { UndangleError } from "#core";

import type { DeletedFiles } from "../file-backend.ts";
import { childPath } from "../path-segments.ts";
import { diskError } from "./disk-errors.ts";
import { type Place, openDirectory } from "./open-place.ts";
import { isTemporary } from "./file-content.ts";

/** Deletes a file, a link, or a directory with everything in it. Links are deleted, not followed. */
export async function deleteTree(path: string, { directory, name }: Place): Promise<DeletedFiles> {
  if (name === "") throw new UndangleError("file/path", { path, reason: "root" });
  const info = await lstat(directory.entry(name));
  if (!info.isDirectory()) {
    await unlink(directory.entry(name));
    return { files: 1 };
  }
  const deleted: Deleted = { files: 0, failures: [] };
  await deleteDirectory(path, directory.entry(name), deleted);
  return deleted.failures.length === 0 ? { files: deleted.files } : deleted;
}

interface Deleted {
  files: number;
  readonly failures: string[];
}

/** Deletes what it can. Names are bytes, because some are not UTF-8. */
async function deleteDirectory(path: string, at: string | Buffer, deleted: Deleted): Promise<void> {
  const attempt = async (own: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      deleted.failures.push(diskError(own, error).message);
    }
  };
  await attempt(path, async () => {
    const failures = deleted.failures.length;
    const directory = await openDirectory(at);
    try {
      const start = Buffer.from(`${directory.entry("")}/`);
      for (const entry of await readdir(directory.entry(""), { withFileTypes: true, encoding: "buffer" })) {
        const name = entry.name.toString();
        const own = childPath(path, name);
        const entryAt = Buffer.concat([start, entry.name]);
        if (entry.isDirectory()) await deleteDirectory(own, entryAt, deleted);
        else
          await attempt(own, async () => {
            await unlink(entryAt);
            if (!isTemporary(name)) deleted.files++;
          });
      }
    } finally {
      await directory.close();
    }
    if (deleted.failures.length === failures) await rmdir(at); // else it is not empty
  });
}
