import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, access, lstat, open, readdir, rename, unlink } from "node:fs/promises";

import { UndangleError } from "#core";

import { refuseLarge } from "../file-limit.ts";
import { hasSpellings, refuseOtherSpelling } from "../other-spelling.ts";
import { hasCode } from "./disk-errors.ts";
import type { Directory, Place } from "./open-place.ts";

/** What is at a place; undefined for nothing. Throws for directories, and for what is not a file. */
export async function fileAt(path: string, { directory, name }: Place): Promise<FileStat | undefined> {
  if (name === "") throw new UndangleError("file/is-directory", { path });
  const info = await lstat(directory.entry(name)).catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  });
  if (info !== undefined) refuseKind(path, info);
  return info;
}

type FileStat = Awaited<ReturnType<typeof lstat>>;

/** Opening a pipe can block for ever, and opening a device can have effects. */
export function refuseKind(path: string, info: FileStat): void {
  if (info.isDirectory()) throw new UndangleError("file/is-directory", { path });
  if (!info.isFile())
    throw new UndangleError("file/failed", { path, reason: "it is a device, a pipe or a socket, not a file" });
}

/** Reads a file, never a link that took its place. */
export async function readFileAt(path: string, place: Place): Promise<Uint8Array> {
  if ((await fileAt(path, place)) === undefined) throw new UndangleError("file/missing", { path });
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const handle = await open(place.directory.entry(place.name), flags);
  try {
    const info = await handle.stat();
    refuseKind(path, info);
    refuseLarge(path, info.size);
    return await readHandle(handle, info.size);
  } finally {
    await handle.close();
  }
}

/** The content of a file, at most as many bytes as it had when it was opened. */
async function readHandle(handle: FileHandle, size: number): Promise<Uint8Array> {
  const data = Buffer.alloc(size);
  let length = 0;
  while (length < size) {
    const { bytesRead } = await handle.read(data, length, size - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return new Uint8Array(data.buffer, data.byteOffset, length);
}

/** The names of files that are being written. Listings and searches leave them out. */
export const isTemporary = (name: string): boolean =>
  name.startsWith(".undangle-") && /^\.undangle-[\da-f]{24}\.tmp$/u.test(name);

/** Replaces the content of a file in one step: a reader sees the old or the new content, also after a crash. */
export async function replaceFile(
  path: string,
  place: Place,
  data: Uint8Array,
): Promise<{ readonly isCreated: boolean }> {
  const { directory, name } = place;
  const old = await fileAt(path, place);
  if (old === undefined) {
    if (hasSpellings(name)) refuseOtherSpelling(path, name, await readdir(directory.entry("")));
  } else await access(directory.entry(name), constants.W_OK); // renaming would replace a file that may not be written
  const temporary = `.undangle-${randomBytes(12).toString("hex")}.tmp`;
  try {
    await writeNew(directory, temporary, data, old);
    await rename(directory.entry(temporary), directory.entry(name));
  } catch (error) {
    await unlink(directory.entry(temporary)).catch((second: unknown) => {
      if (!hasCode(second, "ENOENT")) throw error;
    });
    throw error;
  }
  return { isCreated: old === undefined };
}

async function writeNew(
  directory: Directory,
  name: string,
  data: Uint8Array,
  old: FileStat | undefined,
): Promise<void> {
  const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0);
  const handle = await open(directory.entry(name), flags, 0o666);
  try {
    await handle.writeFile(data);
    if (old !== undefined) {
      const { uid, gid } = await handle.stat();
      if (uid !== old.uid || gid !== old.gid)
        await handle.chown(Number(old.uid), Number(old.gid)).catch((error: unknown) => {
          if (!hasCode(error, "EPERM")) throw error; // only root can keep the owner
        });
      await handle.chmod(Number(old.mode) & 0o7777);
    }
    await handle.datasync();
  } finally {
    await handle.close();
  }
}
