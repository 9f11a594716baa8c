import type { Commit, Head } from "../store.ts";

/** The columns of a thread besides its head. */
export interface StoredCounts {
  readonly key: number;
  readonly entries: number;
  readonly lastEvent: number;
  readonly createdAt: number;
}

/** A cache of the last written heads. */
export interface LastHeads {
  /** The cached counts if a commit follows the cached one and changes no indexed column. */
  readonly sameAs: (commit: Commit) => StoredCounts | undefined;
  readonly note: (commit: Commit, counts: StoredCounts) => void;
  /** True if this process runs the thread and no other. */
  readonly isOnlyOne: (thread: string) => boolean;
}

interface LastHead {
  readonly head: Omit<Head, "data" | "parent">;
  readonly version: number;
  readonly counts: StoredCounts;
}

const mostHeads = 1000;

export function createLastHeads(): LastHeads {
  const heads = new Map<string, LastHead>();
  const running = new Set<string>();
  let newest: string | undefined; // the most recent
  return {
    sameAs({ thread, version, head }) {
      const last = heads.get(thread);
      if (last?.version !== version) return undefined; // another process has written since
      const { owner, status, deadline, title } = last.head;
      const isSame =
        owner === head.owner && status === head.status && deadline === head.deadline && title === head.title;
      return isSame ? last.counts : undefined;
    },
    note({ thread, version, head: { epoch, owner, status, deadline, title } }, counts) {
      if (owner === undefined) running.delete(thread);
      else running.add(thread);
      if (thread !== newest) heads.delete(thread); // it becomes the most recent
      newest = thread;
      heads.set(thread, { head: { epoch, owner, status, deadline, title }, version: version + 1, counts });
      if (heads.size <= mostHeads) return;
      for (const oldest of heads.keys()) {
        heads.delete(oldest);
        running.delete(oldest);
        break;
      }
    },
    isOnlyOne: (thread) => running.size === 1 && running.has(thread),
  };
}
