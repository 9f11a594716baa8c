import type { FastifyInstance } from "fastify";

/** Says whether the process lives, and whether it can work; open to everybody, and says nothing else. */
export function healthRoutes(app: FastifyInstance): Promise<void> {
  app.get("/healthz", () => ({ status: "ok" }));
  app.get("/readyz", async (request, reply) => {
    try {
      await app.service.store.read("undangle/server/ready");
      return { status: "ready" };
    } catch (error) {
      request.log.warn({ err: error }, "The store cannot be used");
      return reply.code(503).send({ status: "store unavailable" });
    }
  });
  return Promise.resolve();
}
