import { randomUUID } from "node:crypto";

import type { Store } from "#store";

import { hasProcessEnded, processName } from "./process-name.ts";

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
/** For how long one is listened to whose last word seems old, or of the future: a clock may have jumped. */
const listening = 3000;

const registry = Symbol.for("undangle.owners");

/** The owners in this process that are running something, also those of another copy of this module. */
const atWork: Set<string> = ((globalThis as { [registry]?: Set<string> })[registry] ??= new Set());

export function createOwner(store: Store, now: () => number): Owner {
  const id = `${processName()}/${randomUUID()}`;
  let runs = 0;
  let last = -Infinity; // when it was last said, on the clock that does not jump
  let timer: NodeJS.Timeout | undefined;
  const looks = new Map<string, Promise<boolean>>();
  const beat = async (): Promise<void> => {
    const at = performance.now();
    await store.beat(id, now());
    last = at;
  };
  const beatQuietly = (): void => void beat().catch(() => undefined); // the store is away: whoever writes will notice
  const stopBeating = (): void => {
    clearInterval(timer);
    timer = undefined;
    atWork.delete(id);
  };

  const isHeardOf = async (owner: string): Promise<boolean> => {
    const beaten = await store.lastBeat(owner);
    if (beaten === undefined) return false;
    const age = now() - beaten;
    if (age >= 0 && age < patience) return true;
    await new Promise((resolve) => setTimeout(resolve, listening));
    const again = await store.lastBeat(owner);
    return again !== undefined && again !== beaten;
  };

  return {
    id,
    begin() {
      runs++;
      atWork.add(id);
      timer ??= setInterval(beatQuietly, interval).unref();
    },
    beat: async () => (performance.now() - last > interval ? beat() : undefined),
    end() {
      runs--;
      if (runs === 0) stopBeating();
    },
    async isAlive(owner) {
      if (owner === id || atWork.has(owner)) return true;
      if (hasProcessEnded(owner)) return false;
      const look = looks.get(owner) ?? isHeardOf(owner).finally(() => looks.delete(owner));
      looks.set(owner, look);
      return look;
    },
    async close() {
      stopBeating();
      const hasBeaten = last !== -Infinity;
      last = -Infinity;
      if (hasBeaten) await store.leave(id).catch(() => undefined); // others find out by themselves
    },
  };
}
