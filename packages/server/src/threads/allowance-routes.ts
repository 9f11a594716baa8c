import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Allowance } from "undangle/agent";
import type { ProjectAllowance } from "undangle/client";

import { identityOf } from "../access/identity.ts";
import { ApiError } from "../responses/api-error.ts";
import { demandPersona } from "../projects/agents/demand-persona.ts";
import type { ProjectThread } from "../projects/project-threads.ts";
import { allowancesOf } from "../projects/project-allowances.ts";
import { publicId } from "../projects/thread-key.ts";
import { may, openedBy } from "./opened-thread.ts";
import type { WithId } from "./opened-thread.ts";
import * as schemas from "./thread-schemas.ts";

/** Lists and revokes allowances, for callers who may decide. */
export function allowanceRoutes(app: FastifyInstance): Promise<void> {
  const { projectThreads, roster } = app.service;
  const opened = async (request: FastifyRequest<WithId>): Promise<ProjectThread> => {
    const entry = await openedBy(projectThreads)(request, "approve");
    demandPersona(entry.note, roster); // another persona has other allowances
    return entry;
  };

  app.get<WithId>("/threads/:id/allowances", { schema: { params: schemas.threadParams } }, async (request) => {
    const { thread, agent } = await opened(request);
    const { project } = identityOf(request);
    const shown = (each: Allowance): Allowance => ({ ...each, threadId: publicId(project, each.threadId) });
    const ofThread = (await thread.allowed()).filter(({ scope }) => scope === "thread");
    return { data: [...ofThread, ...(await agent.allowed())].map(shown) }; // the agent also has those of its sub-agents
  });

  app.delete<{ Params: WithId["Params"] & { readonly allowance: string } }>(
    "/threads/:id/allowances/:allowance",
    { schema: { params: schemas.allowanceParams } },
    async (request, reply) => {
      const { thread, agent } = await opened(request);
      const id = request.params.allowance;
      const isOfAgent = (await agent.allowed()).some((each) => each.id === id);
      await (isOfAgent ? agent.revoke(id) : thread.revoke(id, { by: identityOf(request).by }));
      return reply.code(204).send();
    },
  );

  const onUnreadable = (threadId: string, error: unknown): void =>
    app.log.warn({ threadId, err: error }, "The allowances of a thread cannot be read");
  app.get("/allowances", async (request) => {
    const { project } = may(request, "approve");
    const data: ProjectAllowance[] = [];
    for await (const { allowance } of allowancesOf(project, { projectThreads, roster, onUnreadable }))
      data.push(allowance);
    return { data };
  });

  app.delete<{ Params: { readonly allowance: string } }>(
    "/allowances/:allowance",
    { schema: { params: schemas.ownAllowanceParams } },
    async (request, reply) => {
      const { project, by } = may(request, "approve");
      const id = request.params.allowance;
      let unreadable: { readonly error: unknown } | undefined; // the allowance may be in a thread that cannot be read
      const reading = {
        projectThreads,
        roster,
        onUnreadable: (_thread: string, error: unknown) => void (unreadable ??= { error }),
      };
      for await (const { allowance, revoke } of allowancesOf(project, reading)) {
        if (allowance.id !== id) continue;
        await revoke(by);
        return reply.code(204).send();
      }
      if (unreadable !== undefined) throw unreadable.error;
      throw new ApiError(404, "allowance/unknown", `There is no allowance ${JSON.stringify(id)}.`);
    },
  );
  return Promise.resolve();
}
