import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

/** A file system with little room. */
export interface SmallDisk {
  readonly folder: string;
  /** Leaves so many bytes free. */
  readonly fill: (left: number) => void;
  readonly makeRoom: () => void;
  readonly close: () => void;
}

const size = 4_000_000;

/** Mounts a small file system in memory; undefined where that is not allowed. */
export function mountSmallDisk(folder: string): SmallDisk | undefined {
  mkdirSync(folder, { recursive: true });
  if (process.platform !== "linux") return undefined;
  if (spawnSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "undangle-test", folder]).status !== 0) return undefined;
  const filling = join(folder, "filling");
  return {
    folder,
    fill(left) {
      const file = openSync(filling, "w");
      const block = Buffer.alloc(4096, "x");
      const blocks: Buffer[] = [];
      try {
        for (;;) {
          writeSync(file, block);
          blocks.push(block);
        }
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
      } finally {
        closeSync(file);
      }
      const shorter = Buffer.concat(blocks.slice(Math.ceil(left / block.length)));
      const again = openSync(filling, "w");
      writeSync(again, shorter);
      closeSync(again);
    },
    makeRoom: () => rmSync(filling, { force: true }),
    close: () => void spawnSync("umount", [folder]),
  };
}
