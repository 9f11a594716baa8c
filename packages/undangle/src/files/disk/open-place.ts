import { constants, existsSync } from "node:fs";
import { lstat, mkdir, open, readdir, readlink, realpath } from "node:fs/promises";
import { isAbsolute, join, relative, resolve, sep } from "node:path";

import { canonicalPath, UndangleError } from "#core";

import { hasSpellings, refuseOtherSpelling } from "../other-spelling.ts";
import { diskError, hasCode } from "./disk-errors.ts";

/** An open directory of the disk. */
export interface Directory {
  /** A path of the host that leads to an entry. `""` is the directory itself. */
  readonly entry: (name: string) => string;
  /** A path of the directory that other processes can use while it is open. */
  readonly outside: string;
  /** The path of the host without links, where the directory is now. */
  readonly realPath: () => Promise<string>;
  readonly close: () => Promise<void>;
}

/** Where a path leads. */
export interface Place {
  /** The directory of the last segment. On Linux it is open: what replaces it later has no effect. */
  readonly directory: Directory;
  /** `""` if the path leads to the directory itself. */
  readonly name: string;
  /** The canonical path without links. */
  readonly path: string;
}

export interface PlaceOptions {
  /** Resolves a link in the last segment. Links in other segments are always resolved. */
  readonly followLast: boolean;
  /** Creates missing directories. */
  readonly create?: boolean | undefined;
}

export interface DiskRoot {
  /** The path of the host without links. */
  readonly realPath: () => Promise<string>;
  /** Runs work at the place that a path leads to. */
  readonly at: <T>(path: string, options: PlaceOptions, work: (place: Place) => Promise<T>) => Promise<T>;
  /** The canonical path without links. What does not exist yet keeps its name. */
  readonly resolvePath: (path: string) => Promise<string>;
}

/** As Linux limits it. */
const maxLinks = 40;

/**
 * Resolves paths inside a root directory, segment by segment, like a root of chroot: a link that leaves the root is
 * `file/outside`. On Linux each directory is opened without following links, and the next segment is opened relative to
 * it through `/proc/self/fd`, so that a directory that is replaced by a link in the meantime cannot lead outside. Other
 * systems have no such names: there a replacement between the check and the use of a directory is possible.
 */
export function createDiskRoot(root: string): DiskRoot {
  const given = resolve(root);
  const realPath = (): Promise<string> =>
    realpath(given).catch(() => {
      throw new UndangleError("file/failed", { path: "/", reason: "the root directory does not exist" });
    });

  /** Opens the directory of the last segment. Only one directory is open at a time, however deep the path is. */
  const walk = async (
    path: string,
    { followLast, create = false, keepMissing = false }: WalkOptions,
  ): Promise<Found> => {
    refuseOther(path);
    const rootPath = await realPath();
    const names: string[] = [];
    const pending = path.split("/").filter((segment) => segment !== "");
    let links = 0;
    let directory: Directory | undefined = await openDirectory(rootPath);

    const enter = async (next: Promise<Directory | undefined>): Promise<void> => {
      const last = directory;
      directory = undefined;
      try {
        directory = await next;
      } finally {
        await last?.close();
      }
    };
    const restart = (...segments: readonly string[]): Promise<void> => {
      pending.unshift(...segments);
      names.length = 0;
      return enter(openDirectory(rootPath));
    };
    const follow = async (target: string): Promise<void> => {
      if (++links > maxLinks)
        throw new UndangleError("file/failed", { path, reason: "it has too many symbolic links" });
      if (!isAbsolute(target)) return void pending.unshift(...target.split("/"));
      const inside = [rootPath, given].map((base) => relative(base, target)).find((each) => isInside(each));
      if (inside === undefined) throw new UndangleError("file/outside", { path });
      return restart(...inside.split(sep));
    };

    try {
      for (let name = pending.shift(); name !== undefined; name = pending.shift()) {
        if (name === "" || name === ".") continue;
        if (name === "..") {
          if (names.length === 0) throw new UndangleError("file/outside", { path });
          await restart(...names.slice(0, -1));
          continue;
        }
        const isLast = pending.length === 0;
        if (isLast && !followLast) return { directory, names, name };
        const target = directory === undefined ? undefined : await linkTarget(directory.entry(name));
        if (target !== undefined) {
          await follow(target);
          continue;
        }
        if (isLast) return { directory, names, name };
        names.push(name);
        if (directory !== undefined)
          await enter(openChild(directory, { name, path, at: `/${names.join("/")}`, create, keepMissing }));
      }
      return { directory, names, name: "" };
    } catch (error) {
      await directory?.close();
      throw error;
    }
  };

  const at: DiskRoot["at"] = async (path, options, work) => {
    let opened: Directory | undefined;
    try {
      const { directory, names, name } = await walk(path, options);
      opened = directory;
      if (directory === undefined) throw new UndangleError("file/missing", { path });
      return await work({ directory, name, path: pathOf(names, name) });
    } catch (error) {
      throw diskError(path, error);
    } finally {
      await opened?.close();
    }
  };

  const resolvePath: DiskRoot["resolvePath"] = async (path) => {
    try {
      const { directory, names, name } = await walk(path, { followLast: true, keepMissing: true });
      if (directory === undefined) return pathOf(names, name);
      try {
        return (await spelledPath(directory, name, await realPath())) ?? pathOf(names, name);
      } finally {
        await directory.close();
      }
    } catch (error) {
      throw diskError(path, error);
    }
  };

  return { realPath, at, resolvePath };
}

interface WalkOptions extends PlaceOptions {
  /** Resolves as far as the path exists, and keeps the rest. */
  readonly keepMissing?: boolean | undefined;
}

interface Found {
  /** Undefined if it does not exist. */
  readonly directory: Directory | undefined;
  /** The segments of the directory. */
  readonly names: readonly string[];
  readonly name: string;
}

/**
 * The path as the disk spells it. macOS and Windows find a file also by other cases and Unicode forms of its name.
 * Undefined where a name has one spelling, or if there is no file.
 */
async function spelledPath(directory: Directory, name: string, rootPath: string): Promise<string | undefined> {
  if (hasDescriptorPaths) return undefined;
  const real = await realpath(directory.entry(name)).catch(() => undefined);
  const inside = real === undefined ? undefined : relative(rootPath, real);
  return inside === undefined || !isInside(inside) ? undefined : `/${inside.split(sep).join("/")}`;
}

/** Callers pass canonical paths. This backend checks it, because `..` would be a way out. */
function refuseOther(path: string): void {
  const { error, path: canonical } = canonicalPath(path);
  if (error !== undefined) throw error;
  if (canonical !== path) throw new UndangleError("file/path", { path, reason: "not-canonical" });
}

const pathOf = (names: readonly string[], name: string): string =>
  `/${(name === "" ? names : [...names, name]).join("/")}`;

const isInside = (relativePath: string): boolean =>
  relativePath !== ".." && !relativePath.startsWith(`..${sep}`) && !isAbsolute(relativePath);

/** The text of a link; undefined if the entry is not a link, or missing. */
async function linkTarget(entry: string): Promise<string | undefined> {
  try {
    return await readlink(entry);
  } catch (error) {
    if (hasCode(error, "EINVAL", "ENOENT", "UNKNOWN")) return undefined;
    throw error;
  }
}

interface Entering {
  readonly name: string;
  /** The path that the caller gave. */
  readonly path: string;
  /** The path of this directory. */
  readonly at: string;
  readonly create: boolean;
  readonly keepMissing: boolean;
}

/** Opens a directory in another; undefined if it is missing and `keepMissing`. */
async function openChild(
  parent: Directory,
  { name, path, at, create, keepMissing }: Entering,
): Promise<Directory | undefined> {
  try {
    return await openDirectory(parent.entry(name));
  } catch (error) {
    if (keepMissing && hasCode(error, "ENOENT", "ENOTDIR")) return undefined;
    if (!create) throw error;
    if (hasCode(error, "ENOTDIR")) throw new UndangleError("file/not-directory", { path: at });
    if (!hasCode(error, "ENOENT")) throw error;
  }
  if (hasSpellings(name)) refuseOtherSpelling(path, name, await readdir(parent.entry("")));
  try {
    await mkdir(parent.entry(name));
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error; // another writer was faster
  }
  return openDirectory(parent.entry(name));
}

const hasDescriptorPaths = process.platform === "linux" && existsSync("/proc/self/fd");
const directoryFlags = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);

/** Opens a directory that is not a link. */
export async function openDirectory(path: string | Buffer): Promise<Directory> {
  if (hasDescriptorPaths) {
    const handle = await open(path, directoryFlags);
    const self = `/proc/self/fd/${handle.fd}`;
    return {
      entry: (name) => (name === "" ? `${self}/.` : `${self}/${name}`),
      outside: `/proc/${process.pid}/fd/${handle.fd}`,
      realPath: () => readlink(self),
      close: () => handle.close(),
    };
  }
  const info = await lstat(path);
  if (!info.isDirectory()) throw Object.assign(new Error("not a directory"), { code: "ENOTDIR" });
  return {
    entry: (name) => join(path.toString(), name),
    outside: path.toString(),
    realPath: () => realpath(path.toString()),
    close: async () => undefined,
  };
}
