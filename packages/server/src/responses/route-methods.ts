import type { FastifyInstance, RouteOptions } from "fastify";

/** Collects the routes of a server as they are registered. Returns the methods of a path; none for an unknown path. */
export function collectMethods(app: FastifyInstance): (path: string) => readonly string[] {
  const routes: { readonly methods: readonly string[]; readonly pattern: RegExp }[] = [];
  app.addHook("onRoute", ({ method, url }: RouteOptions) => {
    if (url !== "/*") routes.push({ methods: [method].flat(), pattern: patternOf(url) });
  });
  return (path) => [...new Set(routes.flatMap(({ methods, pattern }) => (pattern.test(path) ? methods : [])).sort())];
}

/** The path without the query, which may be secret, and without the host of an absolute URL. */
export const pathOf = (url: string): string =>
  url.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/iu, "").split(/[?#]/u, 1)[0] ?? "";

/** A pattern for the paths of a route such as `/threads/:id` or `/threads/:id/files/*`. */
const patternOf = (url: string): RegExp =>
  new RegExp(
    `^${url
      .replaceAll(/[.+?^$()|[\]\\]/gu, "\\$&")
      .replaceAll(/:\w+/gu, "[^/]+")
      .replaceAll("*", ".*")}$`,
    "u",
  );
