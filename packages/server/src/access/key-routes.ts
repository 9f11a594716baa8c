import type { FastifyInstance } from "fastify";
import type { RemoteKey } from "undangle/client";

import { ApiError } from "../responses/api-error.ts";
import { identityOf, requireScope } from "./identity.ts";
import { scopes } from "./key-ring.ts";
import type { Scope, StoredKey } from "./key-ring.ts";

interface KeyWish {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expires_at?: string;
}

const keyBody = {
  type: "object",
  required: ["name", "scopes"],
  additionalProperties: false,
  properties: {
    name: { type: "string", minLength: 1, maxLength: 100, description: "Who or what uses the key." },
    scopes: { type: "array", minItems: 1, uniqueItems: true, items: { type: "string", enum: scopes } },
    expires_at: {
      type: "string",
      maxLength: 40,
      "x-described": { type: "string", format: "date-time" },
      description: "A time in the future. By default the key does not expire.",
    },
  },
};

const keyParams = {
  type: "object",
  required: ["key"],
  properties: { key: { type: "string", description: "The id of the key." } },
};

/** Lists, creates and revokes the keys of the caller's project, for callers with the scope `admin`. */
export function keyRoutes(app: FastifyInstance): Promise<void> {
  const { keys } = app.service;
  app.addHook("onRequest", (request, _reply, done) => {
    requireScope(identityOf(request), "admin");
    done();
  });

  app.get("/keys", async (request) => {
    const { project } = identityOf(request);
    return { data: (await keys.list()).filter((key) => key.project === project).map(shown) };
  });

  app.post<{ Body: KeyWish }>(
    "/keys",
    { schema: { body: keyBody }, config: { isSecret: true } },
    async (request, reply) => {
      const { name, scopes: wanted, expires_at: expires } = request.body;
      const expiresAt = expires === undefined ? undefined : timeOf(expires);
      if (!wanted.includes("admin") && !(await keys.isNeeded())) throw firstKeyError();
      const { project } = identityOf(request);
      const { key, text } = await keys.create({ name, scopes: wanted, project, expiresAt });
      return reply.code(201).send({ ...shown(key), text });
    },
  );

  app.delete<{ Params: { readonly key: string } }>(
    "/keys/:key",
    { schema: { params: keyParams } },
    async (request, reply) => {
      const { key: id } = request.params;
      const { project } = identityOf(request);
      const isOwn = (await keys.list()).some((key) => key.id === id && key.project === project);
      if (!isOwn || !(await keys.revoke(id)))
        throw new ApiError(404, "key-unknown", `There is no key ${JSON.stringify(id)} that can be revoked.`);
      return reply.code(204).send();
    },
  );
  return Promise.resolve();
}

/** Names the keys that decisions and allowances record. They are no secret among people who read or decide. */
export function keyNamesRoute(app: FastifyInstance): Promise<void> {
  app.get("/key-names", async (request) => {
    const identity = identityOf(request);
    requireScope(identity, "threads", "approve");
    const own = (await app.service.keys.list()).filter(({ project }) => project === identity.project);
    return { data: Object.fromEntries(own.map(({ id, name }) => [`key:${id}`, name])) };
  });
  return Promise.resolve();
}

const shown = ({ id, name, scopes: own, project, createdAt, expiresAt, revokedAt }: StoredKey): RemoteKey => ({
  id,
  name,
  scopes: own,
  project,
  created_at: new Date(createdAt).toISOString(),
  expires_at: timeText(expiresAt),
  revoked_at: timeText(revokedAt),
});

const timeText = (time: number | undefined): string | null =>
  time === undefined ? null : new Date(time).toISOString();

/** Reads a time in the future. */
function timeOf(text: string): number {
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/u.test(text)
    ? Date.parse(text)
    : NaN;
  if (time > Date.now()) return time;
  throw new ApiError(
    400,
    "parameter-invalid",
    "expires_at must be a time in the future, such as 2030-01-31T00:00:00Z.",
    { param: "expires_at" },
  );
}

/** From the first key on every request needs one, so without an admin key no other could be created over HTTP. */
const firstKeyError = (): ApiError =>
  new ApiError(
    409,
    "key-first",
    "The first key of a server needs the scope admin. From then on every request needs a key, and only admin keys create others.",
    { param: "scopes" },
  );
