import type { FastifyInstance, FastifyReply } from "fastify";
import type { RemoteSession } from "undangle/client";

import { countedCaller } from "./counted-caller.ts";
import { identityOf, keyIdentity, localIdentity } from "./identity.ts";
import type { Identity } from "./identity.ts";
import type { RateLimit } from "./rate-limit.ts";
import { closingCookie, openingCookie } from "./session-cookie.ts";
import { csrfTokenOf } from "./sessions.ts";

const opening = {
  type: "object",
  required: ["key"],
  additionalProperties: false,
  properties: { key: { type: "string", minLength: 1, maxLength: 200 } },
};

/** Exchanges a key for a session cookie, so that a page need not keep the key. The route is open to everyone. */
export function openSessionRoute(rate: RateLimit): (app: FastifyInstance) => Promise<void> {
  return (app) => {
    const { keys, sessions, admission } = app.service;
    app.addHook("onRequest", (_request, _reply, done) => {
      admission.demand();
      done();
    });
    app.post<{ Body: { readonly key: string } }>("/session", { schema: { body: opening } }, async (request, reply) => {
      const { key } = request.body;
      const identity = await countedCaller(request, reply, {
        rate,
        identify: async () => ((await keys.isNeeded()) ? keyIdentity(keys, key) : localIdentity(keys)),
      });
      if (identity.by === "local") return show(reply, identity);
      const text = await sessions.open(identity.by.slice("key:".length));
      return show(reply.header("set-cookie", openingCookie(request, text)), identity, csrfTokenOf(text));
    });
    return Promise.resolve();
  };
}

/** Reports and closes the session of the caller. */
export function sessionRoutes(app: FastifyInstance): Promise<void> {
  app.get("/session", (request, reply) => {
    const identity = identityOf(request);
    return show(reply, identity, identity.session?.csrfToken);
  });

  app.delete("/session", async (request, reply) => {
    const { session } = identityOf(request);
    if (session !== undefined) await app.service.sessions.close(session.id);
    return reply.code(204).header("set-cookie", closingCookie(request)).send();
  });
  return Promise.resolve();
}

function show(
  reply: FastifyReply,
  { project, scopes, by, name }: Identity,
  csrfToken: string | null = null,
): FastifyReply {
  const session: RemoteSession = {
    project,
    scopes: [...scopes],
    by,
    name,
    needs_key: by !== "local",
    csrf_token: csrfToken,
  };
  return reply.header("cache-control", "no-store").send(session);
}
