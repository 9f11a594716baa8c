import type { FastifyInstance, RouteOptions } from "fastify";

declare module "fastify" {
  interface FastifyContextConfig {
    /** True for a route whose body is bytes of any type. */
    takesBytes?: boolean;
    /** True for a route of the studio, which is not part of the API. */
    isPage?: boolean;
  }
}

interface Described {
  readonly method: string;
  readonly url: string;
  readonly takesBytes: boolean;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** Collects the routes of a server as they are registered, and writes their OpenAPI description. */
export function describeRoutes(app: FastifyInstance): (version: string) => object {
  const routes: Described[] = [];
  app.addHook("onRoute", ({ method, url, schema = {}, config }: RouteOptions) => {
    if (config?.isPage === true) return;
    for (const each of [method].flat().filter((name) => name !== "OPTIONS" && name !== "HEAD"))
      routes.push({ method: each, url, schema: { ...schema }, takesBytes: config?.takesBytes === true });
  });
  return (version) => ({
    openapi: "3.1.0",
    info: {
      title: "Undangle",
      version,
      description: "Chat, threads and approvals. No tool call is left dangling.",
    },
    paths: pathsOf(routes),
    components: {
      securitySchemes: { key: { type: "http", scheme: "bearer" } },
      schemas: { Error: errorSchema },
    },
    security: [{ key: [] }, {}],
  });
}

function pathsOf(routes: readonly Described[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = route.url.replaceAll(/:(\w+)/gu, "{$1}").replace("*", `{${restName}}`);
    (paths[path] ??= {})[route.method.toLowerCase()] = operationOf(route);
  }
  return paths;
}

/** The name of a parameter that takes the rest of the path. */
const restName = "path";

function operationOf({ method, url, schema, takesBytes }: Described): object {
  const { body, params, querystring, summary } = schema;
  const parameters = [...parametersOf(params, "path"), ...parametersOf(querystring, "query")];
  return {
    operationId: operationId(method, url.replace("*", restName)),
    ...(typeof summary === "string" && { summary }),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: { required: true, content: { "application/json": { schema: body } } } }),
    ...(takesBytes && { requestBody: { required: false, content: { "application/octet-stream": {} } } }),
    responses: {
      "2XX": { description: "Success." },
      "4XX": { description: "Invalid request.", content: errorContent },
      "5XX": { description: "Server error.", content: errorContent },
    },
  };
}

const errorContent = { "application/json": { schema: { $ref: "#/components/schemas/Error" } } };

const errorSchema = {
  type: "object",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["message", "type", "param", "code"],
      properties: {
        message: { type: "string" },
        type: { type: "string" },
        param: { type: ["string", "null"] },
        code: { type: "string" },
      },
    },
  },
};

function parametersOf(schema: unknown, place: "path" | "query"): readonly object[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    readonly properties?: Readonly<Record<string, { readonly description?: string }>>;
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

/** `POST /threads/:id/messages` as `postThreadsIdMessages`. */
const operationId = (method: string, url: string): string =>
  method.toLowerCase() +
  url
    .split(/[^a-z\d]+/iu)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("");
