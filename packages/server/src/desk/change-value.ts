import { UndangleError } from "undangle";
import type { Store } from "undangle/agent";

/** Changes a value that is kept in a store, also where others change it at the same time. `make` gives undefined to leave it. */
export async function changeValue(store: Store, key: string, make: (value: unknown) => unknown): Promise<void> {
  for (;;) {
    const { value, version } = (await store.read(key)) ?? { value: undefined, version: 0 };
    const changed = make(value);
    if (changed === undefined) return;
    try {
      await store.write(key, changed, version);
      return;
    } catch (error) {
      if (!(error instanceof UndangleError && error.is("store/stale"))) throw error; // else somebody was faster
    }
  }
}
