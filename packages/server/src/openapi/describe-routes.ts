import type { FastifyInstance, RouteOptions } from "fastify";

import { components } from "./components/components.ts";
import { bytes, ref } from "./json-schema.ts";
import type { Schema } from "./json-schema.ts";
import { empty, errorTexts, rateHeaders, requestHeaders, responseHeaders, tags } from "./operation.ts";
import type { ErrorStatus, Operation, ResponseDescription, ResponseHeader } from "./operation.ts";
import { operations } from "./operations/operations.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** True for a route whose body is bytes of any type. */
    takesBytes?: boolean;
    /** True for a route of the studio, which is not part of the API. */
    isPage?: boolean;
  }
}

interface Route {
  readonly method: string;
  /** With parameters in braces. */
  readonly path: string;
  readonly takesBytes: boolean;
  readonly schema: Readonly<Record<string, unknown>>;
}

/**
 * Collects the routes of a server as they are registered, and writes their OpenAPI description: parameters and bodies
 * from the schemas that validate them, and everything else from `operations/`.
 */
export function describeRoutes(app: FastifyInstance, version: string): () => string {
  const routes: Route[] = [];
  app.addHook("onRoute", ({ method, url, schema = {}, config }: RouteOptions) => {
    if (config?.isPage === true) return;
    const path = url.replaceAll(/:(\w+)/gu, "{$1}").replace("*", `{${restName}}`);
    for (const each of [method].flat().filter((name) => name !== "OPTIONS" && name !== "HEAD"))
      routes.push({ method: each, path, schema: { ...schema }, takesBytes: config?.takesBytes === true });
  });
  let written: string | undefined;
  return () => (written ??= JSON.stringify(documentOf(routes, version))); // no route is added after the first request
}

const documentOf = (routes: readonly Route[], version: string): object => ({
  openapi: "3.1.0",
  info: {
    title: "Undangle",
    version,
    description:
      "Chat, threads and approvals. No tool call is left dangling. Every response has the header `x-request-id`.",
    license: { name: "Apache 2.0", identifier: "Apache-2.0" },
  },
  servers: [{ url: "/", description: "This server." }],
  tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
  paths: pathsOf(routes),
  components: {
    securitySchemes,
    schemas: components,
    headers: responseHeaders,
    responses: errorResponses,
  },
  security: [...keys, { cookie: [], csrf: [] }, {}],
});

const keys = [{ bearer: [] }, { apiKey: [] }];

/** A request that only reads needs no token beside the cookie. */
const securityOfReading = [...keys, { cookie: [] }, {}];

/** The name of a parameter that takes the rest of the path. */
const restName = "path";

const securitySchemes = {
  bearer: { type: "http", scheme: "bearer", description: "A key of the server. Without keys, none is needed." },
  apiKey: { type: "apiKey", in: "header", name: "x-api-key", description: "The same key in another header." },
  cookie: {
    type: "apiKey",
    in: "cookie",
    name: "undangle_session",
    description:
      "The session of `POST /session`. With TLS its name starts with `__Host-`. If the address has a port, it ends with it: `undangle_session_4111`.",
  },
  csrf: {
    type: "apiKey",
    in: "header",
    name: "x-undangle-csrf",
    description: "The `csrf_token` of the session. Required for changes with the cookie.",
  },
};

function pathsOf(routes: readonly Route[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) (paths[route.path] ??= {})[route.method.toLowerCase()] = operationOf(route);
  return paths;
}

function operationOf(route: Route): object {
  const { method, path, schema, takesBytes } = route;
  const { body, params, querystring } = schema;
  const operation = operations[`${method} ${path}`] ?? unknownOperation(route);
  const { id, tag, summary, description, scope, headers = [] } = operation;
  const parameters = [
    ...parametersOf(params, "path"),
    ...parametersOf(querystring, "query"),
    ...headers.map((name) => ({ name, in: "header", required: false, ...requestHeaders[name] })),
  ];
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: [description, scopeText(scope)].filter((each) => each !== undefined).join(" "),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: jsonBody(body) }),
    ...(takesBytes && { requestBody: { required: false, content: { "application/octet-stream": { schema: bytes } } } }),
    responses: responsesOf(operation, route),
    ...(scope === "public" ? { security: [] } : method === "GET" && { security: securityOfReading }),
  };
}

/** A body that may be `null` may also be absent. */
function jsonBody(schema: unknown): object {
  const given = described(schema) as { readonly anyOf?: readonly Schema[] }; // a schema
  const wanted = given.anyOf?.filter(({ type }) => type !== "null") ?? [];
  const isOptional = wanted.length < (given.anyOf?.length ?? 0);
  const body = isOptional && wanted.length === 1 ? wanted[0] : given;
  return { required: !isOptional, content: { "application/json": { schema: body } } };
}

/**
 * A schema that validates as the document has it: with `x-described` in its place, and with the type of its values, which
 * the validator does not need.
 */
function described(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(described);
  if (typeof schema !== "object" || schema === null) return schema;
  const { "x-described": other, "x-allowed": _words, ...rest } = schema as Schema;
  if (other !== undefined) {
    const { description } = rest;
    return { ...(other as Schema), ...(description !== undefined && { description }) };
  }
  const values = rest["enum"];
  const isOfTexts = Array.isArray(values) && values.every((each) => typeof each === "string");
  return {
    ...(isOfTexts && { type: "string" }),
    ...Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, key === "enum" ? value : described(value)])),
  };
}

/** A route that the program of the operator has added to the server. */
const unknownOperation = ({ method, path }: Route): Operation => ({
  id: [method.toLowerCase(), ...(path.match(/[a-z\d]+/giu) ?? [])].join("_"),
  tag: "Server",
  summary: `${method} ${path}`,
  scope: "any",
  responses: { 200: empty("Success.") },
});

function scopeText(scope: Operation["scope"]): string {
  if (scope === "any") return "Any key is sufficient.";
  if (scope === "public") return "Needs no key.";
  return `Needs the scope ${[scope]
    .flat()
    .map((each) => `\`${each}\``)
    .join(" or ")}.`;
}

function responsesOf({ responses, scope, headers = [], errors = [] }: Operation, route: Route): object {
  const takesBody = route.schema["body"] !== undefined || route.takesBytes;
  const statuses = new Set<ErrorStatus>([
    400,
    ...(scope === "public" ? [] : ([401, 403, 429, 503] as const)),
    ...(takesBody ? ([413, 415] as const) : []),
    ...(headers.includes("Idempotency-Key") ? ([409, 410, 422] as const) : []),
    ...errors,
    500,
  ]);
  return {
    ...mapValues(responses, (each) => responseOf(each, scope === "public" ? [] : rateHeaders)),
    ...Object.fromEntries([...statuses].map((status) => [status, { $ref: `#/components/responses/Error${status}` }])),
  };
}

const responseOf = (
  { description, content, headers = [] }: ResponseDescription,
  more: readonly ResponseHeader[],
): object => ({
  description,
  headers: headersOf(["x-request-id", ...headers, ...more]),
  ...(content !== undefined && { content: mapValues(content, (schema) => ({ schema })) }),
});

const headersOf = (names: readonly ResponseHeader[]): object =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const mapValues = <Value>(values: Readonly<Record<string, Value>>, write: (value: Value) => object): object =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, write(value)]));

const errorHeaders: Readonly<Record<string, readonly ResponseHeader[]>> = {
  401: ["www-authenticate"],
  429: ["retry-after"],
  503: ["retry-after"],
};

/** One response for each error status. Their bodies have the same schema. */
const errorResponses = Object.fromEntries(
  Object.entries(errorTexts).map(([status, description]) => [
    `Error${status}`,
    responseOf({ description, content: { "application/json": ref("Error") } }, [
      ...(errorHeaders[status] ?? []),
      "x-undangle-thread",
      ...rateHeaders,
    ]),
  ]),
);

function parametersOf(schema: unknown, place: "path" | "query"): readonly object[] {
  const { properties = {}, required = [] } = (described(schema) ?? {}) as {
    readonly properties?: Readonly<Record<string, Schema & { readonly description?: string }>>;
    readonly required?: readonly string[];
  }; // the form in which routes write them
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name: name === "*" ? restName : name,
    in: place,
    required: place === "path" || required.includes(name),
    ...(description !== undefined && { description }),
    schema: rest,
  }));
}
