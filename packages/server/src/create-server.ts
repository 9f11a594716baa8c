import { createRequire } from "node:module";

import Fastify, { LogController } from "fastify";
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { UndangleError } from "undangle";

import { countedCaller } from "./access/counted-caller.ts";
import { respondToPreflight, demandOneHost, demandThisMachine, guardOrigin } from "./access/guard-origin.ts";
import { identify, identityOf, requireScope } from "./access/identity.ts";
import type { Identity } from "./access/identity.ts";
import { keyNamesRoute, keyRoutes } from "./access/key-routes.ts";
import { createRateLimit } from "./access/rate-limit.ts";
import { openSessionRoute, sessionRoutes } from "./access/session-routes.ts";
import { ApiError, apiErrorOf, errorBody } from "./responses/api-error.ts";
import { respondToBrokenRequest } from "./responses/broken-request.ts";
import { storeResponses } from "./responses/idempotency.ts";
import { readJsonOnly } from "./responses/read-json.ts";
import { collectMethods, pathOf } from "./responses/route-methods.ts";
import { schemaFault } from "./responses/schema-fault.ts";
import { chatRoutes } from "./chat/chat-routes.ts";
import { historyRoutes } from "./histories/history-routes.ts";
import { logStream } from "./open-log.ts";
import { describeRoutes } from "./openapi/describe-routes.ts";
import { openService } from "./open-service.ts";
import type { Service } from "./open-service.ts";
import { followRequests } from "./request-context.ts";
import { healthRoutes } from "./routes/health.ts";
import { studioRoutes } from "./routes/studio-routes.ts";
import { allowanceRoutes } from "./threads/allowance-routes.ts";
import { entryRoutes } from "./threads/entry-routes.ts";
import { diagnosisRoutes } from "./threads/diagnosis-routes.ts";
import { fileRoutes } from "./threads/files/file-routes.ts";
import { queueRoutes } from "./threads/queue/queue-routes.ts";
import { runRoutes } from "./threads/run-routes.ts";
import { threadRoutes } from "./threads/thread-routes.ts";
import { traceRequests } from "./telemetry/trace-requests.ts";
import { followConnections, refuseWhileClosing } from "./shut-down.ts";
import { checkOptions } from "./server-options.ts";
import type { ServerLimits, ServerOptions } from "./server-options.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The caller; undefined on public routes. */
    identity: Identity | undefined;
  }
  interface FastifyReply {
    /** Milliseconds until the first byte could be sent. */
    firstByteMs: number | undefined;
  }
  interface FastifyInstance {
    /** Available after `ready()`. */
    service: Service;
  }
}

/**
 * Creates a server, which is a Fastify instance. Use `await server.listen({ port: 4111 })`, or `server.inject()`
 * without a port.
 */
export function createServer(options: ServerOptions = {}): FastifyInstance {
  checkOptions(options);
  const app = Fastify({
    ...loggerOf(options.logger),
    forceCloseConnections: "idle",
    return503OnClosing: false, // `refuseWhileClosing` sends the response of this server instead
    exposeHeadRoutes: true,
    routerOptions: { maxParamLength: 2000 }, // an id has up to 200 characters, each up to 9 bytes in a URL
    requestIdHeader: false,
    genReqId: () => crypto.randomUUID(),
    logController: new LogController({ disableRequestLogging: true }), // the hook below logs one line per request, without the query string
    http: { connectionsCheckingInterval: Math.min(5000, options.limits?.requestTime ?? Infinity) },
    clientErrorHandler: respondToBrokenRequest,
    frameworkErrors: (thrown, request, reply) => sendError(thrown, request, reply),
    ajv: { customOptions: validating },
    schemaErrorFormatter: (faults, part) => schemaFault(faults, part),
  });
  followRequests(app);
  readJsonOnly(app);
  app.decorateRequest("identity", undefined);
  const description = describeRoutes(app, version);
  const methodsOf = collectMethods(app);
  app.addHook("onRequest", (request, reply, done) => {
    void reply
      .header("x-request-id", request.id)
      .header("x-content-type-options", "nosniff")
      .header("cross-origin-resource-policy", "same-origin");
    demandOneHost(request);
    done();
  });
  refuseWhileClosing(app);
  const closeConnections = followConnections(app);
  app.decorateReply("firstByteMs", undefined);
  app.addHook("onSend", (_request, reply, _payload, done) => {
    reply.firstByteMs = Math.round(reply.elapsedTime);
    done();
  });
  app.addHook("onResponse", (request, reply, done) => {
    const { method, url, log } = request;
    const { statusCode: status, firstByteMs } = reply;
    const ms = Math.round(reply.elapsedTime);
    log.info({ method, path: pathOf(url), status, firstByteMs, ms, by: request.identity?.by }, "Request completed");
    done();
  });
  app.setNotFoundHandler((request) => {
    throw noRoute(request, methodsOf(pathOf(request.url)));
  });
  app.setErrorHandler(sendError);
  void app.register(async (scope) => {
    const service = await openService(options, app.log);
    app.addHook("preClose", async () => {
      service.closing.abort();
      closeConnections(service.settings.limits.requestTime);
    });
    app.addHook("onClose", () => service.close());
    app.service = service;
    const { hosts, origins, limits } = service.settings;
    const rate = createRateLimit(limits.rate);
    holdLimits(scope, limits);
    service.metrics.watch(scope);
    await service.projectThreads.recover();
    await scope.register(healthRoutes);
    await scope.register(async (guarded) => {
      if (service.telemetry !== undefined) traceRequests(guarded, service.telemetry);
      guarded.addHook("onRequest", async (request, reply) => {
        const needsKey = await service.keys.isNeeded();
        guardOrigin(request, reply, { hosts, origins }, needsKey);
        if (!needsKey) demandThisMachine(request);
      });
      guarded.options("/*", (request, reply) => {
        const methods = methodsOf(pathOf(request.url));
        if (methods.length === 0) throw noRoute(request, methods);
        return request.headers.origin === undefined
          ? reply.code(204).header("allow", allowed(methods)).send()
          : respondToPreflight(reply);
      });
      await guarded.register(studioRoutes);
      // It contains no data, and generators of clients have no key.
      guarded.get("/openapi.json", (_request, reply) =>
        reply.type("application/json; charset=utf-8").send(description()),
      );
      await guarded.register(openSessionRoute(rate));
      await guarded.register(async (known) => {
        known.addHook("onRequest", ({ routeOptions }, reply, done) => {
          void reply.header("cache-control", "no-store"); // files and streams replace it
          if (!urgent.test(routeOptions.url ?? "")) service.admission.demand();
          done();
        });
        known.addHook("onRequest", async (request, reply) => {
          request.identity = await countedCaller(request, reply, { rate, identify: () => identify(request, service) });
        });
        storeResponses(known, service);
        known.get("/metrics", (request, reply) => {
          requireScope(identityOf(request), "admin");
          return reply.type("text/plain; version=0.0.4; charset=utf-8").send(service.metrics.registry.text());
        });
        await known.register(sessionRoutes);
        await known.register(keyNamesRoute);
        await known.register(keyRoutes);
        await known.register(chatRoutes);
        await known.register(threadRoutes);
        await known.register(runRoutes);
        await known.register(queueRoutes);
        await known.register(allowanceRoutes);
        await known.register(entryRoutes);
        await known.register(diagnosisRoutes);
        await known.register(fileRoutes);
        await known.register(historyRoutes);
      });
    });
  });
  return app;
}

/**
 * Sets the limits of connections and bodies. They may come from the config, which is read after the server is created.
 */
function holdLimits(scope: FastifyInstance, { body, requestTime, connections }: ServerLimits): void {
  const { server } = scope;
  server.maxConnections = connections;
  server.requestTimeout = requestTime;
  server.headersTimeout = Math.min(server.headersTimeout, requestTime); // Node applies the longer of the two to the body
  scope.addHook("onRoute", (route) => {
    route.bodyLimit = body;
  });
}

/** The error of an unknown path or method. */
function noRoute({ method, url }: FastifyRequest, methods: readonly string[]): ApiError {
  const path = pathOf(url);
  if (methods.length === 0) return new ApiError(404, "route-unknown", `There is no route ${path}.`);
  const allow = allowed(methods);
  return new ApiError(405, "method-not-allowed", `${path} does not support ${method}. Allowed: ${allow}.`, {
    headers: { allow },
  });
}

const allowed = (methods: readonly string[]): string => [...methods, "OPTIONS"].join(", ");

function sendError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const error = apiErrorOf(thrown);
  const hasLeft = reply.raw.destroyed; // the client closed the connection
  const isOfRun = error.cause instanceof UndangleError && error.code.startsWith("model/"); // the run has logged it
  if (error.status >= 500 && !hasLeft && !isOfRun) request.log.error({ err: error.cause ?? error }, error.message);
  // Fastify closes the connection when a body cannot be parsed. Node discards the rest of the request, for at most
  // `requestTime`. A client that is cut off while it writes would see a connection reset instead of the response.
  reply.removeHeader("connection");
  // Browsers keep 404 and 410 responses without this header, and a restored thread would stay deleted for them.
  void reply.header("cache-control", "no-store").code(error.status).headers(error.headers).send(errorBody(error));
}

/** The version of the package. */
const { version } = createRequire(import.meta.url)("../package.json") as { readonly version: string };

/** Routes that show or end an overload, and decisions of people, are never refused. */
const urgent = /\/(?:metrics|stop|decisions)$/u;

/** The options of the schema validator. */
const validating = {
  coerceTypes: false as const,
  removeAdditional: false as const,
  allErrors: false,
  allowUnionTypes: true,
  verbose: true, // errors are written from the schema and the value
  keywords: ["x-allowed", "x-described"],
};

type LoggerChoice =
  | { readonly logger: false | { readonly stream: ReturnType<typeof logStream> } }
  | { readonly loggerInstance: FastifyBaseLogger };

function loggerOf(given: unknown): LoggerChoice {
  if (typeof given === "object" && given !== null) return { loggerInstance: given as FastifyBaseLogger }; // a pino logger
  return { logger: given === true && { stream: logStream(1) } };
}
