import type { FastifyInstance, RouteOptions } from "fastify";

/** Collects the routes of a server as they are registered, and returns the methods that a path has; none for an unknown path. */
export function collectMethods(app: FastifyInstance): (path: string) => readonly string[] {
  const routes: { readonly methods: readonly string[]; readonly pattern: RegExp }[] = [];
  app.addHook("onRoute", ({ method, url }: RouteOptions) => {
    if (!url.includes("*")) routes.push({ methods: [method].flat(), pattern: patternOf(url) });
  });
  return (path) => [...new Set(routes.flatMap(({ methods, pattern }) => (pattern.test(path) ? methods : [])).sort())];
}

/** `/threads/:id` as the paths that it has. */
const patternOf = (url: string): RegExp =>
  new RegExp(`^${url.replaceAll(/[.+?^$()|[\]\\]/gu, "\\$&").replaceAll(/:\w+/gu, "[^/]+")}$`, "u");
