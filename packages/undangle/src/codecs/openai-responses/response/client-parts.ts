/** A part of a message or of reasoning, as the client received it. */
export interface ClientPart {
  readonly type: string;
  text: string;
  isDone: boolean;
}

/** The parts of an item by key, such as `content:0`: a list and an index. */
export interface ClientParts extends Iterable<readonly [key: string, part: ClientPart]> {
  readonly get: (key: string) => ClientPart | undefined;
  /** The number of parts in a list. */
  readonly count: (list: string) => number;
  /** The part for modification, without a change to the original. */
  readonly changed: (key: string) => ClientPart | undefined;
  readonly set: (key: string, part: ClientPart) => void;
  /** The original with the changes of this copy. */
  readonly commit: () => ClientParts;
}

/**
 * Creates the parts of an item. A copy stores only its changes, and the original must not change while the copy is in
 * use.
 */
export function createClientParts(original?: ClientParts): ClientParts {
  const own = new Map<string, ClientPart>();
  const added = new Map<string, number>(); // the number of parts that the original does not have, by list

  const get = (key: string): ClientPart | undefined => own.get(key) ?? original?.get(key);
  const set = (key: string, part: ClientPart): void => {
    const list = listOf(key);
    if (get(key) === undefined) added.set(list, (added.get(list) ?? 0) + 1);
    own.set(key, part);
  };
  const parts: ClientParts = {
    get,
    set,
    count: (list) => (original?.count(list) ?? 0) + (added.get(list) ?? 0),
    changed(key) {
      const part = get(key);
      if (part !== undefined && !own.has(key)) own.set(key, { ...part });
      return own.get(key);
    },
    commit() {
      if (original === undefined) return parts;
      for (const [key, part] of own) original.set(key, part);
      return original;
    },
    *[Symbol.iterator]() {
      for (const [key, part] of original ?? []) yield [key, own.get(key) ?? part];
      for (const entry of own) if (original?.get(entry[0]) === undefined) yield entry;
    },
  };
  return parts;
}

const listOf = (key: string): string => key.split(":")[0] ?? "";
