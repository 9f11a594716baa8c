import type { FastifyRequest } from "fastify";

import { ApiError } from "../answers/api-error.ts";
import { scopes } from "./key-ring.ts";
import type { KeyRing, Scope } from "./key-ring.ts";

/** The caller of a request and its project. */
export interface Identity {
  readonly project: string;
  readonly scopes: ReadonlySet<Scope>;
  /** For decisions, logs and limits: the id of the key, or `local` if no key is required. */
  readonly by: string;
  /** False as soon as the key is revoked or expired. Long responses check it repeatedly. */
  readonly holds: () => Promise<boolean>;
}

/** The project of callers without a key. */
export const localProject = "default";

const allScopes: ReadonlySet<Scope> = new Set<Scope>(scopes);

/** The identity of callers without a key. It becomes invalid when the first key is created. */
const local = (keys: KeyRing): Identity => ({
  project: localProject,
  scopes: allScopes,
  by: "local",
  holds: async () => !(await keys.isNeeded()),
});

/** Identifies the caller. Refuses a request without a key if one is required. */
export async function identify({ headers }: FastifyRequest, keys: KeyRing): Promise<Identity> {
  if (!(await keys.isNeeded())) return local(keys);
  const { authorization = "", "x-api-key": given } = headers;
  const bearer = /^Bearer +(\S+)$/iu.exec(authorization)?.[1];
  const text = bearer ?? (typeof given === "string" ? given : undefined);
  const challenge = { "www-authenticate": "Bearer" };
  if (text === undefined)
    throw new ApiError(401, "key-missing", "This server requires a key: Authorization: Bearer ud_…", {
      headers: challenge,
    });
  const key = await keys.find(text);
  if (key === undefined)
    throw new ApiError(401, "key-invalid", "The key does not exist, has expired or was revoked.", {
      headers: challenge,
    });
  return {
    project: key.project,
    scopes: new Set(key.scopes),
    by: `key:${key.id}`,
    holds: async () => (await keys.find(text)) !== undefined,
  };
}

/** The identity that the hook before all routes has set. */
export function identityOf({ identity }: FastifyRequest): Identity {
  if (identity === undefined) throw new ApiError(401, "key-missing", "This server requires a key.");
  return identity;
}

/** Refuses a caller without the scope. `admin` includes every scope. */
export function requireScope({ scopes: own }: Identity, scope: Scope): void {
  if (own.has(scope) || own.has("admin")) return;
  throw new ApiError(403, "scope-missing", `The key has no scope ${scope}; it has ${[...own].join(", ") || "none"}.`);
}
