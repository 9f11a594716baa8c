import { randomBytes } from "node:crypto";

import { UndangleError } from "undangle";
import type { Store } from "undangle/agent";

import { hashOf, isSameHash } from "./secret-text.ts";
import { createStoredList, defaultFreshness } from "./stored-list.ts";

export const scopes = ["chat", "threads", "approve", "admin"] as const;

export type Scope = (typeof scopes)[number];

/** A key as it is stored. The text of the key cannot be derived from it. */
export interface StoredKey {
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the whole key, in hex. */
  readonly hash: string;
  readonly scopes: readonly Scope[];
  readonly project: string;
  readonly createdAt: number;
  readonly expiresAt?: number;
  readonly revokedAt?: number;
}

export interface KeyRing {
  /** Creates a key and returns its text, which is not stored. */
  create(wanted: NewKey): Promise<{ readonly key: StoredKey; readonly text: string }>;
  list(): Promise<readonly StoredKey[]>;
  /** False if the key does not exist or is already revoked. */
  revoke(id: string): Promise<boolean>;
  /** The stored key for a text; undefined if the key is unknown, expired or revoked. */
  find(text: string): Promise<StoredKey | undefined>;
  /** The stored key with an id; undefined if the key is unknown, expired or revoked. */
  get(id: string): Promise<StoredKey | undefined>;
  /** True once a key exists, even a revoked one. From then on the server requires a key. */
  isNeeded(): Promise<boolean>;
}

export interface NewKey {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly project: string;
  readonly expiresAt?: number | undefined;
}

export interface KeyRingOptions {
  readonly now?: () => number;
  /** How long a cached list of keys is used, in milliseconds. */
  readonly freshFor?: number;
}

const place = "undangle/server/keys";

/** Keys, stored beside the threads. Every process on the store sees a change within seconds. */
export function createKeyRing(
  store: Store,
  { now = Date.now, freshFor = defaultFreshness }: KeyRingOptions = {},
): KeyRing {
  const stored = createStoredList<StoredKey>(store, place, { now, freshFor });
  const get = async (id: string): Promise<StoredKey | undefined> => {
    const byId = (keys: readonly StoredKey[]): StoredKey | undefined => keys.find((each) => each.id === id);
    const key = byId(await stored.recent()) ?? byId(await stored.later()); // the key may be new
    if (key === undefined || key.revokedAt !== undefined) return undefined;
    return key.expiresAt !== undefined && key.expiresAt <= now() ? undefined : key;
  };

  return {
    async create({ name, scopes: wanted, project, expiresAt }) {
      checkWish(wanted, project);
      const id = randomBytes(6).toString("hex");
      const text = `ud_${id}_${randomBytes(32).toString("base64url")}`;
      const key: StoredKey = {
        id,
        name,
        hash: hashOf(text),
        scopes: wanted,
        project,
        createdAt: now(),
        ...(expiresAt !== undefined && { expiresAt }),
      };
      await stored.change((keys) => [...keys, key]);
      return { key, text };
    },
    list: () => stored.read(),
    async revoke(id) {
      let isRevoked = false;
      await stored.change((keys) => {
        isRevoked = keys.some((key) => key.id === id && key.revokedAt === undefined);
        return isRevoked ? keys.map((key) => (key.id === id ? { ...key, revokedAt: now() } : key)) : keys;
      });
      return isRevoked;
    },
    async find(text) {
      const id = /^ud_([\da-f]{12})_[\w-]{43}$/u.exec(text)?.[1];
      const key = id === undefined ? undefined : await get(id);
      const isRight = isSameHash(hashOf(text), key?.hash ?? hashOf("")); // the check takes as long for an unknown id as for a wrong secret
      return isRight ? key : undefined;
    },
    get,
    isNeeded: async () => (await stored.recent()).length > 0,
  };
}

/** The project name is a prefix of its thread ids, so it must not contain the separator. */
function checkWish(wanted: readonly string[], project: string): void {
  const unknown = wanted.find((scope) => !scopes.some((each) => each === scope));
  if (unknown !== undefined || wanted.length === 0)
    throw new UndangleError("options/value", { option: "scopes", value: unknown ?? wanted, allowed: scopes });
  if (!/^[a-z\d-]{1,40}$/u.test(project))
    throw new UndangleError("options/value", {
      option: "project",
      value: project,
      allowed: ["1 to 40 lower-case letters, digits and -"],
    });
}
