import type { FastifyRequest } from "fastify";
import type { RunMode } from "undangle/agent";

import { ApiError } from "../responses/api-error.ts";
import { scopes } from "./key-ring.ts";
import type { KeyRing, Scope, StoredKey } from "./key-ring.ts";
import { sessionCookie } from "./session-cookie.ts";
import { csrfTokenOf } from "./sessions.ts";
import type { Sessions, StoredSession } from "./sessions.ts";
import { hashOf, isSameHash } from "./secret-text.ts";

/** The caller of a request and its project. */
export interface Identity {
  readonly project: string;
  readonly scopes: ReadonlySet<Scope>;
  /** For decisions, logs and limits: the id of the key, or `local` if no key is required. */
  readonly by: string;
  /** The name of the key; null if no key is required. */
  readonly name: string | null;
  /** The session of a caller with a cookie. */
  readonly session: { readonly id: string; readonly csrfToken: string } | undefined;
  /** False as soon as the key is revoked or expired, or the session is closed. Long responses check it repeatedly. */
  readonly holds: () => Promise<boolean>;
}

/** What proves who the caller is. */
export interface Credentials {
  readonly keys: KeyRing;
  readonly sessions: Sessions;
}

/** The project of callers without a key. */
export const localProject = "default";

const allScopes: ReadonlySet<Scope> = new Set<Scope>(scopes);

/** The identity of callers without a key. It becomes invalid when the first key is created. */
export const localIdentity = (keys: KeyRing): Identity => ({
  project: localProject,
  scopes: allScopes,
  by: "local",
  name: null,
  session: undefined,
  holds: async () => !(await keys.isNeeded()),
});

/** Identifies the caller by a key or a session. Refuses a request without either if a key is required. */
export async function identify(request: FastifyRequest, { keys, sessions }: Credentials): Promise<Identity> {
  if (!(await keys.isNeeded())) return localIdentity(keys);
  const text = keyIn(request);
  if (text !== undefined) return keyIdentity(keys, text);
  const cookie = sessionCookie(request);
  if (cookie === undefined)
    throw new ApiError(401, "key-missing", "This server requires a key: Authorization: Bearer ud_…", {
      headers: challenge,
    });
  const find = async (): Promise<{ readonly session: StoredSession; readonly key: StoredKey } | undefined> => {
    const session = await sessions.find(cookie);
    const key = session === undefined ? undefined : await keys.get(session.key);
    return session === undefined || key === undefined ? undefined : { session, key };
  };
  const found = await find();
  if (found === undefined)
    throw new ApiError(401, "session-ended", "The session has ended. Open another one with a key: POST /session.", {
      headers: challenge, // the cookie stays: a late response would remove that of a new session
    });
  const csrfToken = csrfTokenOf(cookie);
  demandToken(request, csrfToken);
  return {
    ...identityWith(found.key),
    session: { id: found.session.id, csrfToken },
    holds: async () => (await find()) !== undefined,
  };
}

/** The identity of the caller with a key. Refuses a key that is unknown, expired or revoked. */
export async function keyIdentity(keys: KeyRing, text: string): Promise<Identity> {
  const key = await keys.find(text);
  if (key === undefined)
    throw new ApiError(401, "key-invalid", "The key does not exist, has expired or was revoked.", {
      headers: challenge,
    });
  return { ...identityWith(key), session: undefined, holds: async () => (await keys.find(text)) !== undefined };
}

const challenge = { "www-authenticate": "Bearer" };

const identityWith = (key: StoredKey): Omit<Identity, "session" | "holds"> => ({
  project: key.project,
  scopes: new Set(key.scopes),
  by: `key:${key.id}`,
  name: key.name,
});

function keyIn({ headers }: FastifyRequest): string | undefined {
  const { authorization = "", "x-api-key": given } = headers;
  const bearer = /^Bearer +(\S+)$/iu.exec(authorization)?.[1];
  return bearer ?? (typeof given === "string" ? given : undefined);
}

const reading: readonly string[] = ["GET", "HEAD"];

/** Refuses a change that has the cookie of a session and not its token: a page of another site may have sent it. */
function demandToken({ method, headers }: FastifyRequest, token: string): void {
  if (reading.includes(method)) return;
  const given = headers["x-undangle-csrf"];
  if (typeof given === "string" && isSameHash(hashOf(given), hashOf(token))) return;
  throw new ApiError(
    403,
    "csrf-missing",
    "A request with a session cookie that changes something needs the header x-undangle-csrf, with the csrf_token of GET /session.",
  );
}

/** The widest mode that the caller may give to a run. Calls of `accept-edits` need no decision. */
export const maxModeOf = ({ scopes: own }: Pick<Identity, "scopes">): RunMode =>
  own.has("admin") || own.has("approve") ? "accept-edits" : "ask";

/** The identity that the hook before all routes has set. */
export function identityOf({ identity }: FastifyRequest): Identity {
  if (identity === undefined) throw new ApiError(401, "key-missing", "This server requires a key.");
  return identity;
}

/** Refuses a caller without one of the scopes. `admin` includes every scope. */
export function requireScope({ scopes: own }: Identity, ...accepted: readonly Scope[]): void {
  if (own.has("admin") || accepted.some((scope) => own.has(scope))) return;
  throw new ApiError(
    403,
    "scope-missing",
    `The key has no scope ${accepted.join(" or ")}; it has ${[...own].join(", ") || "none"}.`,
  );
}
