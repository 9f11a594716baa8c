import { lchown, stat } from "node:fs/promises";
import { type Place, createDiskRoot } from "../disk/open-place.ts";
import type { FileBackend } from "../file-backend.ts";

/**
 * If the process is root, new files and directories get the owner of the directory that they are in, so that commands of another user
 * can change them. What existed keeps its owner.
 */
export function ownedFiles(files: FileBackend, root: string): FileBackend {
  if (process.geteuid?.() !== 0) return files;
  const disk = createDiskRoot(root);
  return {
    ...files,
    write: async (path, data) => {
      const created = await missingPaths(files, path);
      const written = await files.write(path, data);
      for (const each of created) await disk.at(each, { followLast: false }, takeOwner);
      return written;
    },
  };
}

/** The part of a path that does not exist, from the outermost directory to the file. */
async function missingPaths(files: FileBackend, path: string): Promise<readonly string[]> {
  const segments = path.split("/").slice(1);
  const paths = segments.map((_, i) => `/${segments.slice(0, i + 1).join("/")}`);
  const infos = await Promise.all(paths.map((each) => files.stat(each)));
  return paths.filter((_, i) => infos[i] === undefined);
}

/** The directory is open and inside the root, and the last segment is not followed: no command can redirect this. */
async function takeOwner({ directory, name }: Place): Promise<void> {
  const { uid, gid } = await stat(directory.entry(""));
  if (uid !== 0) await lchown(directory.entry(name), uid, gid);
}
