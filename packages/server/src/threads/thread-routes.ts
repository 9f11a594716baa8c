import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Format } from "undangle";
import type { Imported, PortableThread } from "undangle/agent";

import { identityOf } from "../access/identity.ts";
import { ApiError } from "../responses/api-error.ts";
import type { Fill } from "../projects/project-threads.ts";
import { fromElsewhere, isExported } from "../projects/imported-thread.ts";
import { demandReadable } from "../histories/read-history.ts";
import { may, openedBy } from "./opened-thread.ts";
import type { WithId } from "./opened-thread.ts";
import { nextCursor, readPage } from "./paging.ts";
import type { Paging } from "./paging.ts";
import { locationOf, showCalls, showThread, showWhole } from "./show-thread.ts";
import * as schemas from "./thread-schemas.ts";

/** Routes that create, list, read, change, import and export threads. */
export function threadRoutes(app: FastifyInstance): Promise<void> {
  const { projectThreads, roster } = app.service;
  const opened = openedBy(projectThreads);
  const checkPersona = (persona: string | undefined): void => {
    if (persona === undefined || roster.personas.some(({ id }) => id === persona)) return;
    throw new ApiError(404, "persona-unknown", `There is no persona ${JSON.stringify(persona)}.`, { param: "persona" });
  };
  const checkModel = (model: string | null | undefined): void => {
    if (model === undefined || model === null || roster.models.includes(model)) return;
    const known = roster.models.length === 0 ? "The config has no models." : `Known: ${roster.models.join(", ")}.`;
    throw new ApiError(404, "model_not_found", `The model ${JSON.stringify(model)} does not exist here. ${known}`, {
      param: "model",
    });
  };

  app.get("/personas", (request) => {
    may(request, "chat", "threads");
    return { data: roster.personas, models: roster.models };
  });

  app.post<{ Body: NewThread }>("/threads", { schema: { body: schemas.newThread } }, async (request, reply) => {
    const { project } = may(request, "threads");
    const { persona = roster.standard, model, id = request.remembering?.newThread, files, ...rest } = request.body;
    checkPersona(persona);
    checkModel(model);
    const { earlier } = request.remembering ?? {};
    const entry =
      earlier === undefined
        ? await projectThreads.create(
            project,
            { ...rest, id, note: { persona, ...(model !== undefined && { model }) } },
            files === undefined ? undefined : withFiles(files),
          )
        : await projectThreads.open(project, earlier.thread);
    return reply.code(201).header("location", locationOf(entry.id)).send(showThread(entry));
  });

  app.get<{
    Querystring: Paging & { q?: string; status?: "idle" | "running" | "waiting"; deleted?: string };
  }>("/threads", { schema: { querystring: schemas.threadQuery } }, async (request) => {
    const { project } = may(request, "threads");
    const { q, status, deleted } = request.query;
    const page = readPage(request.query, 50);
    const entries = await projectThreads.list(project, {
      ...(q !== undefined && { search: q }),
      ...(status !== undefined && { status }),
      ...page,
      isDeleted: deleted === "true",
    });
    return { data: entries.map(showThread), next_cursor: nextCursor(entries, page) };
  });

  app.get<WithId & { Querystring: { contents?: "all" | "pending" } }>(
    "/threads/:id",
    { schema: { params: schemas.threadParams, querystring: schemas.contentsQuery } },
    async (request) => {
      const entry = await opened(request);
      if (request.query.contents === "pending") return { ...showThread(entry), pending: await entry.pending() };
      const [pending, calls, messages] = await Promise.all([
        entry.pending(),
        entry.thread.calls(),
        entry.thread.history("openai-chat", { instructions: mayReadInstructions(request) }),
      ]);
      return showWhole(entry, { pending, calls: showCalls(identityOf(request).project, calls), messages });
    },
  );

  app.patch<
    WithId & {
      Body: {
        title?: string;
        persona?: string;
        model?: string | null;
        metadata?: Record<string, unknown>;
        deleted?: false;
      };
    }
  >("/threads/:id", { schema: { params: schemas.threadParams, body: schemas.threadChange } }, async (request) => {
    const { project } = may(request, "threads");
    checkPersona(request.body.persona);
    checkModel(request.body.model);
    return showThread(await projectThreads.change(project, request.params.id, request.body));
  });

  app.delete<WithId & { Querystring: { purge?: "true" | "false" } }>(
    "/threads/:id",
    { schema: { params: schemas.threadParams, querystring: schemas.deleteQuery } },
    async (request, reply) => {
      const { project } = may(request, "threads");
      await projectThreads.delete(project, request.params.id, { purge: request.query.purge === "true" });
      return reply.code(204).send();
    },
  );

  app.post<WithId & { Body: { at?: number; id?: string; title?: string } | null }>(
    "/threads/:id/fork",
    { schema: { params: schemas.threadParams, body: { anyOf: [schemas.forkWish, { type: "null" }] } } },
    async (request, reply) => {
      const entry = await opened(request);
      const { at, id = request.remembering?.newThread, title } = request.body ?? {};
      const { project } = identityOf(request);
      const { earlier } = request.remembering ?? {};
      const fork =
        earlier === undefined
          ? await projectThreads.fork(project, entry, { at, id, title })
          : await projectThreads.open(project, earlier.thread);
      return reply.code(201).header("location", locationOf(fork.id)).send(showThread(fork));
    },
  );

  app.get<WithId & { Querystring: { format?: string } }>(
    "/threads/:id/export",
    { schema: { params: schemas.threadParams, querystring: schemas.exportQuery } },
    async (request) => {
      const { thread, id } = await opened(request);
      const { format } = request.query;
      if (format !== undefined) return thread.export(format as Format | "original"); // an unknown format is refused there
      return { ...(await thread.export()), id };
    },
  );

  app.post<{ Body: { id?: string; persona?: string; history: unknown; format?: string } }>(
    "/threads/import",
    { schema: { body: schemas.importWish } },
    async (request, reply) => {
      const { project } = may(request, "threads");
      const { id = request.remembering?.newThread, persona = roster.standard, history, format } = request.body;
      checkPersona(persona);
      if (!isExported(history)) demandReadable(history);
      let edits: Imported["edits"] = [];
      const entry = await projectThreads.create(project, { id, note: { persona } }, async (thread, options) => {
        const from = format === undefined ? {} : { format: format as Format }; // an unknown format is refused there
        ({ edits } = await thread.import(fromElsewhere(history), { ...from, ...options }));
      });
      return reply
        .code(201)
        .header("location", locationOf(entry.id))
        .send({ ...showThread(entry), edits });
    },
  );

  return Promise.resolve();
}

interface NewThread {
  readonly id?: string;
  readonly persona?: string;
  readonly model?: string;
  readonly title?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly files?: Readonly<Record<string, string>>;
}

/** Fills a new thread with files, in the commit that creates it: an import of a thread that has nothing else. */
const withFiles =
  (files: Readonly<Record<string, string>>): Fill =>
  (thread, options) => {
    const given = Object.entries(files).map(([path, text]) => ({ path, text }));
    const exported: PortableThread = { undangle: 1, id: thread.id, entries: [], state: {}, queue: [], files: given };
    return thread.import(exported, options);
  };

/** The instructions of a persona belong to the operator. */
const mayReadInstructions = (request: FastifyRequest): boolean => identityOf(request).scopes.has("admin");
