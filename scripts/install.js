// Installs the dependencies of a folder if needed.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { hashOfContents } from "./fingerprint.js";
import { inRoot, npm } from "./run.js";

/** Runs `npm install` in a folder unless its manifests are unchanged since the last install. Exits on failure. */
export function installIfNeeded(
  /** @type {{ folder: string, manifests: readonly string[], announcement: string }} */ {
    folder,
    manifests,
    announcement,
  },
) {
  const modules = inRoot(`${folder}/node_modules`);
  const stamp = `${modules}/.undangle-install`;
  const state = () => hashOfContents(manifests.map((name) => inRoot(`${folder}/${name}`)));
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === state()) return;

  console.log(announcement);
  // Only errors: on an older Node npm warns of engines, although the repository's own Node 24 will run everything.
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
  const status = npm(["--prefix", inRoot(folder), "install", ...quiet]);
  if (status !== 0) {
    console.error("`npm install` failed; its messages are above.");
    process.exit(status);
  }
  mkdirSync(modules, { recursive: true });
  writeFileSync(stamp, state()); // npm may have changed the lock file, so the state is computed again
}
