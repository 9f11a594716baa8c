import { UndangleError } from "undangle";
import type { Store } from "undangle/agent";

/**
 * Changes a value of a store, with a retry if another writer was faster. `make` returns undefined to leave the value
 * unchanged.
 */
export async function changeValue(store: Store, key: string, make: (value: unknown) => unknown): Promise<void> {
  for (;;) {
    const { value, version } = (await store.read(key)) ?? { value: undefined, version: 0 };
    const changed = make(value);
    if (changed === undefined) return;
    try {
      await store.write(key, changed, version);
      return;
    } catch (error) {
      if (!(error instanceof UndangleError && error.is("store/stale"))) throw error; // another writer was faster
    }
  }
}
