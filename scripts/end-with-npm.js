import { existsSync, readFileSync } from "node:fs";
import process from "node:process";

/**
 * Tells this process to end when npm has: whoever ends npm, and nothing else, means what it runs too. On some systems a shell
 * stands between the two, and outlives npm; only Linux lets one look at it.
 */
export function endWithNpm() {
  if (process.env["npm_lifecycle_event"] === undefined) return;
  const { ppid } = process;
  const command = `/proc/${ppid}/cmdline`;
  const isShell = existsSync(command) && readFileSync(command, "utf8").includes("scripts/start.js");
  const npm = isShell ? parentOf(ppid) : undefined;
  setInterval(() => {
    if (process.ppid !== ppid || (npm !== undefined && parentOf(ppid) !== npm)) process.kill(process.pid, "SIGTERM");
  }, 200).unref();
}

/** The process that has started another one; undefined when that has ended. */
function parentOf(/** @type {number} */ pid) {
  const path = `/proc/${pid}/stat`;
  return existsSync(path) ? /\) \S (\d+)[^)]*$/u.exec(readFileSync(path, "utf8"))?.[1] : undefined;
}
