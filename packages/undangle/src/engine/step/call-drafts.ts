import { copyJson } from "#core";
import type { FileChange } from "#store";

import type { ThreadJournal } from "../journal/thread-journal.ts";
import { changeState, storedValue } from "../thread/stored-state.ts";
import type { ThreadState } from "../thread/stored-state.ts";
import { copiedFiles, withUnsaved } from "../thread-files.ts";
import type { ThreadFiles, UnsavedFiles } from "../thread-files.ts";

/**
 * What running calls have written to the state and to files. It is saved with the result of its call, or dropped with a
 * call whose outcome is unknown. A commit for a sibling does not contain it.
 */
export interface CallDrafts {
  /** Begins an attempt of a call, without what an earlier attempt wrote. */
  readonly begin: (callId: string) => void;
  /** The state as the call sees it, with its own changes. */
  readonly stateOf: (callId: string) => ThreadState;
  readonly filesOf: (callId: string) => ThreadFiles;
  /** A call has ended. From now on, its siblings see what it wrote, unless that is dropped. */
  readonly end: (callId: string, how: { readonly isKept: boolean }) => void;
  /** Puts what ended calls wrote into the next commit. */
  readonly apply: () => void;
}

interface Draft {
  readonly state: { readonly key: string; readonly change: (value: unknown) => unknown }[];
  readonly files: Map<string, Uint8Array | null>;
}

interface DraftOptions {
  readonly journal: ThreadJournal;
  readonly now: () => number;
}

export function createCallDrafts({ journal, now }: DraftOptions): CallDrafts {
  const drafts = new Map<string, Draft>(); // of running calls
  let ended: readonly Draft[] = []; // in the order in which their calls ended
  const writers = createWriterQueue();
  const attempts = new Map<string, object>(); // of running calls
  /** False as soon as the current attempt has ended. A tool that ignores its signal may go on for a long time. */
  const createLiveness = (callId: string): (() => boolean) => {
    const attempt = attempts.get(callId);
    return () => attempts.get(callId) === attempt && journal.callOf(callId)?.state === "running";
  };
  const draftOf = (callId: string): Draft => {
    const known = drafts.get(callId);
    if (known !== undefined) return known;
    const draft = { state: [], files: new Map() };
    drafts.set(callId, draft);
    return draft;
  };
  const drop = (callId: string): void => {
    drafts.delete(callId);
    writers.leave(callId);
  };
  /** What a call sees: what ended calls wrote, then what it wrote itself. */
  const seenBy = (callId: string): readonly Draft[] => [...ended, drafts.get(callId) ?? emptyDraft];
  return {
    begin(callId) {
      drop(callId);
      attempts.set(callId, {});
    },
    stateOf(callId) {
      const isLive = createLiveness(callId);
      const get = (key: string): unknown =>
        seenBy(callId)
          .flatMap(({ state }) => state)
          .filter((each) => each.key === key)
          .reduce((value, { change }) => change(copyJson(value)), storedValue(journal, key));
      const change: ThreadState["change"] = (key, makeValue) => {
        if (!isLive()) return;
        changeState(key, get(key), makeValue); // throws now for a value that cannot be stored
        draftOf(callId).state.push({ key, change: makeValue });
      };
      return {
        get: (key) => copyJson(get(key)),
        set(key, value) {
          const stored = changeState(key, undefined, () => value); // a copy, which the tool cannot change
          change(key, () => stored);
        },
        change,
      };
    },
    filesOf(callId) {
      const unsaved = (): UnsavedFiles => new Map(seenBy(callId).flatMap(({ files }) => [...files]));
      const layer = withUnsaved(journal.files, unsaved, now);
      const isLive = createLiveness(callId);
      // A call that has ended would never leave the queue. What it writes has no effect.
      const enter = async (): Promise<void> => (isLive() ? writers.enter(callId) : undefined);
      const write = (changes: readonly FileChange[]): void => {
        if (!isLive()) return;
        for (const { path, data } of copiedFiles(changes)) draftOf(callId).files.set(path, data);
      };
      let last: Promise<unknown> = Promise.resolve(); // the call may do several things at once
      const files: ThreadFiles = {
        list: (prefix = "", limit = Infinity) => layer.list(prefix, limit),
        read: (path) => layer.read(path),
        async write(changes) {
          await enter();
          write(changes);
        },
        transact(work) {
          const done = last.then(enter).then(() => work(files));
          last = done.catch(() => undefined); // its caller handles the error
          return done;
        },
      };
      return files;
    },
    end(callId, { isKept }) {
      const draft = drafts.get(callId);
      if (isKept && draft !== undefined) ended = [...ended, draft];
      drop(callId);
      attempts.delete(callId);
    },
    apply() {
      for (const { state, files } of ended) {
        for (const { key, change } of state)
          journal.apply({ type: "remember", key, value: changeState(key, storedValue(journal, key), change) });
        if (files.size > 0)
          journal.apply({ type: "write-files", changes: [...files].map(([path, data]) => ({ path, data })) });
      }
      ended = [];
    },
  };
}

const emptyDraft: Draft = { state: [], files: new Map() };

/** Lets one call at a time write files, in the order in which they ask, each until it has ended. */
interface WriterQueue {
  readonly enter: (callId: string) => Promise<void>;
  readonly leave: (callId: string) => void;
}

function createWriterQueue(): WriterQueue {
  const queue: { readonly callId: string; readonly left: PromiseWithResolvers<void> }[] = [];
  return {
    async enter(callId) {
      if (!queue.some((each) => each.callId === callId)) queue.push({ callId, left: Promise.withResolvers() });
      for (let first = queue.at(0); first !== undefined && first.callId !== callId; first = queue.at(0))
        await first.left.promise; // never, if the run ends first: then the call is settled as stopped
    },
    leave(callId) {
      const at = queue.findIndex((each) => each.callId === callId);
      queue.splice(at, at === -1 ? 0 : 1).forEach(({ left }) => left.resolve());
    },
  };
}
