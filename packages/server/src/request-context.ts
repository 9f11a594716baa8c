import { AsyncLocalStorage } from "node:async_hooks";

import type { FastifyInstance } from "fastify";
import type { Logger } from "undangle/agent";

const current = new AsyncLocalStorage<string>();

/** Lets everything that a request sets going know its id. */
export function followRequests(app: FastifyInstance): void {
  app.addHook("onRequest", (request, _reply, done) => current.run(request.id, done));
}

/** The same logger, which says for which request something happens. */
export function withRequestId(logger: Logger): Logger {
  const tell =
    (level: "info" | "warn" | "error") =>
    (data: Readonly<Record<string, unknown>>, message: string): void => {
      const reqId = current.getStore(); // by the name that lines of Fastify have it
      logger[level](reqId === undefined ? data : { reqId, ...data }, message);
    };
  return { info: tell("info"), warn: tell("warn"), error: tell("error") };
}
