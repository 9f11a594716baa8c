import type { FastifyRequest } from "fastify";

import { ApiError } from "../answers/api-error.ts";
import { scopes } from "./key-ring.ts";
import type { KeyRing, Scope } from "./key-ring.ts";

/** Who asks, and in which project. */
export interface Identity {
  readonly project: string;
  readonly scopes: ReadonlySet<Scope>;
  /** For decisions, logs and limits: the id of the key, or `local` where none is needed. */
  readonly by: string;
  /** False as soon as the key is revoked or over; for answers that take long. */
  readonly holds: () => Promise<boolean>;
}

/** The project of those who need no key. */
export const localProject = "default";

const allScopes: ReadonlySet<Scope> = new Set<Scope>(scopes);

/** Whoever asks where no key is needed; as soon as there is one, they are nobody. */
const local = (keys: KeyRing): Identity => ({
  project: localProject,
  scopes: allScopes,
  by: "local",
  holds: async () => !(await keys.isNeeded()),
});

/** Finds out who asks; a request without a key that needs one is refused. */
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

/** Who asks: the hook before all routes has found it out. */
export function identityOf({ identity }: FastifyRequest): Identity {
  if (identity === undefined) throw new ApiError(401, "key-missing", "This server requires a key.");
  return identity;
}

/** Refuses whoever may not do this; `admin` may do everything. */
export function requireScope({ scopes: own }: Identity, scope: Scope): void {
  if (own.has(scope) || own.has("admin")) return;
  throw new ApiError(403, "scope-missing", `The key has no scope ${scope}; it has ${[...own].join(", ") || "none"}.`);
}
