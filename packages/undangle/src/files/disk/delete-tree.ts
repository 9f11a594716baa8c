import { lstat, readdir, rmdir, unlink } from "node:fs/promises";

import { UndangleError } from "#core";

import type { DeletedFiles } from "../file-backend.ts";
import { childPath } from "../path-segments.ts";
import { diskError } from "./disk-errors.ts";
import { type Directory, type Place, openDirectory } from "./open-place.ts";
import { isTemporary } from "./file-content.ts";

/** Deletes a file, a link, or a directory with everything in it. Links are deleted, not followed. */
export async function deleteTree(path: string, { directory, name }: Place): Promise<DeletedFiles> {
  if (name === "") throw new UndangleError("file/path", { path, reason: "root" });
  const info = await lstat(directory.entry(name));
  if (!info.isDirectory()) {
    await unlink(directory.entry(name));
    return { files: 1 };
  }
  const deleted = { files: 0, failures: [] as string[] };
  await deleteDirectory(path, directory, name, deleted);
  return deleted.failures.length === 0 ? { files: deleted.files } : deleted;
}

async function deleteDirectory(
  path: string,
  parent: Directory,
  name: string,
  deleted: { files: number; readonly failures: string[] },
): Promise<void> {
  const attempt = async (own: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      deleted.failures.push(diskError(own, error).message);
    }
  };
  await attempt(path, async () => {
    const failures = deleted.failures.length;
    const directory = await openDirectory(parent.entry(name));
    try {
      for (const entry of await readdir(directory.entry(""), { withFileTypes: true })) {
        const own = childPath(path, entry.name);
        if (entry.isDirectory()) await deleteDirectory(own, directory, entry.name, deleted);
        else
          await attempt(own, async () => {
            await unlink(directory.entry(entry.name));
            if (!isTemporary(entry.name)) deleted.files++;
          });
      }
    } finally {
      await directory.close();
    }
    if (deleted.failures.length === failures) await rmdir(parent.entry(name)); // else it is not empty
  });
}
