import { performance } from "node:perf_hooks";
import type { DatabaseSync } from "node:sqlite";
import { setImmediate, setTimeout } from "node:timers";

import { UndangleError } from "#core";

import type { DatabaseSettings } from "./open-database.ts";
import { betweenAttempts } from "./patience.ts";
import { faultOf, isBusy } from "./sqlite-fault.ts";

/** Writes that are asked for at about the same time share a transaction, and so the wait for the disk. */
export interface GroupCommit {
  /**
   * What the work returned, once it is committed: at once where it is hurried and nothing is in its way. Work that throws an
   * `UndangleError` must have written nothing before: it is refused alone.
   */
  write<Value>(work: () => Value, options?: WriteOptions): Value | Promise<Value>;
  /** Resolves when nothing is left to write. */
  drain(): Promise<void>;
}

export interface WriteOptions {
  /** It need not survive the power supply when this is false, and by itself waits for no disk. */
  readonly isLasting?: boolean;
  /** Nobody is likely to come with it, so that nobody is waited for. */
  readonly isHurried?: boolean;
}

/** One piece of work, and how to tell its end. */
interface Write {
  readonly run: () => void;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  readonly isLasting: boolean;
  /** How long it waits for a lock; undefined until it has met one. */
  readonly until: number | undefined;
  /** The transaction that it shared with others failed, and nobody knows which of them it was. */
  readonly isAlone: boolean;
}

/** So that a flood of writes does not hold up the process for more than some 20 ms at a time. */
const largestGroup = 256;

/** For so many milliseconds hurried writes may follow one another before the process gets on with anything else. */
const longestTurn = 2;

/** Groups the writes to a database. */
export function createGroupCommit(database: DatabaseSync, settings: DatabaseSettings): GroupCommit {
  const { path, busyTimeout, synchronous } = settings;
  // They are called by `get`: `run` makes an object that says how many rows have changed, which nobody asks for.
  const statements = {
    begin: database.prepare("BEGIN IMMEDIATE"),
    commit: database.prepare("COMMIT"),
    rollback: database.prepare("ROLLBACK"),
  };
  let waiting: Write[] = [];
  let isScheduled = false;
  let turnBegan: number | undefined; // when the first hurried write of this turn of the event loop came
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
        } // somebody else is writing: it waits, as the others do
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

  /** Behind everything else of this turn of the event loop, so that what it asks for is in one group. */
  function schedule(): void {
    isScheduled = true;
    setImmediate(flush);
  }

  /** A run whose model and tools answer at once would never let go of the process. */
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

  /** The first in line: one that has to be alone, or as many as need not. */
  function takeGroup(): readonly Write[] {
    const alone = waiting.findIndex(({ isAlone }, place) => isAlone || place === largestGroup);
    if (alone !== -1) return waiting.splice(0, Math.max(1, alone));
    const all = waiting;
    waiting = [];
    return all;
  }

  /** One transaction, and nothing around it: what follows on a wait for the disk is dear, however little it is. */
  function writeAlone<Value>(work: () => Value, isLasting: boolean): Value {
    setLevel(isLasting ? synchronous : "normal");
    statements.begin.get();
    const value = work();
    statements.commit.get();
    return value;
  }

  /** One transaction. What it throws has undone all of it. */
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

  /** SQLite has often done it already. If it cannot be done, the next transaction says so to those who ask for it. */
  function undo(): void {
    try {
      if (database.isTransaction) statements.rollback.get();
    } catch (error) {
      for (const write of waiting.splice(0)) write.reject(faultOf(path, error));
    }
  }

  /** In the log of SQLite, `full` waits for the disk at each commit, and `normal` only when the log is folded in. */
  function setLevel(next: DatabaseSettings["synchronous"]): void {
    if (next === level) return;
    database.exec(`PRAGMA synchronous = ${next}`);
    level = next;
  }

  /** The group stays first in line, but for those that have waited long enough. */
  function waitAndRetry(group: readonly Write[], error: unknown): void {
    const now = performance.now();
    const held = [...group, ...waiting].map((write) => ({ ...write, until: write.until ?? now + busyTimeout }));
    for (const write of held) if (write.until <= now) write.reject(faultOf(path, error));
    waiting = held.filter(({ until }) => until > now);
    setTimeout(flush, betweenAttempts());
  }
}

/** Does the work of a write; the error when it is refused. */
function refusalOf(write: Write): UndangleError | undefined {
  try {
    write.run();
    return undefined;
  } catch (error) {
    if (error instanceof UndangleError) return error;
    throw error;
  }
}
