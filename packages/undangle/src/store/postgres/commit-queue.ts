import { setImmediate } from "node:timers";
import { setTimeout as pause } from "node:timers/promises";

import { UndangleError } from "#core";

import type { Commit } from "../store.ts";
import {
  commitStatement,
  commitStatementWithFiles,
  commitValues,
  commitValuesWithFiles,
  writeCommit,
} from "./commit-statement.ts";
import type { WrittenCommit } from "./commit-statement.ts";
import type { DatabaseName } from "./database-name.ts";
import { fateOf, faultOf } from "./postgres-fault.ts";
import type { Send } from "./statement-sender.ts";
import { retryUntilKnown } from "./retry-unknown-commit.ts";
import { hasToken, newToken } from "./write-token.ts";

/** Saves commits. Concurrent commits share a round trip, and commits of one thread keep their order. */
export interface CommitQueue {
  readonly save: (commit: Commit) => Promise<void>;
}

export interface CommitQueueOptions {
  readonly name: DatabaseName;
  /** The prefix of table names. */
  readonly prefix: string;
  /** How long the outcome of a commit is determined after a lost connection. */
  readonly patience: number;
  readonly send: Send;
  /** Called for every thread with new events, by its id in the database. */
  readonly onEvents: (id: string, lastEvent: number) => void;
}

/** A commit and its promise. */
interface Write {
  readonly written: WrittenCommit;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  /** True after its group failed or timed out, because the cause may be any commit of the group. */
  readonly isAlone: boolean;
}

/** The number of concurrent groups, each on its own connection, so that a slow one does not block the others. */
const mostGroups = 3;

/** The limits of a group: commits and characters. */
const largestGroup = 128;
const longestGroup = 4_000_000;

export function createCommitQueue({ name, prefix, patience, send, onEvents }: CommitQueueOptions): CommitQueue {
  const statement = commitStatement(prefix);
  const statementWithFiles = commitStatementWithFiles(prefix);
  const versions = `SELECT id, version, last_event, tokens FROM ${prefix}undangle_threads WHERE id = ANY($1::text[])`;
  const busyThreads = new Set<string>();
  let waiting: Write[] = [];
  let underWay = 0;
  let isScheduled = false;

  return {
    save: (commit) =>
      new Promise((resolve, reject) => {
        waiting.push({ written: writeCommit(commit, newToken()), resolve, reject, isAlone: false });
        schedule();
      }),
  };

  /** After the current turn of the event loop, so that its commits form one group. */
  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      while (underWay < mostGroups) {
        const group = takeGroup();
        if (group.length === 0) return;
        void sendGroup(group);
      }
    });
  }

  /** The first commits of the queue, except those whose thread has an unfinished commit. */
  function takeGroup(): readonly Write[] {
    const group: Write[] = [];
    const left: Write[] = [];
    const passed = new Set(busyThreads);
    let length = 0;
    for (const write of waiting) {
      const { id } = write.written;
      if (group.length >= largestGroup || length > longestGroup || group[0]?.isAlone === true) break;
      const canGo = !passed.has(id) && (!write.isAlone || group.length === 0);
      passed.add(id);
      if (canGo) length += write.written.length;
      (canGo ? group : left).push(write);
    }
    waiting = [...left, ...waiting.slice(group.length + left.length)];
    return group;
  }

  async function sendGroup(group: readonly Write[]): Promise<void> {
    underWay++;
    for (const { written } of group) busyThreads.add(written.id);
    const open = new Set(group);
    try {
      await retryUntilKnown(() => saveOpen(open), { name, patience, rest });
    } catch (error) {
      const fate = fateOf(error);
      if (open.size > 1 && (fate === "refused" || fate === "busy")) {
        waiting = [...[...open].map((write) => ({ ...write, isAlone: true })), ...waiting];
      } else for (const { reject } of open) reject(faultOf(name, error));
    }
    for (const { written } of group) busyThreads.delete(written.id);
    underWay--;
    schedule();
  }

  /** Lets other groups run while this one waits. */
  async function rest(milliseconds: number): Promise<void> {
    underWay--;
    schedule();
    await pause(milliseconds);
    underWay++;
  }

  /** Settles each write. It may be called again after an error, because tokens identify what was saved. */
  async function saveOpen(open: Set<Write>): Promise<void> {
    const group = [...open].map(({ written }) => written);
    const hasFiles = group.some(({ files }) => files.length > 0);
    const { rows } = hasFiles
      ? await send(statementWithFiles, commitValuesWithFiles(group))
      : await send(statement, commitValues(group));
    const saved = new Map(rows.map((row) => [row["id"], row]));
    for (const write of open) {
      const row = saved.get(write.written.id);
      if (row !== undefined) close(write, row);
    }
    if (open.size === 0) return;
    const { rows: heads } = await send(versions, [[...open].map(({ written }) => written.id)]);
    const byId = new Map(heads.map((row) => [row["id"], row]));
    for (const write of open) {
      const { id, token, commit } = write.written;
      const head = byId.get(id);
      if (head !== undefined && hasToken(head, token)) close(write, head);
      else {
        open.delete(write);
        write.reject(conflict(commit, Number(head?.["version"] ?? 0)));
      }
    }

    function close(write: Write, row: Readonly<Record<string, unknown>>): void {
      open.delete(write);
      write.resolve();
      const { id, events } = write.written;
      if (events.length > 0) onEvents(id, Number(row["last_event"]));
    }
  }
}

const conflict = ({ thread, version }: WrittenCommit["commit"], actual: number): UndangleError =>
  new UndangleError("store/conflict", { threadId: thread, expected: version, actual, canRetry: false });
