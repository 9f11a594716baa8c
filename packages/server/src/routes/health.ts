import type { FastifyBaseLogger, FastifyInstance } from "fastify";

/** Liveness and readiness. The routes are public and reveal nothing else. */
export function healthRoutes(app: FastifyInstance): Promise<void> {
  app.get("/healthz", () => ({ status: "ok" }));
  let looked: { readonly at: number; readonly isReady: Promise<boolean> } | undefined;
  /** Cached for one second. */
  const isReady = (log: FastifyBaseLogger): Promise<boolean> => {
    if (looked === undefined || performance.now() - looked.at > 1000)
      looked = { at: performance.now(), isReady: canUseStore(app, log) };
    return looked.isReady;
  };
  app.get("/readyz", async (request, reply) => {
    if (await isReady(request.log)) return { status: "ready" };
    return reply.code(503).send({ status: "store unavailable" });
  });
  return Promise.resolve();
}

async function canUseStore({ service }: FastifyInstance, log: FastifyBaseLogger): Promise<boolean> {
  try {
    await service.store.read("undangle/server/ready");
    return true;
  } catch (error) {
    log.warn({ err: error }, "The store cannot be used");
    return false;
  }
}
