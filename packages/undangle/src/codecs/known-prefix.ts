/**
 * Remembers how far a history was found healthy, by the references of its messages, so that a history which only grew is
 * looked at from there on. A message that is changed in place after it was looked at is its owner's affair.
 */
interface Known<State> {
  /** What the answer depends on besides the messages. */
  readonly key: string;
  readonly messages: readonly unknown[];
  readonly state: State;
}

/** What was found out about the beginning of a history. */
export interface Prefix<State> {
  /** How many messages it has. */
  readonly length: number;
  readonly state: State;
}

/** How many messages at the end are tried as the end of a known beginning: more than any turn adds. */
const reach = 64;

/** Shorter histories are looked at faster than they are remembered. */
const shortest = 64;

export interface PrefixMemory<State> {
  /** The longest beginning of the list that is known to be healthy. One that grew is forgotten: the longer one takes its place. */
  recall(list: readonly unknown[], key: string): Prefix<State> | undefined;
  /** Notes that the first `length` messages are healthy whatever follows them. */
  remember(list: readonly unknown[], length: number, key: string, state: State): void;
}

export function createPrefixMemory<State>(): PrefixMemory<State> {
  const byLast = new WeakMap<object, Known<State>>();
  return {
    recall(list, key) {
      for (let end = list.length; end > 0 && end > list.length - reach; end--) {
        const last = list[end - 1];
        const known = typeof last === "object" && last !== null ? byLast.get(last) : undefined;
        if (known === undefined || known.key !== key || !isBeginning(known.messages, list, end)) continue;
        if (end < list.length) byLast.delete(last as object); // found by it: an object
        return { length: end, state: known.state };
      }
      return undefined;
    },
    remember(list, length, key, state) {
      const last = list[length - 1];
      if (length < shortest || typeof last !== "object" || last === null) return;
      const known = byLast.get(last);
      if (known?.messages.length === length && known.key === key) return;
      byLast.set(last, { key, messages: list.slice(0, length), state });
    },
  };
}

function isBeginning(messages: readonly unknown[], list: readonly unknown[], end: number): boolean {
  if (messages.length !== end) return false;
  for (let i = 0; i < end; i++) if (messages[i] !== list[i]) return false;
  return true;
}
