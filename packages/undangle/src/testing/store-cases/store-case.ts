import { deepEqual, rejects } from "node:assert/strict";

import { UndangleError } from "#core";
import type { ErrorCode } from "#core";
import type { Commit, Head, Store } from "#store";

/** The requirements for an empty store, by name. */
export type StoreCases = Readonly<Record<string, (store: Store) => Promise<void>>>;

export const head: Head = {
  epoch: 1,
  owner: undefined,
  status: "idle",
  deadline: undefined,
  title: undefined,
  parent: undefined,
  data: { note: "of the whole thread" },
};

/** A minimal commit with the given fields. */
export function makeCommit(given: Partial<Omit<Commit, "head">> & { readonly head?: Partial<Head> } = {}): Commit {
  return {
    thread: "t1",
    version: 0,
    at: 1000,
    entries: [],
    calls: [],
    events: [],
    ...given,
    head: { ...head, ...given.head },
  };
}

/** Entries with these texts. */
export const saying = (...texts: readonly string[]): Commit["entries"] =>
  texts.map((text) => ({ value: { text }, text }));

/** Expects a rejection with this error code and these facts. */
export async function isRefused(promise: Promise<unknown>, code: ErrorCode, facts: object = {}): Promise<void> {
  await rejects(promise, (error: unknown) => {
    if (!(error instanceof UndangleError))
      throw new Error(`expected an UndangleError, got ${String(error)}`, { cause: error });
    const { data } = error;
    const known = Object.fromEntries(Object.entries(data).filter(([name]) => name in facts));
    deepEqual({ code: error.code, ...known }, { code, ...facts });
    return true;
  });
}

/** Everything that a store returns for a thread. */
export async function everything(store: Store, id: string): Promise<unknown> {
  return [await store.load(id), await store.entries(id), await store.calls(id), await store.events(id)];
}

/** The ids of threads, in the order of the list. */
export const ids = (threads: readonly { readonly id: string }[]): readonly string[] => threads.map(({ id }) => id);
