import { AsyncLocalStorage } from "node:async_hooks";

import type { FastifyInstance } from "fastify";
import type { Logger } from "undangle/agent";

const current = new AsyncLocalStorage<string>();

/** The request for which something happens; undefined where it is for none. */
export const currentRequest = (): string | undefined => current.getStore();

/** Lets everything that a request sets going know its id. */
export function followRequests(app: FastifyInstance): void {
  app.addHook("onRequest", (request, _reply, done) => current.run(request.id, done));
}

/** The same logger, which says for which request something happens, and in which trace. */
export function withRequestId(logger: Logger, traceId?: () => string | undefined): Logger {
  const tell =
    (level: "info" | "warn" | "error") =>
    (data: Readonly<Record<string, unknown>>, message: string): void => {
      const reqId = currentRequest(); // by the name that lines of Fastify have it
      const trace = traceId?.();
      const place = { ...(reqId !== undefined && { reqId }), ...(trace !== undefined && { trace_id: trace }) };
      logger[level]({ ...place, ...data }, message);
    };
  return { info: tell("info"), warn: tell("warn"), error: tell("error") };
}
