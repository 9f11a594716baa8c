import { createHash } from "node:crypto";

import type { Store } from "undangle/agent";

import type { Identity } from "../access/identity.ts";
import { changeValue } from "../projects/store/change-value.ts";
import { ApiError, errorBody } from "./api-error.ts";

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

export interface StoredClaim extends Claim {
  readonly key: string;
  readonly at: number;
  /** Undefined while the request is handled, after a crash or a failure, and if the response was too long. */
  readonly response?: StoredResponse;
}

export interface StoredResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Responses by key, for one day. */
export interface StoredResponses {
  /** Claims a key for a request, or returns what is stored for a key that is already claimed. */
  readonly claim: (key: string, claim: Claim) => Promise<StoredClaim | undefined>;
  /** Replaces the claim of a request. False if the key no longer belongs to that request. */
  readonly replace: (key: string, from: Claim, claim: Claim) => Promise<boolean>;
  readonly keep: (key: string, response: StoredResponse) => Promise<void>;
  /** Replaces the response by an error, because its thread was purged. */
  readonly purge: (key: string) => Promise<void>;
  readonly forget: (key: string) => Promise<void>;
}

const lifetime = 24 * 60 * 60 * 1000;
const slots = 16_384;
const mostInSlot = 16;

/**
 * Stores responses in a fixed number of values of a store. Each API key has its own values, so that no other key can
 * evict them.
 */
export function createStoredResponses(
  store: Store,
  { project, by }: Pick<Identity, "project" | "by">,
  now: () => number = Date.now,
): StoredResponses {
  const placeOf = (key: string): string =>
    `undangle/server/responses/${project}/${by}/${Number.parseInt(key.slice(0, 8), 16) % slots}`;
  const change = (
    key: string,
    make: (list: readonly StoredClaim[]) => readonly StoredClaim[] | undefined,
  ): Promise<void> =>
    changeValue(store, placeOf(key), (value) => {
      const list = (value ?? []) as readonly StoredClaim[]; // only this function writes there
      return make(list.filter(({ at }) => now() - at < lifetime));
    });
  const changeOne = (key: string, make: (known: StoredClaim) => StoredClaim): Promise<void> =>
    change(key, (list) => list.map((each) => (each.key === key ? make(each) : each)));
  return {
    async claim(key, claim) {
      let known: StoredClaim | undefined;
      await change(key, (list) => {
        known = list.find((each) => each.key === key);
        return known === undefined ? [...list.slice(1 - mostInSlot), { key, at: now(), ...claim }] : undefined;
      });
      return known;
    },
    async replace(key, from, claim) {
      let isReplaced = false;
      await changeOne(key, (known) => {
        isReplaced = known.ids.at(-1) === from.ids.at(-1) && known.response === undefined;
        return isReplaced ? { key, at: now(), ...claim } : known;
      });
      return isReplaced;
    },
    async keep(key, response) {
      const { value } = (await store.read(placeOf(key))) ?? { value: [] };
      const thread = (value as readonly StoredClaim[]).find((each) => each.key === key)?.thread; // as in `change`
      if (thread !== undefined) await noteThread(store, { project, thread }, { thread, by, key, at: now() }); // first: a purge finds it
      await changeOne(key, (known) => (known.response === undefined ? { ...known, response } : known));
    },
    purge: (key) => changeOne(key, (known) => ({ ...known, response: purgedResponse(known.thread ?? "") })),
    forget: (key) => change(key, (list) => list.filter((each) => each.key !== key)),
  };
}

/** A thread of a project. */
interface ThreadPlace {
  readonly project: string;
  readonly thread: string;
}

/** A response that is stored for a thread. */
interface NotedResponse {
  readonly thread: string;
  readonly by: string;
  readonly key: string;
  readonly at: number;
}

const mostNoted = 256;

const notedPlace = ({ project, thread }: ThreadPlace): string => {
  const digest = createHash("sha256").update(thread).digest("hex");
  return `undangle/server/responded/${project}/${Number.parseInt(digest.slice(0, 8), 16) % slots}`;
};

/** Notes that a response is stored for a thread, in a fixed number of values. */
const noteThread = (store: Store, place: ThreadPlace, added: NotedResponse): Promise<void> =>
  changeValue(store, notedPlace(place), (value) => {
    const list = (value ?? []) as readonly NotedResponse[]; // only this file writes there
    const others = list.filter(({ at, key }) => added.at - at < lifetime && key !== added.key);
    return [...others.slice(1 - mostNoted), added];
  });

/** Removes the responses that are stored for a thread. */
export async function purgeResponses(store: Store, place: ThreadPlace): Promise<void> {
  let found: readonly NotedResponse[] = [];
  await changeValue(store, notedPlace(place), (value) => {
    const list = (value ?? []) as readonly NotedResponse[]; // as above
    found = list.filter(({ thread }) => thread === place.thread);
    return found.length === 0 ? undefined : list.filter((each) => !found.includes(each));
  });
  for (const { by, key } of found) await createStoredResponses(store, { project: place.project, by }).purge(key);
}

/** What a request gets whose response went with its thread: it is not served again, because it has had its effect. */
export function purgedResponse(thread: string): StoredResponse {
  const message = `The thread ${JSON.stringify(thread)} of the first request with this Idempotency-Key was removed permanently.`;
  const error = new ApiError(410, "thread/deleted", message, { param: "Idempotency-Key", thread });
  return {
    status: error.status,
    headers: { "content-type": "application/json; charset=utf-8" },
    body: JSON.stringify(errorBody(error)),
  };
}
