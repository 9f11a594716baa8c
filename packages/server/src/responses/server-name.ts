import { randomUUID } from "node:crypto";

import { hasProcessEnded, processName } from "undangle/agent";

/** How long a server on another machine may take from claiming a key to starting the run, in milliseconds. */
const patience = 120_000;

/** The servers of this process that are open. */
const open = new Set<string>();

/** Names a server of this process. `closed` records that it starts no more runs. */
export function nameServer(): { readonly name: string; readonly closed: () => void } {
  const name = `${processName()}/${randomUUID()}`;
  open.add(name);
  return { name, closed: () => void open.delete(name) };
}

/** True if the server `name`, which claimed a key at the time `at`, may still start a run. */
export function mayStillStart(name: string, at: number): boolean {
  if (hasProcessEnded(name)) return false;
  const isOfThisProcess = name.startsWith(`${processName()}/`);
  if (isOfThisProcess && !open.has(name)) return false;
  return Date.now() - at < patience;
}
