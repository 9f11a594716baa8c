import { UndangleError } from "undangle";
import type { Store } from "undangle/agent";

/** What is known of a request that came with a key. */
export interface KeptAnswer {
  readonly key: string;
  /** Of the request: another one with the same key is a mistake. */
  readonly request: string;
  readonly at: number;
  /** Undefined while it is at work, and for good when its process has died or the answer was too long. */
  readonly answer?: Answer;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Answers by their keys, for a day. */
export interface AnswerMemory {
  /** Takes a key for a request; what is known already where somebody else has taken it. */
  claim(key: string, request: string): Promise<KeptAnswer | undefined>;
  keep(key: string, answer: Answer): Promise<void>;
  /** It was not done. */
  forget(key: string): Promise<void>;
}

const lifetime = 24 * 60 * 60 * 1000;
const slots = 65_536;
const mostInSlot = 16;

/** Keeps answers in a fixed number of places of a store, so that they cannot fill it. */
export function createAnswerMemory(store: Store, now: () => number = Date.now): AnswerMemory {
  const change = async (
    key: string,
    make: (list: readonly KeptAnswer[]) => readonly KeptAnswer[] | undefined,
  ): Promise<void> => {
    for (;;) {
      const { value, version } = (await store.read(placeOf(key))) ?? { value: [], version: 0 };
      const list = value as readonly KeptAnswer[]; // nobody else writes there
      const changed = make(list.filter(({ at }) => now() - at < lifetime));
      if (changed === undefined) return;
      try {
        await store.write(placeOf(key), changed, version);
        return;
      } catch (error) {
        if (!(error instanceof UndangleError && error.is("store/stale"))) throw error; // else somebody was faster
      }
    }
  };
  return {
    async claim(key, request) {
      let known: KeptAnswer | undefined;
      await change(key, (list) => {
        known = list.find((each) => each.key === key);
        return known === undefined ? [...list.slice(1 - mostInSlot), { key, request, at: now() }] : undefined;
      });
      return known;
    },
    keep: (key, answer) => change(key, (list) => list.map((each) => (each.key === key ? { ...each, answer } : each))),
    forget: (key) => change(key, (list) => list.filter((each) => each.key !== key)),
  };
}

const placeOf = (key: string): string => `undangle/server/answers/${Number.parseInt(key.slice(0, 8), 16) % slots}`;
