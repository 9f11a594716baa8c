import type { FastifyRequest } from "fastify";

import { identityOf, requireScope } from "../access/identity.ts";
import type { Identity } from "../access/identity.ts";
import type { Scope } from "../access/key-ring.ts";
import type { ProjectThreads, ProjectThread } from "../projects/project-threads.ts";

export interface WithId {
  Params: { readonly id: string };
}

/** The caller, if it has one of the scopes. */
export function may(request: FastifyRequest, ...scopes: readonly Scope[]): Identity {
  const identity = identityOf(request);
  requireScope(identity, ...scopes);
  return identity;
}

/** Opens the thread that a request names, in the project of the caller. */
export const openedBy =
  (projectThreads: ProjectThreads) =>
  (request: FastifyRequest<WithId>, scope: Scope = "threads"): Promise<ProjectThread> =>
    projectThreads.open(may(request, scope).project, request.params.id);
