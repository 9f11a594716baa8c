import { randomUUID } from "node:crypto";
import { hostname } from "node:os";

/** How long a server on another machine may take between taking a key and starting the run, in milliseconds. */
const patience = 120_000;

/** The servers of this process that are not closed. */
const open = new Set<string>();

/** Names a server of this process; `closed` says that it starts nothing more. */
export function nameServer(): { readonly name: string; readonly closed: () => void } {
  const name = `${hostname()}/${process.pid}/${randomUUID()}`;
  open.add(name);
  return { name, closed: () => void open.delete(name) };
}

/** True when the server `name`, which took a key at the time `at`, may still be about to start a run. */
export function mayStillStart(name: string, at: number): boolean {
  const [host, pid] = name.split("/");
  if (host === hostname() && pid === String(process.pid) && !open.has(name)) return false; // an earlier process had the same id
  if (host === hostname() && !isRunning(Number(pid))) return false;
  return Date.now() - at < patience;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}
