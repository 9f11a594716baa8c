import type { FastifyInstance } from "fastify";
import type { Decisions, Run, RunMode } from "undangle/agent";

import { identityOf, maxModeOf } from "../access/identity.ts";
import { gone, noTexts, sendEvents, sendStream } from "../responses/event-stream.ts";
import { inputOf } from "../chat/user-input.ts";
import { pathIn } from "./entry-routes.ts";
import { createRunResponder, withRequests } from "./run-response.ts";
import type { Waiting } from "./run-response.ts";
import { withRefusedCalls } from "./refused-calls.ts";
import { showThread } from "./show-thread.ts";
import { may, openedBy } from "./opened-thread.ts";
import type { WithId } from "./opened-thread.ts";
import * as schemas from "./thread-schemas.ts";

interface NewMessage {
  readonly content: unknown;
  readonly onInput?: "supersede" | "queue" | "refuse";
  readonly mode?: RunMode;
  readonly files?: Readonly<Record<string, string | null>>;
}

/** Routes for messages, decisions, stops and events of threads. */
export function runRoutes(app: FastifyInstance): Promise<void> {
  const { projectThreads, runs } = app.service;
  const respond = createRunResponder(app.service);
  const opened = openedBy(projectThreads);

  app.post<WithId & { Body: NewMessage; Querystring: Waiting }>(
    "/threads/:id/messages",
    { schema: { params: schemas.threadParams, body: schemas.newMessage, querystring: schemas.runQuery } },
    async (request, reply) => {
      const { content, onInput, mode, files } = request.body;
      if (mode === "accept-edits") may(request, "approve"); // its calls need no decision
      const entry = await opened(request);
      const input = inputOf(content, "content");
      const maxMode = maxModeOf(identityOf(request));
      return respond(request, reply, {
        entry,
        begin: () => entry.thread.send(input, { onInput, mode, maxMode, files }),
      });
    },
  );

  app.post<
    WithId & { Body: { decisions?: Decisions; all?: "approve" | "reject"; reason?: string }; Querystring: Waiting }
  >(
    "/threads/:id/decisions",
    {
      config: { needsExactNumbers: true }, // the arguments of an edit
      schema: { params: schemas.threadParams, body: schemas.newDecisions, querystring: schemas.runQuery },
    },
    async (request, reply) => {
      const { by } = may(request, "approve");
      const entry = await opened(request, "approve");
      const { decisions = {}, all, reason } = request.body;
      const { thread } = entry;
      const begin = (): Run => {
        if (all === "approve") return thread.approveAll({ by });
        return all === "reject" ? thread.rejectAll(reason, { by }) : thread.decide(decisions, { by });
      };
      try {
        return await respond(request, reply, { entry, begin });
      } catch (error) {
        throw await withRefusedCalls(error, entry);
      }
    },
  );

  app.post<WithId>("/threads/:id/stop", { schema: { params: schemas.threadParams } }, async (request) => {
    const { thread, id } = await opened(request);
    await thread.stop();
    return showThread(await projectThreads.open(identityOf(request).project, id));
  });

  app.post<WithId & { Querystring: Waiting }>(
    "/threads/:id/regenerate",
    { schema: { params: schemas.threadParams, querystring: schemas.runQuery } },
    async (request, reply) => {
      const entry = await opened(request);
      const maxMode = maxModeOf(identityOf(request));
      return respond(request, reply, { entry, begin: () => entry.thread.regenerate({ maxMode }) });
    },
  );

  app.get<WithId & { Querystring: { after?: string; path?: string } }>(
    "/threads/:id/events",
    { schema: { params: schemas.threadParams, querystring: schemas.eventsQuery } },
    async (request, reply) => {
      const entry = await opened(request);
      const path = pathIn(request.query.path);
      if (path.length > 0) await entry.thread.entries({ path, limit: 1 }); // refuses an unknown path before the stream starts
      if (request.method === "HEAD") return sendStream(reply, noTexts());
      const last = request.headers["last-event-id"];
      const after = (typeof last === "string" && last !== "" ? last : undefined) ?? request.query.after;
      const { holds } = identityOf(request);
      const isThere = projectThreads.presence(entry);
      const isWanted = async (): Promise<boolean> => (await holds()) && isThere();
      const signal = gone(request, app.service.closing.signal);
      const events = entry.thread.events({ after, signal, path });
      return sendEvents(reply, withRequests(events, runs), { isWanted });
    },
  );
  return Promise.resolve();
}
