import { UndangleError } from "undangle";
import type { Store } from "undangle/agent";

/** A list that is one value of a store. Every process on the store sees a change within moments. */
export interface StoredList<T> {
  /** The list as it was at most this many milliseconds ago. */
  recent(within?: number): Promise<readonly T[]>;
  /** The list as it is. */
  read(): Promise<readonly T[]>;
  /** Changes it, with a retry if another writer was faster. `make` returns the same list to leave it unchanged. */
  change(make: (list: readonly T[]) => readonly T[]): Promise<void>;
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
  let known: { readonly list: readonly T[]; readonly version: number; readonly at: number } | undefined;

  const read = async (): Promise<NonNullable<typeof known>> => {
    const { value, version } = (await store.read(place)) ?? { value: [], version: 0 };
    known = { list: value as readonly T[], version, at: now() }; // only the owner of the place writes it
    return known;
  };
  return {
    async recent(within = freshFor) {
      const age = known === undefined ? Infinity : now() - known.at;
      return (known !== undefined && age >= 0 && age < within ? known : await read()).list;
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
