import type { Logger, Store } from "undangle/agent";

import { changeValue } from "./change-value.ts";

/** The threads of chats by the fingerprints of their requests, for one day. */
export interface Conversations {
  /** Records a thread. It is found at once and saved soon after. */
  readonly add: (project: string, prints: ReadonlySet<string>, thread: string) => void;
  /** The threads of a fingerprint, the latest first. */
  readonly find: (project: string, print: string) => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
}

interface Noted {
  readonly print: string;
  readonly thread: string;
  readonly at: number;
}

const lifetime = 24 * 60 * 60 * 1000;

/** Fingerprints with the same first four digits share a value of limited size, so they cannot fill the store. */
const mostTogether = 64;

export function createConversations(store: Store, logger: Logger, now: () => number = Date.now): Conversations {
  const waiting = new Map<string, Noted[]>(); // batches the writes of many requests, by value
  const writing = new Map<string, Promise<void>>();

  const recent = (value: unknown): readonly Noted[] =>
    ((value ?? []) as readonly Noted[]).filter(({ at }) => now() - at < lifetime); // only this module writes the value
  const write = async (place: string): Promise<void> => {
    for (let added = waiting.get(place); added !== undefined; added = waiting.get(place)) {
      const all = [...added];
      try {
        await changeValue(store, place, (value) => withAdded(recent(value), all).slice(-mostTogether));
      } catch (error) {
        logger.warn(
          { err: error },
          "The thread of a conversation could not be saved; its next message starts a new thread",
        );
      }
      const left = waiting.get(place)?.filter((each) => !all.includes(each)) ?? [];
      if (left.length === 0) waiting.delete(place);
      else waiting.set(place, left);
    }
    writing.delete(place);
  };

  return {
    add(project, prints, thread) {
      for (const print of prints) {
        const place = placeOf(project, print);
        waiting.set(place, [...(waiting.get(place) ?? []), { print, thread, at: now() }].slice(-mostTogether));
        if (!writing.has(place)) writing.set(place, write(place));
      }
    },
    async find(project, print) {
      const place = placeOf(project, print);
      const added = waiting.get(place) ?? [];
      const { value } = (await store.read(place)) ?? { value: undefined };
      const all = withAdded(recent(value), added).filter((each) => each.print === print);
      return all.map(({ thread }) => thread).toReversed();
    },
    async close() {
      await Promise.all(writing.values());
    },
  };
}

/** Each thread once per fingerprint, the latest last. */
function withAdded(noted: readonly Noted[], added: readonly Noted[]): readonly Noted[] {
  const isAgain = ({ print, thread }: Noted): boolean =>
    added.some((each) => each.print === print && each.thread === thread);
  return [...noted.filter((each) => !isAgain(each)), ...added];
}

const placeOf = (project: string, print: string): string =>
  `undangle/server/conversations/${project}/${print.slice(0, 4)}`;
