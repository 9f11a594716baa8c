import { existsSync, readFileSync } from "node:fs";
import process from "node:process";

/**
 * Ends this process when npm ends, because a signal may reach only npm. On some systems a shell runs between the two and
 * outlives npm. Only Linux allows that to be detected.
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

/** The parent of a process. Undefined if the process has ended. */
function parentOf(/** @type {number} */ pid) {
  const path = `/proc/${pid}/stat`;
  return existsSync(path) ? /\) \S (\d+)[^)]*$/u.exec(readFileSync(path, "utf8"))?.[1] : undefined;
}
