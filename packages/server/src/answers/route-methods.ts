import type { FastifyInstance, RouteOptions } from "fastify";

/** Collects the routes of a server as they are registered. Returns the methods of a path; none for an unknown path. */
export function collectMethods(app: FastifyInstance): (path: string) => readonly string[] {
  const routes: { readonly methods: readonly string[]; readonly pattern: RegExp }[] = [];
  app.addHook("onRoute", ({ method, url }: RouteOptions) => {
    if (!url.includes("*")) routes.push({ methods: [method].flat(), pattern: patternOf(url) });
  });
  return (path) => [...new Set(routes.flatMap(({ methods, pattern }) => (pattern.test(path) ? methods : [])).sort())];
}

/** A pattern for the paths of a route such as `/threads/:id`. */
const patternOf = (url: string): RegExp =>
  new RegExp(`^${url.replaceAll(/[.+?^$()|[\]\\]/gu, "\\$&").replaceAll(/:\w+/gu, "[^/]+")}$`, "u");
