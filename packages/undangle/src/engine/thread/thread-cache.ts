/** What can be kept while nobody needs it, or made anew when somebody does. */
export interface Kept {
  /** True while nothing goes on in it. */
  readonly isAtRest: () => boolean;
  /** The same, and nobody listens to it either. */
  readonly isIdle: () => boolean;
  /** About how many bytes it holds. */
  readonly weight: () => number;
  /** Lets go of what it holds. */
  readonly forget: () => void;
}

/** Those of one agent: all that are at work, and of those at rest the ones that were used last. */
export interface Shelf<Item extends Kept> {
  /** The one of this id, made if there is none. */
  readonly take: (id: string) => Item;
  readonly find: (id: string) => Item | undefined;
  readonly all: () => readonly Item[];
}

/** So many bytes may be held at rest, by all agents of the process together. */
const mostAtRest = 64_000_000;

/** What one weighs that holds nothing. */
const leastWeight = 10_000;

/** How often it is looked which of those that were taken are at rest by now, in milliseconds: a thousand may be at work. */
const lookInterval = 100;

/** One of a shelf. */
interface Place<Item> {
  readonly item: Item;
  readonly cupboard: Cupboard<Item>;
  readonly id: string;
  /** Of those at rest: what it weighed when it was seen to be, and how many had been seen before. */
  weight: number;
  seen: number;
}

/** A shelf from within. */
interface Cupboard<Item> {
  readonly places: Map<string, Place<Item>>;
  /** Those at rest, the one that was first seen so in front. */
  readonly resting: Map<string, Place<Item>>;
  /** What those weigh together: apart from it, so that it is known when an agent is gone. */
  readonly scales: { weight: number };
}

/** All shelves that share a limit. */
export interface Room {
  readonly createShelf: <Item extends Kept>(make: (id: string) => Item) => Shelf<Item>;
  readonly weightAtRest: () => number;
}

/** Holds so many bytes at most of what is at rest. Agents that nobody uses any more are not kept by it. */
export function createRoom(most: number, interval = lookInterval): Room {
  const cupboards = new Set<WeakRef<Cupboard<Kept>>>();
  const taken = new Set<Place<Kept>>(); // and not seen at rest since
  let weight = 0;
  let seen = 0;
  let lookedAt = -Infinity;
  const gone = new FinalizationRegistry<{ readonly scales: { weight: number }; readonly ref: WeakRef<Cupboard<Kept>> }>(
    ({ scales, ref }) => {
      weight -= scales.weight;
      cupboards.delete(ref);
    },
  );

  const weigh = (place: Place<Kept>, next: number): void => {
    place.cupboard.scales.weight += next - place.weight;
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
      place.cupboard.resting.set(place.id, place);
      weigh(place, leastWeight + place.item.weight());
    }
  };
  const oldest = (): Place<Kept> | undefined => {
    let found: Place<Kept> | undefined;
    for (const ref of cupboards) {
      const [first] = ref.deref()?.resting.values() ?? [];
      if (first !== undefined && first.seen < (found?.seen ?? Infinity)) found = first;
    }
    return found;
  };
  const isFull = (): boolean => weight > most;
  const makeRoom = (): void => {
    while (isFull()) {
      const place = oldest();
      if (place === undefined) return; // those of an agent that is gone weigh on until that is noticed
      const { item, cupboard, id } = place;
      cupboard.resting.delete(id);
      weigh(place, 0);
      if (!item.isAtRest()) {
        taken.add(place); // it was taken up again by itself
        continue;
      }
      item.forget();
      if (item.isIdle()) cupboard.places.delete(id);
    }
  };

  return {
    weightAtRest: () => weight,
    createShelf<Item extends Kept>(make: (id: string) => Item): Shelf<Item> {
      const scales = { weight: 0 };
      const cupboard: Cupboard<Item> = { places: new Map(), resting: new Map(), scales };
      const ref = new WeakRef(cupboard);
      cupboards.add(ref);
      gone.register(cupboard, { scales, ref });
      const { places, resting } = cupboard;
      return {
        take(id) {
          const known = places.get(id);
          const place = known ?? { item: make(id), cupboard, id, weight: 0, seen: 0 };
          if (known === undefined) places.set(id, place);
          resting.delete(id);
          weigh(place, 0);
          taken.delete(place);
          look();
          taken.add(place);
          makeRoom();
          return place.item;
        },
        find: (id) => places.get(id)?.item,
        all: () => [...places.values()].map(({ item }) => item),
      };
    },
  };
}

/** That of the process. */
export const room = createRoom(mostAtRest);
