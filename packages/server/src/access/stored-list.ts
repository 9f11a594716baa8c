import { setTimeout as pause } from "node:timers/promises";

import { UndangleError } from "undangle";
import type { Store } from "undangle/agent";

/** A list that is one value of a store. Every process on the store sees a change within moments. */
export interface StoredList<T> {
  /** The list as it was a moment ago. */
  recent(): Promise<readonly T[]>;
  /** The list as it was after this call, for an item that may be new. All callers of a moment wait for one read. */
  later(): Promise<readonly T[]>;
  /** The list as it is. */
  read(): Promise<readonly T[]>;
  /** Changes it, with a retry if another writer was faster. `make` returns the same list to leave it unchanged. */
  change(make: (list: readonly T[]) => readonly T[]): Promise<void>;
}

/** When a read started. Of two reads, that with the higher number started later. */
interface Started {
  readonly number: number;
  readonly at: number;
}

export interface StoredListOptions {
  readonly now?: (() => number) | undefined;
  /** How long a cached list is used, in milliseconds. */
  readonly freshFor?: number | undefined;
}

/** How long a change by another process may stay unseen, in milliseconds. */
export const defaultFreshness = 2000;

export function createStoredList<T>(
  store: Store,
  place: string,
  { now = Date.now, freshFor = defaultFreshness }: StoredListOptions = {},
): StoredList<T> {
  let known: { readonly list: readonly T[]; readonly version: number; readonly read: Started } | undefined;
  let last: Started = { number: 0, at: -Infinity };
  let current: Promise<NonNullable<typeof known>> | undefined; // shared by callers that need no later one
  let next: Promise<NonNullable<typeof known>> | undefined; // has not started yet

  /** The list as it was when the read started, or later. */
  const read = async (): Promise<NonNullable<typeof known>> => {
    const own = (last = { number: last.number + 1, at: now() });
    const { value, version } = (await store.read(place)) ?? { value: [], version: 0 };
    if (known === undefined || known.read.number < own.number)
      known = { list: value as readonly T[], version, read: own }; // only the owner of the place writes it
    return known;
  };
  const ageOf = ({ at }: Started): number => (now() < at ? Infinity : now() - at); // the clock may be set back
  const readSoon = async (): Promise<NonNullable<typeof known>> => {
    await pause(Math.max(0, freshFor / 10 - ageOf(last)));
    next = undefined;
    return read();
  };
  return {
    async recent() {
      if (known !== undefined && ageOf(known.read) < freshFor) return known.list;
      current ??= read().finally(() => {
        current = undefined;
      });
      return (await current).list;
    },
    async later() {
      next ??= readSoon();
      return (await next).list;
    },
    read: async () => (await read()).list,
    async change(make) {
      for (;;) {
        const { list, version } = await read();
        const changed = make(list);
        if (changed === list) return;
        try {
          await store.write(place, changed, version);
          await read();
          return;
        } catch (error) {
          if (!(error instanceof UndangleError && error.is("store/stale"))) throw error; // another writer was faster
        }
      }
    },
  };
}
