import { hash, randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

import type { Store } from "#store";

/** Who runs threads: this agent in this process. */
export interface Owner {
  readonly id: string;
  /** One run more: as long as there is one, it says again and again that it is alive. */
  readonly begin: () => void;
  /** Says that it is alive, unless it just has; resolves when the store knows. */
  readonly beat: () => Promise<void>;
  /** One run less. */
  readonly end: () => void;
  /** True for an owner that may still be at work. */
  readonly isAlive: (owner: string) => Promise<boolean>;
  readonly close: () => Promise<void>;
}

/** How often an owner says that it is alive, and after how long without a word it counts as dead; in milliseconds. */
const interval = 2000;
const patience = 15_000;

export function createOwner(store: Store, now: () => number): Owner {
  const id = `${place()}/${process.pid}/${randomUUID()}`;
  let runs = 0;
  let last = -Infinity; // when it was last said, on the clock that does not jump
  let timer: NodeJS.Timeout | undefined;
  const beat = async (): Promise<void> => {
    const at = performance.now();
    await store.beat(id, now());
    last = at;
  };
  const beatQuietly = (): void => void beat().catch(() => undefined); // the store is away: whoever writes will notice
  return {
    id,
    begin() {
      runs++;
      timer ??= setInterval(beatQuietly, interval).unref();
    },
    beat: async () => (performance.now() - last > interval ? beat() : undefined),
    end() {
      runs--;
      if (runs > 0 || timer === undefined) return;
      clearInterval(timer);
      timer = undefined;
    },
    async isAlive(owner) {
      if (owner === id) return true;
      if (isDeadHere(owner)) return false;
      const beaten = await store.lastBeat(owner);
      return beaten !== undefined && now() - beaten < patience;
    },
    async close() {
      if (timer !== undefined) clearInterval(timer);
      timer = undefined;
      const hasBeaten = last !== -Infinity;
      last = -Infinity;
      if (hasBeaten) await store.leave(id).catch(() => undefined); // others find out by themselves
    },
  };
}

/** True for an owner that was a process of this machine, and is none any more. */
function isDeadHere(owner: string): boolean {
  const [there, pid] = owner.split("/");
  if (there !== place() || !/^\d+$/u.test(pid ?? "")) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}

let known: string | undefined;

/** Where process ids mean the same: this start of this machine, and what its container sees of it. */
function place(): string {
  known ??= hash("sha256", [hostname(), bootId(), processNamespace()].join("\n"), "hex").slice(0, 16);
  return known;
}

const bootId = (): string => orNothing(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8"));
const processNamespace = (): string => orNothing(() => readlinkSync("/proc/self/ns/pid"));

function orNothing(read: () => string): string {
  try {
    return read();
  } catch {
    return ""; // there is no such thing on this system
  }
}
