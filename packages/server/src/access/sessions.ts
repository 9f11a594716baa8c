import { createHash, randomBytes } from "node:crypto";

import type { Store } from "undangle/agent";

import { hashOf, isSameHash } from "./secret-text.ts";
import { createStoredList } from "./stored-list.ts";

/** A session as it is stored. The text of its cookie cannot be derived from it. */
export interface StoredSession {
  readonly id: string;
  /** SHA-256 of the text of the cookie, in hex. */
  readonly hash: string;
  /** The id of the key. The session has its rights, and ends with it. */
  readonly key: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** The sessions of browsers. */
export interface Sessions {
  /** Opens a session for a key and returns the text of its cookie, which is not stored. */
  open(key: string): Promise<string>;
  /** The session for the text of a cookie; undefined if it is unknown, expired or closed. */
  find(text: string): Promise<StoredSession | undefined>;
  close(id: string): Promise<void>;
}

/** How long a session lasts, in milliseconds. */
export const sessionDuration = 12 * 60 * 60 * 1000;

/** The sessions of one key. Another one closes the oldest. */
export const mostSessions = 20;

export interface SessionsOptions {
  readonly now?: (() => number) | undefined;
}

/** Sessions, stored beside the keys. They survive a restart, and every process on the store knows them. */
export function createSessions(store: Store, { now = Date.now }: SessionsOptions = {}): Sessions {
  const stored = createStoredList<StoredSession>(store, "undangle/server/sessions", { now });
  return {
    async open(key) {
      const id = randomBytes(9).toString("base64url");
      const text = `${id}.${randomBytes(32).toString("base64url")}`;
      const createdAt = now();
      const session = { id, hash: hashOf(text), key, createdAt, expiresAt: createdAt + sessionDuration };
      await stored.change((all) => {
        const live = all.filter(({ expiresAt }) => expiresAt > createdAt);
        const own = live.filter((each) => each.key === key);
        const closed = own.slice(0, Math.max(0, own.length + 1 - mostSessions)); // the list has the oldest first
        return [...live.filter((each) => !closed.includes(each)), session];
      });
      return text;
    },
    async find(text) {
      const id = /^([\w-]{12})\.[\w-]{43}$/u.exec(text)?.[1];
      if (id === undefined) return undefined;
      const byId = (all: readonly StoredSession[]): StoredSession | undefined => all.find((each) => each.id === id);
      const session = byId(await stored.recent()) ?? byId(await stored.later()); // it may be new
      const isRight = session !== undefined && isSameHash(hashOf(text), session.hash);
      return isRight && session.expiresAt > now() ? session : undefined;
    },
    close: (id) =>
      stored.change((all) => (all.some((each) => each.id === id) ? all.filter((each) => each.id !== id) : all)),
  };
}

/**
 * The token that a page sends with each change. Only a page that can read responses of the server knows it; the cookie
 * alone, which a browser sends by itself, does not prove where a request comes from.
 */
export const csrfTokenOf = (text: string): string => createHash("sha256").update(`csrf:${text}`).digest("base64url");
