/** An item that can be dropped while it is idle, and created again when it is needed. */
export interface Cacheable {
  /** Nothing happens in it. */
  readonly isAtRest: () => boolean;
  /** Nothing happens in it, and it has no listeners. */
  readonly isIdle: () => boolean;
  /** Its approximate size in bytes. */
  readonly weight: () => number;
  /** Drops its contents. */
  readonly forget: () => void;
}

/** The items of one agent: all active ones, and the idle ones that were used last. */
export interface Cache<Item extends Cacheable> {
  /** The item with this id. Created if there is none. */
  readonly get: (id: string) => Item;
  readonly find: (id: string) => Item | undefined;
  readonly all: () => readonly Item[];
}

/** The bytes that idle items of all agents of the process may hold together. */
const mostIdleBytes = 64_000_000;

/** The size of an empty item. */
const emptySize = 10_000;

/** Milliseconds between two searches for items that became idle. A thousand may be active. */
const idleCheckInterval = 100;

interface CacheEntry<Item> {
  readonly item: Item;
  readonly content: CacheContent<Item>;
  readonly id: string;
  /** Of idle items: the size when it was found idle, and a running number. */
  weight: number;
  number: number;
}

interface CacheContent<Item> {
  readonly entries: Map<string, CacheEntry<Item>>;
  /** Idle items, the longest idle first. */
  readonly idle: Map<string, CacheEntry<Item>>;
  /** Their size. A separate object, so that it outlives an agent that is garbage collected. */
  readonly total: { weight: number };
}

/** Caches that share a limit. */
export interface CachePool {
  readonly createCache: <Item extends Cacheable>(make: (id: string) => Item) => Cache<Item>;
  readonly idleBytes: () => number;
}

/** Limits the bytes of idle items. It does not keep unused agents alive. */
export function createCachePool(most: number, interval = idleCheckInterval): CachePool {
  const contents = new Set<WeakRef<CacheContent<Cacheable>>>();
  const active = new Set<CacheEntry<Cacheable>>(); // items that were not found idle since
  let weight = 0;
  let number = 0;
  let checkedAt = -Infinity;
  const collected = new FinalizationRegistry<{
    readonly total: { weight: number };
    readonly ref: WeakRef<CacheContent<Cacheable>>;
  }>(({ total, ref }) => {
    weight -= total.weight;
    contents.delete(ref);
  });

  const resize = (entry: CacheEntry<Cacheable>, next: number): void => {
    entry.content.total.weight += next - entry.weight;
    weight += next - entry.weight;
    entry.weight = next;
  };
  const findIdle = (): void => {
    if (performance.now() - checkedAt < interval) return;
    checkedAt = performance.now();
    for (const entry of active) {
      if (!entry.item.isAtRest()) continue;
      active.delete(entry);
      entry.number = number++;
      entry.content.idle.set(entry.id, entry);
      resize(entry, emptySize + entry.item.weight());
    }
  };
  const oldest = (): CacheEntry<Cacheable> | undefined => {
    let found: CacheEntry<Cacheable> | undefined;
    for (const ref of contents) {
      const [first] = ref.deref()?.idle.values() ?? [];
      if (first !== undefined && first.number < (found?.number ?? Infinity)) found = first;
    }
    return found;
  };
  const isFull = (): boolean => weight > most;
  const evict = (): void => {
    while (isFull()) {
      const entry = oldest();
      if (entry === undefined) return; // items of a collected agent count until the registry reports it
      const { item, content, id } = entry;
      content.idle.delete(id);
      resize(entry, 0);
      if (!item.isAtRest()) {
        active.add(entry); // it became active again
        continue;
      }
      item.forget();
      if (item.isIdle()) content.entries.delete(id);
    }
  };

  return {
    idleBytes: () => weight,
    createCache<Item extends Cacheable>(make: (id: string) => Item): Cache<Item> {
      const total = { weight: 0 };
      const content: CacheContent<Item> = { entries: new Map(), idle: new Map(), total: total };
      const ref = new WeakRef(content);
      contents.add(ref);
      collected.register(content, { total, ref });
      const { entries, idle } = content;
      return {
        get(id) {
          const known = entries.get(id);
          const entry = known ?? { item: make(id), content, id, weight: 0, number: 0 };
          if (known === undefined) entries.set(id, entry);
          idle.delete(id);
          resize(entry, 0);
          active.delete(entry);
          findIdle();
          active.add(entry);
          evict();
          return entry.item;
        },
        find: (id) => entries.get(id)?.item,
        all: () => [...entries.values()].map(({ item }) => item),
      };
    },
  };
}

/** The pool of the process. */
export const cachePool = createCachePool(mostIdleBytes);
