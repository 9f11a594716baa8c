import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

import { UndangleError } from "undangle";
import type { Store } from "undangle/agent";

export const scopes = ["chat", "threads", "approve", "admin"] as const;

export type Scope = (typeof scopes)[number];

/** A key as it is stored. The text of the key cannot be derived from it. */
export interface StoredKey {
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the whole key, in hex. Keys have enough entropy for a plain hash. */
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
export function createKeyRing(store: Store, { now = Date.now, freshFor = 2000 }: KeyRingOptions = {}): KeyRing {
  let known: { readonly keys: readonly StoredKey[]; readonly version: number; readonly at: number } | undefined;

  const read = async (): Promise<NonNullable<typeof known>> => {
    const { value, version } = (await store.read(place)) ?? { value: [], version: 0 };
    known = { keys: value as readonly StoredKey[], version, at: now() }; // only this module writes the value
    return known;
  };
  const recent = async (within = freshFor): Promise<readonly StoredKey[]> => {
    const age = known === undefined ? Infinity : now() - known.at;
    return (known !== undefined && age >= 0 && age < within ? known : await read()).keys;
  };
  const change = async (make: (keys: readonly StoredKey[]) => readonly StoredKey[]): Promise<void> => {
    for (;;) {
      const { keys, version } = await read();
      const changed = make(keys);
      if (changed === keys) return;
      try {
        await store.write(place, changed, version);
        await read();
        return;
      } catch (error) {
        if (!(error instanceof UndangleError && error.is("store/stale"))) throw error; // another writer was faster
      }
    }
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
      await change((keys) => [...keys, key]);
      return { key, text };
    },
    list: async () => (await read()).keys,
    async revoke(id) {
      let isRevoked = false;
      await change((keys) => {
        isRevoked = keys.some((key) => key.id === id && key.revokedAt === undefined);
        return isRevoked ? keys.map((key) => (key.id === id ? { ...key, revokedAt: now() } : key)) : keys;
      });
      return isRevoked;
    },
    async find(text) {
      const id = /^ud_([\da-f]{12})_[\w-]{43}$/u.exec(text)?.[1];
      const byId = (keys: readonly StoredKey[]): StoredKey | undefined => keys.find((each) => each.id === id);
      const key = byId(await recent()) ?? byId(await recent(freshFor / 10)); // the key may be new
      const isRight = isSame(hashOf(text), key?.hash ?? hashOf("")); // the check takes as long for an unknown id as for a wrong secret
      if (key === undefined || !isRight || key.revokedAt !== undefined) return undefined;
      return key.expiresAt !== undefined && key.expiresAt <= now() ? undefined : key;
    },
    isNeeded: async () => (await recent()).length > 0,
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

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

const isSame = (one: string, other: string): boolean =>
  timingSafeEqual(Buffer.from(one, "hex"), Buffer.from(other, "hex"));
