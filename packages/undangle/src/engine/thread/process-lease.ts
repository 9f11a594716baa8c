import { randomUUID, hash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

import type { Store } from "#store";

/** The lease with which this agent owns threads. It is alive while it beats. */
export interface ProcessLease {
  readonly id: string;
  /** A run of a thread starts. The lease beats while there is one. */
  readonly begin: (threadId: string) => void;
  /** Renews the lease unless it is fresh. Resolves when the store has it. */
  readonly beat: () => Promise<void>;
  /** The run of a thread ended. */
  readonly end: (threadId: string) => void;
  /** True for a thread that runs in this process with this lease. */
  readonly isRunning: (threadId: string) => boolean;
  /** True for an owner that may still be running. */
  readonly isAlive: (owner: string) => Promise<boolean>;
  readonly close: () => Promise<void>;
}

/** Milliseconds between beats, and without a beat until an owner counts as dead. */
const interval = 2000;
const leaseTimeout = 15_000;
/** Milliseconds to wait for a beat of an owner whose last one seems old or in the future: a clock may have jumped. */
const clockJumpWait = 3000;

const registry = Symbol.for("undangle.owners");

/** The owners in this process with runs, also those of another copy of this module. */
const activeLeases: Set<string> = ((globalThis as { [registry]?: Set<string> })[registry] ??= new Set());

export function createProcessLease(store: Store, now: () => number): ProcessLease {
  const id = `${processName()}/${randomUUID()}`;
  const running = new Set<string>();
  let last = -Infinity; // when it last beat, on the monotonic clock
  let timer: NodeJS.Timeout | undefined;
  const checks = new Map<string, Promise<boolean>>();
  const beat = async (): Promise<void> => {
    const at = performance.now();
    await store.beat(id, now());
    last = at;
  };
  const beatQuietly = (): void => void beat().catch(() => undefined); // the store is unavailable; the next write reports it
  const stopBeating = (): void => {
    clearInterval(timer);
    timer = undefined;
    activeLeases.delete(id);
  };

  const hasRecentBeat = async (owner: string): Promise<boolean> => {
    const beaten = await store.lastBeat(owner);
    if (beaten === undefined) return false;
    const age = now() - beaten;
    if (age >= 0 && age < leaseTimeout) return true;
    await new Promise((resolve) => setTimeout(resolve, clockJumpWait));
    const again = await store.lastBeat(owner);
    return again !== undefined && again !== beaten;
  };

  return {
    id,
    begin(threadId) {
      running.add(threadId);
      activeLeases.add(id);
      timer ??= setInterval(beatQuietly, interval).unref();
    },
    beat: async () => (performance.now() - last > interval ? beat() : undefined),
    end(threadId) {
      running.delete(threadId);
      if (running.size === 0) stopBeating();
    },
    isRunning: (threadId) => running.has(threadId),
    async isAlive(owner) {
      if (owner === id || activeLeases.has(owner)) return true;
      if (hasProcessEnded(owner)) return false;
      const check = checks.get(owner) ?? hasRecentBeat(owner).finally(() => checks.delete(owner));
      checks.set(owner, check);
      return check;
    },
    async close() {
      stopBeating();
      const hasBeaten = last !== -Infinity;
      last = -Infinity;
      if (hasBeaten) await store.leave(id).catch(() => undefined); // other processes notice the missing beats
    },
  };
}

/** The unique name of this process: the scope of its process id, the id, and its start time. */
export const processName = (): string => {
  knownName ??= `${place()}/${process.pid}/${processStateOf(process.pid)?.begin ?? ""}`;
  return knownName;
};

let knownName: string | undefined;

/** True for the name of a process of this machine that has ended. A suffix is allowed: `${processName()}/1`. */
export function hasProcessEnded(name: string): boolean {
  const [there, pid = "", begin = ""] = name.split("/");
  if (there !== place() || !/^\d+$/u.test(pid)) return false;
  const now = processStateOf(Number(pid));
  if (now !== undefined && begin !== "") return now.hasEnded || now.begin !== begin; // another process may have the same id by now
  return !isRunning(Number(pid));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}

let knownPlace: string | undefined;

/** The scope in which process ids are unique: this boot of the machine, and the container. */
function place(): string {
  knownPlace ??= hash("sha256", [hostname(), bootId(), processNamespace()].join("\n"), "hex").slice(0, 16);
  return knownPlace;
}

/** The state of a process according to the system. Undefined if there is no such process, or if it cannot be determined. */
function processStateOf(pid: number): { readonly hasEnded: boolean; readonly begin: string } | undefined {
  const stat = orEmpty(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
  const [state, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" "); // the process name, in brackets, may contain any character
  const begin = rest[18]; // in clock ticks since boot
  return begin === undefined ? undefined : { hasEnded: state === "Z" || state === "X", begin };
}

const bootId = (): string => orEmpty(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8"));
const processNamespace = (): string => orEmpty(() => readlinkSync("/proc/self/ns/pid"));

function orEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return ""; // the file does not exist on this system, or the process has ended
  }
}
