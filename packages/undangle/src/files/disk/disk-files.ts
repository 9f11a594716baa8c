import { lstat, readdir } from "node:fs/promises";

import { UndangleError } from "#core";

import type { FileBackend, FileInfo } from "../file-backend.ts";
import { refuseLarge } from "../file-limit.ts";
import { byPath, childPath } from "../path-segments.ts";
import { createSerial } from "../serial.ts";
import { deleteTree } from "./delete-tree.ts";
import { entryPath, infoOf } from "./disk-entry.ts";
import { hasCode } from "./disk-errors.ts";
import { searchDisk } from "./disk-search.ts";
import { readFileAt, replaceFile } from "./file-content.ts";
import { type Place, createDiskRoot, openDirectory } from "./open-place.ts";

export interface DiskFilesOptions {
  /** Refuses to write and to delete. False by default. */
  readonly readOnly?: boolean | undefined;
}

/** Writers of one file wait for each other, also those of other backends in this process. */
const writers = createSerial();

/**
 * The files in a directory of the disk, which has to exist. Paths and symbolic links cannot leave it. `/` is the
 * directory itself. Errors name paths inside of it, never paths of the host.
 */
export function diskFiles(root: string, { readOnly = false }: DiskFilesOptions = {}): FileBackend {
  const disk = createDiskRoot(root);
  const refuseReadOnly = (path: string): void => {
    if (readOnly) throw new UndangleError("file/read-only", { path });
  };
  const exclusively = async <T>({ path }: Place, work: () => Promise<T>): Promise<T> =>
    writers(`${await disk.realPath()} ${path}`, work);
  const followLast = true;

  const backend: FileBackend = {
    stat: async (path) => {
      try {
        return await disk.at(path, { followLast: false }, async ({ directory, name }) =>
          infoOf(path, await lstat(directory.entry(name))),
        );
      } catch (error) {
        if (error instanceof UndangleError && error.is("file/missing")) return undefined;
        throw error;
      }
    },

    list: (path) => disk.at(path, { followLast }, (place) => listPlace(path, place)),

    read: (path) => disk.at(path, { followLast }, (place) => readFileAt(path, place)),

    write: async (path, data) => {
      refuseReadOnly(path);
      refuseLarge(path, data.length);
      return disk.at(path, { followLast, create: true }, (place) =>
        exclusively(place, () => replaceFile(path, place, data)),
      );
    },

    update: async (path, change) => {
      refuseReadOnly(path);
      await disk.at(path, { followLast }, (place) =>
        exclusively(place, async () => {
          const data = change(await readFileAt(path, place));
          refuseLarge(path, data.length);
          await replaceFile(path, place, data);
        }),
      );
    },

    ...searchDisk(disk),

    realPath: (path) => disk.resolvePath(path),
  };
  if (readOnly) return backend;
  return {
    ...backend,
    delete: (path) =>
      disk.at(path, { followLast: false }, (place) => exclusively(place, () => deleteTree(path, place))),
  };
}

async function listPlace(path: string, { directory, name }: Place): Promise<readonly FileInfo[]> {
  const opened = await openDirectory(directory.entry(name)).catch((error: unknown) => {
    if (hasCode(error, "ENOTDIR")) throw new UndangleError("file/not-directory", { path });
    throw error;
  });
  try {
    const names = await readdir(opened.entry(""));
    const infos = await Promise.all(
      names.map(async (child) => {
        if (entryPath(path, child) === undefined) return undefined;
        // An entry that is gone since then is no error of the directory.
        const stats = await lstat(opened.entry(child)).catch(() => undefined);
        return stats === undefined ? undefined : infoOf(childPath(path, child), stats);
      }),
    );
    return infos.filter((info) => info !== undefined).sort(byPath);
  } finally {
    await opened.close();
  }
}
