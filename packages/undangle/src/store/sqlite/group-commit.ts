import { performance } from "node:perf_hooks";
import type { DatabaseSync } from "node:sqlite";
import { setImmediate, setTimeout } from "node:timers";

import { UndangleError } from "#core";

import type { DatabaseSettings } from "./open-database.ts";
import { lockBackoff } from "./lock-backoff.ts";
import { faultOf, isBusy } from "./sqlite-fault.ts";

/** Concurrent writes share a transaction, and so the wait for the disk. */
export interface GroupCommit {
  /**
   * The result of the work after its commit: at once if it is hurried and nothing is queued. Work that throws an
   * `UndangleError` must not have written anything; only that work fails.
   */
  write<Value>(work: () => Value, options?: WriteOptions): Value | Promise<Value>;
  drain(): Promise<void>;
}

export interface WriteOptions {
  /** False if the write need not survive a power failure, so that it waits for no disk. */
  readonly isLasting?: boolean;
  /** True if no concurrent write is expected. */
  readonly isHurried?: boolean;
}

/** A write and its promise. */
interface Write {
  readonly run: () => void;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  readonly isLasting: boolean;
  /** The deadline for a lock; undefined until it meets one. */
  readonly until: number | undefined;
  /** True after its group failed, because the cause may be any write of the group. */
  readonly isAlone: boolean;
}

/** Limits the time of a group to about 20 ms. */
const largestGroup = 256;

/** The milliseconds for which hurried writes may block the event loop. */
const longestTurn = 2;

export function createGroupCommit(database: DatabaseSync, settings: DatabaseSettings): GroupCommit {
  const { path, busyTimeout, synchronous } = settings;
  // `get` instead of `run`, which creates an object with the number of changes.
  const statements = {
    begin: database.prepare("BEGIN IMMEDIATE"),
    commit: database.prepare("COMMIT"),
    rollback: database.prepare("ROLLBACK"),
  };
  let waiting: Write[] = [];
  let isScheduled = false;
  let turnBegan: number | undefined; // the first hurried write of this turn of the event loop
  let level = synchronous;
  let onDrained: (() => void)[] = [];

  return {
    write(work, { isLasting = true, isHurried = false } = {}) {
      if (isHurried && !isScheduled && hasTime()) {
        try {
          return writeAlone(work, isLasting);
        } catch (error) {
          undo();
          if (!isBusy(error)) throw faultOf(path, error);
        } // another process is writing; it joins the queue
      }
      return new Promise((resolve, reject) => {
        let value: ReturnType<typeof work>;
        waiting.push({
          run: () => void (value = work()),
          resolve: () => resolve(value),
          reject,
          isLasting,
          until: undefined,
          isAlone: false,
        });
        if (!isScheduled) schedule();
      });
    },
    drain: () =>
      new Promise((resolve) => {
        if (isScheduled) onDrained.push(resolve);
        else resolve();
      }),
  };

  /** After the current turn of the event loop, so that its writes form one group. */
  function schedule(): void {
    isScheduled = true;
    setImmediate(flush);
  }

  /** Otherwise a run with an instant model and instant tools would block the event loop. */
  function hasTime(): boolean {
    const now = performance.now();
    if (turnBegan === undefined) {
      turnBegan = now;
      setImmediate(() => (turnBegan = undefined));
    }
    return now - turnBegan < longestTurn;
  }

  function flush(): void {
    const group = takeGroup();
    try {
      if (group.length > 0) writeGroup(group);
    } catch (error) {
      undo();
      if (isBusy(error)) return waitAndRetry(group, error);
      if (group.length === 1) group[0]?.reject(faultOf(path, error));
      else waiting = [...group.map((write) => ({ ...write, isAlone: true })), ...waiting];
    }
    if (waiting.length > 0) return schedule();
    isScheduled = false;
    for (const resolve of onDrained) resolve();
    onDrained = [];
  }

  /** The first of the queue: one isolated write, or as many others as allowed. */
  function takeGroup(): readonly Write[] {
    const alone = waiting.findIndex(({ isAlone }, place) => isAlone || place === largestGroup);
    if (alone !== -1) return waiting.splice(0, Math.max(1, alone));
    const all = waiting;
    waiting = [];
    return all;
  }

  /** One transaction without overhead, because any delay adds to the wait for the disk. */
  function writeAlone<Value>(work: () => Value, isLasting: boolean): Value {
    setLevel(isLasting ? synchronous : "normal");
    statements.begin.get();
    const value = work();
    statements.commit.get();
    return value;
  }

  /** One transaction. An exception has rolled it back. */
  function writeGroup(group: readonly Write[]): void {
    setLevel(group.some(({ isLasting }) => isLasting) ? synchronous : "normal");
    statements.begin.get();
    const refusals = group.map(refusalOf);
    statements.commit.get();
    for (const [index, write] of group.entries()) {
      const refusal = refusals[index];
      if (refusal === undefined) write.resolve();
      else write.reject(refusal);
    }
  }

  /** SQLite has often rolled back already. If the rollback fails, the next transaction reports it. */
  function undo(): void {
    try {
      if (database.isTransaction) statements.rollback.get();
    } catch (error) {
      for (const write of waiting.splice(0)) write.reject(faultOf(path, error));
    }
  }

  /** With WAL, `full` waits for the disk at each commit, and `normal` only at checkpoints. */
  function setLevel(next: DatabaseSettings["synchronous"]): void {
    if (next === level) return;
    database.exec(`PRAGMA synchronous = ${next}`);
    level = next;
  }

  /** The group stays first in the queue, except for writes past their deadline. */
  function waitAndRetry(group: readonly Write[], error: unknown): void {
    const now = performance.now();
    const held = [...group, ...waiting].map((write) => ({ ...write, until: write.until ?? now + busyTimeout }));
    for (const write of held) if (write.until <= now) write.reject(faultOf(path, error));
    waiting = held.filter(({ until }) => until > now);
    setTimeout(flush, lockBackoff());
  }
}

/** Runs the work of a write. Returns its error if it is refused. */
function refusalOf(write: Write): UndangleError | undefined {
  try {
    write.run();
    return undefined;
  } catch (error) {
    if (error instanceof UndangleError) return error;
    throw error;
  }
}
