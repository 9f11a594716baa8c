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
const lookInterval = 100;

interface CacheEntry<Item> {
  readonly item: Item;
  readonly content: CacheContent<Item>;
  readonly id: string;
  /** Of idle items: the size when it was found idle, and a running number. */
  weight: number;
  seen: number;
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
export function createCachePool(most: number, interval = lookInterval): CachePool {
  const contents = new Set<WeakRef<CacheContent<Cacheable>>>();
  const taken = new Set<CacheEntry<Cacheable>>(); // items that were not found idle since
  let weight = 0;
  let seen = 0;
  let lookedAt = -Infinity;
  const gone = new FinalizationRegistry<{
    readonly scales: { weight: number };
    readonly ref: WeakRef<CacheContent<Cacheable>>;
  }>(({ scales, ref }) => {
    weight -= scales.weight;
    contents.delete(ref);
  });

  const resize = (place: CacheEntry<Cacheable>, next: number): void => {
    place.content.total.weight += next - place.weight;
    weight += next - place.weight;
    place.weight = next;
  };
  const look = (): void => {
    if (performance.now() - lookedAt < interval) return;
    lookedAt = performance.now();
    for (const place of taken) {
      if (!place.item.isAtRest()) continue;
      taken.delete(place);
      place.seen = seen++;
      place.content.idle.set(place.id, place);
      resize(place, emptySize + place.item.weight());
    }
  };
  const oldest = (): CacheEntry<Cacheable> | undefined => {
    let found: CacheEntry<Cacheable> | undefined;
    for (const ref of contents) {
      const [first] = ref.deref()?.idle.values() ?? [];
      if (first !== undefined && first.seen < (found?.seen ?? Infinity)) found = first;
    }
    return found;
  };
  const isFull = (): boolean => weight > most;
  const evict = (): void => {
    while (isFull()) {
      const place = oldest();
      if (place === undefined) return; // items of a collected agent count until the registry reports it
      const { item, content, id } = place;
      content.idle.delete(id);
      resize(place, 0);
      if (!item.isAtRest()) {
        taken.add(place); // it became active again
        continue;
      }
      item.forget();
      if (item.isIdle()) content.entries.delete(id);
    }
  };

  return {
    idleBytes: () => weight,
    createCache<Item extends Cacheable>(make: (id: string) => Item): Cache<Item> {
      const scales = { weight: 0 };
      const content: CacheContent<Item> = { entries: new Map(), idle: new Map(), total: scales };
      const ref = new WeakRef(content);
      contents.add(ref);
      gone.register(content, { scales, ref });
      const { entries: places, idle: resting } = content;
      return {
        get(id) {
          const known = places.get(id);
          const place = known ?? { item: make(id), content, id, weight: 0, seen: 0 };
          if (known === undefined) places.set(id, place);
          resting.delete(id);
          resize(place, 0);
          taken.delete(place);
          look();
          taken.add(place);
          evict();
          return place.item;
        },
        find: (id) => places.get(id)?.item,
        all: () => [...places.values()].map(({ item }) => item),
      };
    },
  };
}

/** The pool of the process. */
export const cachePool = createCachePool(mostIdleBytes);
