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
  /** The longest beginning of the list that is known to be healthy. */
  recall(list: readonly unknown[], key: string): Prefix<State> | undefined;
  /** Notes that the first `length` messages are healthy whatever follows them, in place of a shorter beginning that was known. */
  remember(list: readonly unknown[], length: number, key: string, known: Prefix<State>): void;
}

/** `step`: by how many messages a beginning must have grown to be noted anew; what is not noted is looked at again. */
export function createPrefixMemory<State>({ step }: { readonly step: number }): PrefixMemory<State> {
  const byLast = new WeakMap<object, Known<State>>();
  return {
    recall(list, key) {
      for (let end = list.length; end > 0 && end > list.length - reach; end--) {
        const last = list[end - 1];
        const known = typeof last === "object" && last !== null ? byLast.get(last) : undefined;
        if (known === undefined || known.key !== key || !isBeginning(known.messages, list, end)) continue;
        return { length: end, state: known.state };
      }
      return undefined;
    },
    remember(list, length, key, { length: shorter, state }) {
      const last = list[length - 1];
      if (length < shortest || length - shorter < step || typeof last !== "object" || last === null) return;
      const replaced = list[shorter - 1];
      if (typeof replaced === "object" && replaced !== null) byLast.delete(replaced);
      byLast.set(last, { key, messages: list.slice(0, length), state });
    },
  };
}

function isBeginning(messages: readonly unknown[], list: readonly unknown[], end: number): boolean {
  if (messages.length !== end) return false;
  for (let i = 0; i < end; i++) if (messages[i] !== list[i]) return false;
  return true;
}
