import { AsyncLocalStorage } from "node:async_hooks";

import type { FastifyInstance } from "fastify";
import type { Logger } from "undangle/agent";

const current = new AsyncLocalStorage<string>();

/** The id of the current request; undefined outside a request. */
export const currentRequest = (): string | undefined => current.getStore();

/** Makes the id of a request available to everything that it triggers. */
export function followRequests(app: FastifyInstance): void {
  app.addHook("onRequest", (request, _reply, done) => current.run(request.id, done));
}

/** The same logger with the current request id and trace id on every line. */
export function withRequestId(logger: Logger, traceId?: () => string | undefined): Logger {
  const logAt =
    (level: "info" | "warn" | "error") =>
    (data: Readonly<Record<string, unknown>>, message: string): void => {
      const reqId = currentRequest(); // Fastify uses this name
      const trace = traceId?.();
      const place = { ...(reqId !== undefined && { reqId }), ...(trace !== undefined && { trace_id: trace }) };
      logger[level]({ ...place, ...data }, message);
    };
  return { info: logAt("info"), warn: logAt("warn"), error: logAt("error") };
}
