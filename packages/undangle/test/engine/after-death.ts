import type { Store, StoredThread } from "#store";

/**
 * A store as a process finds it when all others have died: whoever runs a thread there has never been heard of. Those who do
 * so in this process go on, and know nothing of it.
 */
export function afterDeath(store: Store): Store {
  const own = new Set<string>();
  const seen = <T extends StoredThread | undefined>(head: T): T =>
    head?.owner === undefined || own.has(head.owner) ? head : { ...head, owner: `the late ${head.owner}` };
  return {
    ...store,
    load: async (id) => seen(await store.load(id)),
    list: async (query) => (await store.list(query)).map(seen),
    async beat(owner, at) {
      own.add(owner);
      await store.beat(owner, at);
    },
  };
}
