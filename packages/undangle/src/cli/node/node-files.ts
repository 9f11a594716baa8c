import { createReadStream, unlinkSync } from "node:fs";
import { constants, copyFile, link, lstat, open, realpath, rename, stat, unlink } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import type { Stats } from "node:fs";
import type { Files, Replacement } from "../io.ts";

export const nodeFiles: Files = {
  read: (path) => createReadStream(path, { highWaterMark: 262_144 }) as AsyncIterable<Uint8Array>, // no encoding is set, so that chunks are bytes
  async size(path) {
    const found = await statIfThere(path);
    return found?.isFile() === true ? found.size : undefined;
  },
  async isSame(one, other) {
    const [first, second] = await Promise.all([statIfThere(one), statIfThere(other)]);
    return first !== undefined && second !== undefined && first.ino === second.ino && first.dev === second.dev;
  },
  async replace(path, { keepBackup }) {
    const old = await statIfThere(path);
    if (old !== undefined && !old.isFile()) return writeThrough(path);
    const isLink = old !== undefined && (await lstat(path)).isSymbolicLink();
    const target = isLink ? await realpath(path) : path; // a link stays, and its target is replaced
    return writeBeside(target, old, keepBackup);
  },
};

/** Pipes and devices cannot be replaced, so they are written directly. */
async function writeThrough(path: string): Promise<Replacement> {
  const file = await open(path, "w");
  return {
    write: (data) => file.appendFile(data),
    async commit() {
      await file.close();
      return { backup: undefined };
    },
    discard: () => file.close(),
  };
}

function writeBeside(target: string, old: Stats | undefined, keepBackup: boolean): Replacement {
  const temporary = join(dirname(target), `.${basename(target)}.${crypto.randomUUID().slice(0, 8)}.undangle`);
  let file: FileHandle | undefined;
  let stopWatching = (): void => {};
  /** Opened on the first write, so that a valid file in a read-only folder can be checked. */
  const opened = async (): Promise<FileHandle> => {
    if (file !== undefined) return file;
    file = await open(temporary, "wx", old?.mode ?? 0o666);
    stopWatching = removeOnSignal(temporary);
    return file;
  };
  const discard = async (): Promise<void> => {
    if (file === undefined) return;
    await file.close();
    await unlink(temporary);
    stopWatching();
  };
  const commit = async (): Promise<{ readonly backup: string | undefined }> => {
    const written = await opened();
    if (old !== undefined) await takeOver(written, old);
    await written.sync();
    if (old !== undefined) await refuseIfChanged(target, old);
    const backup = keepBackup && old !== undefined ? await backUp(target) : undefined;
    await rename(temporary, target);
    await written.close();
    stopWatching();
    return { backup };
  };
  return { write: async (data) => (await opened()).appendFile(data), discard, commit };
}

async function takeOver(file: FileHandle, old: Stats): Promise<void> {
  await file.chmod(old.mode & 0o7777);
  if (process.getuid?.() === 0) await file.chown(old.uid, old.gid); // only root can change the owner, and only root would change it by accident
}

async function refuseIfChanged(target: string, old: Stats): Promise<void> {
  const now = await stat(target);
  if (now.mtimeMs === old.mtimeMs && now.size === old.size) return;
  throw Object.assign(new Error("another program changed it during the command; nothing was written"), {
    code: "ECHANGED",
  });
}

/** Keeps the old file under the first free name, as a hard link if possible, so that it exists at every moment. */
async function backUp(target: string): Promise<string> {
  for (let number = 0; ; number++) {
    const backup = `${target}.bak${number === 0 ? "" : number}`;
    try {
      await link(target, backup);
      return backup;
    } catch (error) {
      if (isCode(error, "EEXIST")) continue;
    }
    try {
      await copyFile(target, backup, constants.COPYFILE_EXCL);
      return backup;
    } catch (error) {
      if (!isCode(error, "EEXIST")) throw error;
    }
  }
}

async function statIfThere(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (isCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code;

/** An interrupted program leaves no partial file. */
function removeOnSignal(path: string): () => void {
  const end = (signal: NodeJS.Signals): void => {
    unlinkSync(path);
    stop();
    process.kill(process.pid, signal);
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const stop = (): void => {
    for (const signal of signals) process.off(signal, end);
  };
  for (const signal of signals) process.on(signal, end);
  return stop;
}
