import type { Store } from "undangle/agent";

import type { Identity } from "../access/identity.ts";
import { changeValue } from "../desk/change-value.ts";

/** A request that claims an Idempotency-Key. */
export interface Claim {
  /** The digest of the request: a different request with the same key is refused. */
  readonly request: string;
  /**
   * The ids of the requests with this key that may have started a run, the latest last. The first event of a run has
   * the id of its request, so the events show which request started it.
   */
  readonly ids: readonly string[];
  /** The thread that the request continues or creates; undefined for a route without threads. */
  readonly thread: string | undefined;
  /** The id for a thread that it creates. */
  readonly newThread: string;
  /** The name of the server process that handles it. */
  readonly server: string;
}

export interface KeptAnswer extends Claim {
  readonly key: string;
  readonly at: number;
  /** Undefined while the request is handled, after a crash or a failure, and if the response was too long. */
  readonly answer?: Answer;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Responses by key, for one day. */
export interface AnswerMemory {
  /** Claims a key for a request, or returns what is stored for a key that is already claimed. */
  readonly claim: (key: string, claim: Claim) => Promise<KeptAnswer | undefined>;
  /** Replaces the claim of a request. False if the key no longer belongs to that request. */
  readonly replace: (key: string, from: Claim, claim: Claim) => Promise<boolean>;
  readonly keep: (key: string, answer: Answer) => Promise<void>;
  readonly forget: (key: string) => Promise<void>;
}

const lifetime = 24 * 60 * 60 * 1000;
const slots = 16_384;
const mostInSlot = 16;

/**
 * Stores responses in a fixed number of values of a store. Each API key has its own values, so that no other key can
 * evict them.
 */
export function createAnswerMemory(
  store: Store,
  { project, by }: Pick<Identity, "project" | "by">,
  now: () => number = Date.now,
): AnswerMemory {
  const placeOf = (key: string): string =>
    `undangle/server/answers/${project}/${by}/${Number.parseInt(key.slice(0, 8), 16) % slots}`;
  const change = (
    key: string,
    make: (list: readonly KeptAnswer[]) => readonly KeptAnswer[] | undefined,
  ): Promise<void> =>
    changeValue(store, placeOf(key), (value) => {
      const list = (value ?? []) as readonly KeptAnswer[]; // only this function writes there
      return make(list.filter(({ at }) => now() - at < lifetime));
    });
  const changeOne = (key: string, make: (known: KeptAnswer) => KeptAnswer): Promise<void> =>
    change(key, (list) => list.map((each) => (each.key === key ? make(each) : each)));
  return {
    async claim(key, claim) {
      let known: KeptAnswer | undefined;
      await change(key, (list) => {
        known = list.find((each) => each.key === key);
        return known === undefined ? [...list.slice(1 - mostInSlot), { key, at: now(), ...claim }] : undefined;
      });
      return known;
    },
    async replace(key, from, claim) {
      let isReplaced = false;
      await changeOne(key, (known) => {
        isReplaced = known.ids.at(-1) === from.ids.at(-1) && known.answer === undefined;
        return isReplaced ? { key, at: now(), ...claim } : known;
      });
      return isReplaced;
    },
    keep: (key, answer) => changeOne(key, (known) => ({ ...known, answer })),
    forget: (key) => change(key, (list) => list.filter((each) => each.key !== key)),
  };
}
