import { diskFiles } from "../disk/disk-files.ts";
import type { Sandbox } from "../file-backend.ts";
import { type CommandRunner, createBubblewrap } from "./create-bubblewrap.ts";
import { ownedFiles } from "./owned-files.ts";
import type { BubblewrapOptions } from "./sandbox-options.ts";

export type Bubblewrap = Sandbox & CommandRunner;

/**
 * The files of a folder, and commands that run in bubblewrap with this folder at `/workspace`. A command reads the system folders
 * of the host, writes only in the folder, and has no network. Linux only.
 */
export function bubblewrap(root: string, options: BubblewrapOptions = {}): Bubblewrap {
  return { ...ownedFiles(diskFiles(root), root), ...createBubblewrap(root, options) };
}
