import type { Store } from "undangle/agent";

type StoredEvent = Awaited<ReturnType<Store["events"]>>[number];

const atOnce = 500;

/** The events of a thread after an event, page by page. */
export async function* storedEvents(store: Store, key: string, after: number): AsyncGenerator<StoredEvent> {
  for (let seen = after; ;) {
    const page = await store.events(key, { after: seen, limit: atOnce });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < atOnce) return;
    seen = last.seq;
  }
}
