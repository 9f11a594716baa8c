// Hashes of files, to detect whether a step must run again.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** A hash of the contents of files. A missing file counts as empty. */
export function hashOfContents(/** @type {readonly string[]} */ files) {
  const hash = createHash("sha256");
  for (const file of files) hash.update(existsSync(file) ? readFileSync(file) : "").update("\0");
  return hash.digest("hex");
}

/** A hash of the names, sizes and times of the files in a folder. It is cheap, and detects deleted files. */
export function hashOfTree(/** @type {string} */ folder, /** @type {(name: string) => boolean} */ counts) {
  const hash = createHash("sha256");
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  for (const name of names.filter(counts)) {
    const { mtimeMs, size } = statSync(join(folder, name));
    hash.update(`${name} ${mtimeMs} ${size}\n`);
  }
  return hash.digest("hex");
}
