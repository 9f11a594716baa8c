import type { FastifyInstance } from "fastify";
import type { EntryPage, RemoteEntry } from "undangle/client";
import type { EntryView } from "undangle/agent";

import { identityOf } from "../access/identity.ts";
import { openedBy } from "./opened-thread.ts";
import type { WithId } from "./opened-thread.ts";
import { showCalls } from "./show-thread.ts";
import { showTrace } from "./show-trace.ts";
import * as schemas from "./thread-schemas.ts";

/** Routes that show what a thread contains: its entries, its state and its trace. */
export function entryRoutes(app: FastifyInstance): Promise<void> {
  const { projectThreads, settings } = app.service;
  const opened = openedBy(projectThreads);

  app.get<WithId & { Querystring: { before?: string; limit?: string; path?: string } }>(
    "/threads/:id/entries",
    { schema: { params: schemas.threadParams, querystring: schemas.entriesQuery } },
    async (request): Promise<EntryPage> => {
      const { thread } = await opened(request);
      const { before, limit, path } = request.query;
      const page = await thread.entries({
        ...(before !== undefined && { before: Number(before) }),
        ...(limit !== undefined && { limit: Number(limit) }),
        path: pathIn(path),
      });
      const { project } = identityOf(request);
      return {
        data: page.entries.map((entry) => showEntry(project, entry)),
        before: page.before,
        last_event: page.lastEvent,
        ...(page.mode !== undefined && { mode: page.mode }),
      };
    },
  );

  app.get<WithId>("/threads/:id/state", { schema: { params: schemas.threadParams } }, async (request) => {
    const { thread } = await opened(request);
    return { data: await thread.state() };
  });

  app.get<WithId>("/threads/:id/trace", { schema: { params: schemas.threadParams } }, async (request) => {
    const { thread, id } = await opened(request);
    const isAdmin = identityOf(request).scopes.has("admin");
    return showTrace(id, await thread.trace(), { isAdmin, prices: settings.prices });
  });
  return Promise.resolve();
}

/** The ids of the calls that lead to a child thread. */
export const pathIn = (text: string | undefined): readonly string[] => text?.split("/") ?? [];

const showEntry = (project: string, { byEngine, calls, ...entry }: EntryView): RemoteEntry => ({
  ...entry,
  calls: showCalls(project, calls),
  ...(byEngine === true && { by_engine: true }),
});
