import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Decisions, Run } from "undangle/agent";
import type { Format } from "undangle";

import { identityOf, requireScope } from "../access/identity.ts";
import type { Identity } from "../access/identity.ts";
import type { Scope } from "../access/key-ring.ts";
import { ApiError } from "../answers/api-error.ts";
import { sendEvents } from "../answers/event-stream.ts";
import { inputOf } from "../chat/user-input.ts";
import { withoutNotes } from "../desk/desk.ts";
import type { DeskEntry, DeskThread } from "../desk/desk.ts";
import { createRunAnswer, withRequests } from "./run-answer.ts";
import type { Waiting } from "./run-answer.ts";
import { cursorOf, readCursor, showThread, showWhole } from "./show-thread.ts";
import * as schemas from "./thread-schemas.ts";

interface WithId {
  Params: { readonly id: string };
}

/** Threads: made, listed, read, spoken in, decided in, taken along. */
export function threadRoutes(app: FastifyInstance): Promise<void> {
  const { desk, roster, runs, store } = app.service;
  const answer = createRunAnswer(app.service);
  const may = (request: FastifyRequest, scope: Scope): Identity => {
    const identity = identityOf(request);
    requireScope(identity, scope);
    return identity;
  };
  const opened = (request: FastifyRequest<WithId>, scope: Scope = "threads"): Promise<DeskThread> =>
    desk.open(may(request, scope).project, request.params.id);
  const checkPersona = (persona: string | undefined): void => {
    if (persona === undefined || roster.personas.some(({ id }) => id === persona)) return;
    throw new ApiError(404, "persona-unknown", `There is no persona ${JSON.stringify(persona)}.`, { param: "persona" });
  };

  /** A thread with what waits in it; undefined when it is gone by now. */
  const waiting = async (project: string, entry: DeskEntry): Promise<object | undefined> => {
    try {
      const { thread } = await desk.open(project, entry.id);
      return { ...showThread(entry), pending: await thread.pending() };
    } catch (error) {
      if (error instanceof ApiError && (error.status === 404 || error.status === 410)) return undefined;
      throw error;
    }
  };

  app.get("/personas", (request) => {
    may(request, "chat");
    return { data: roster.personas };
  });

  app.post<{ Body: { id?: string; persona?: string; title?: string; metadata?: Record<string, unknown> } }>(
    "/threads",
    { schema: { body: schemas.newThread } },
    async (request, reply) => {
      const { project } = may(request, "threads");
      const { persona = roster.standard, ...rest } = request.body;
      checkPersona(persona);
      const entry = await desk.create(project, { ...rest, note: { persona } });
      return reply.code(201).send(showThread(entry));
    },
  );

  app.get<{
    Querystring: {
      q?: string;
      status?: "idle" | "running" | "waiting";
      deleted?: string;
      limit?: string;
      cursor?: string;
    };
  }>("/threads", { schema: { querystring: schemas.threadQuery } }, async (request) => {
    const { project } = may(request, "threads");
    const { q, status, deleted, limit = "50", cursor } = request.query;
    const after = cursor === undefined ? undefined : readCursor(cursor);
    if (cursor !== undefined && after === undefined)
      throw new ApiError(400, "parameter-invalid", "cursor must be the next_cursor of a page.", { param: "cursor" });
    const entries = await desk.list(project, {
      ...(q !== undefined && { search: q }),
      ...(status !== undefined && { status }),
      ...(after !== undefined && { after }),
      isDeleted: deleted === "true",
      limit: Number(limit),
    });
    const last = entries.length === Number(limit) ? entries.at(-1) : undefined;
    return { data: entries.map(showThread), next_cursor: last === undefined ? null : cursorOf(last) };
  });

  app.get<WithId>("/threads/:id", { schema: { params: schemas.threadParams } }, async (request) => {
    const entry = await opened(request);
    const [pending, calls, messages] = await Promise.all([
      entry.thread.pending(),
      entry.thread.calls(),
      entry.thread.history("openai-chat"),
    ]);
    return showWhole(entry, { pending, calls, messages });
  });

  app.patch<
    WithId & { Body: { title?: string; persona?: string; metadata?: Record<string, unknown>; deleted?: false } }
  >("/threads/:id", { schema: { params: schemas.threadParams, body: schemas.threadChange } }, async (request) => {
    const { project } = may(request, "threads");
    const { deleted, persona, title, metadata } = request.body;
    checkPersona(persona);
    if (deleted === false) await desk.restore(project, request.params.id);
    const entry = await desk.open(project, request.params.id);
    if (title !== undefined || persona !== undefined || metadata !== undefined)
      await desk.change(entry, { title, metadata, ...(persona !== undefined && { note: { ...entry.note, persona } }) });
    return showThread(await desk.open(project, request.params.id));
  });

  app.delete<WithId>("/threads/:id", { schema: { params: schemas.threadParams } }, async (request, reply) => {
    const { project } = may(request, "threads");
    await desk.delete(project, request.params.id);
    return reply.code(204).send();
  });

  app.post<WithId & { Body: { content: unknown; onInput?: "supersede" | "queue" | "refuse" }; Querystring: Waiting }>(
    "/threads/:id/messages",
    { schema: { params: schemas.threadParams, body: schemas.newMessage, querystring: schemas.runQuery } },
    async (request, reply) => {
      const entry = await opened(request);
      const { content, onInput } = request.body;
      const input = inputOf(content, "content");
      return answer(request, reply, { entry, begin: () => entry.thread.send(input, { onInput }) });
    },
  );

  app.post<
    WithId & { Body: { decisions?: Decisions; all?: "approve" | "reject"; reason?: string }; Querystring: Waiting }
  >(
    "/threads/:id/decisions",
    { schema: { params: schemas.threadParams, body: schemas.newDecisions, querystring: schemas.runQuery } },
    async (request, reply) => {
      const { by } = may(request, "approve");
      const entry = await opened(request, "approve");
      const { decisions = {}, all, reason } = request.body;
      const { thread } = entry;
      const begin = (): Run => {
        if (all === "approve") return thread.approveAll({ by });
        return all === "reject" ? thread.rejectAll(reason, { by }) : thread.decide(decisions, { by });
      };
      return answer(request, reply, { entry, begin });
    },
  );

  app.post<WithId>("/threads/:id/stop", { schema: { params: schemas.threadParams } }, async (request) => {
    const { thread, id } = await opened(request);
    await thread.stop();
    return showThread(await desk.open(identityOf(request).project, id));
  });

  app.post<WithId & { Querystring: Waiting }>(
    "/threads/:id/regenerate",
    { schema: { params: schemas.threadParams, querystring: schemas.runQuery } },
    async (request, reply) => {
      const entry = await opened(request);
      return answer(request, reply, { entry, begin: () => entry.thread.regenerate() });
    },
  );

  app.post<WithId & { Body: { at?: number; id?: string } | null }>(
    "/threads/:id/fork",
    { schema: { params: schemas.threadParams, body: { anyOf: [schemas.forkWish, { type: "null" }] } } },
    async (request, reply) => {
      const entry = await opened(request);
      const { at, id } = request.body ?? {};
      return reply.code(201).send(showThread(await desk.fork(identityOf(request).project, entry, { at, id })));
    },
  );

  app.get<WithId & { Querystring: { after?: string } }>(
    "/threads/:id/events",
    { schema: { params: schemas.threadParams, querystring: schemas.eventsQuery } },
    async (request, reply) => {
      const { thread, found } = await opened(request);
      const last = request.headers["last-event-id"];
      const after = (typeof last === "string" && last !== "" ? last : undefined) ?? request.query.after;
      const { holds } = identityOf(request);
      const isWanted = async (): Promise<boolean> => {
        const head = (await holds()) ? await store.load(found.id) : undefined;
        return head !== undefined && head.deletedAt === undefined;
      };
      const events = thread.events({ after, signal: gone(request, app.service.closing.signal) });
      return sendEvents(reply, withRequests(events, runs), { isWanted });
    },
  );

  app.get<WithId & { Querystring: { format?: string } }>(
    "/threads/:id/export",
    { schema: { params: schemas.threadParams, querystring: schemas.exportQuery } },
    async (request) => {
      const { thread } = await opened(request);
      const { format } = request.query;
      return format === undefined ? thread.export() : thread.export(format as Format | "original"); // one that does not exist is refused there
    },
  );

  app.post<{ Body: { id?: string; persona?: string; history: unknown; format?: string } }>(
    "/threads/import",
    { schema: { body: schemas.importWish } },
    async (request, reply) => {
      const { project } = may(request, "threads");
      const { id, persona = roster.standard, history, format } = request.body;
      checkPersona(persona);
      const entry = await desk.create(project, { id, note: { persona } });
      try {
        const { edits } = await entry.thread.import(
          withoutNotes(history),
          format === undefined ? {} : { format: format as Format },
        );
        return await reply.code(201).send({ ...showThread(await desk.open(project, entry.id)), edits });
      } catch (error) {
        await desk.delete(project, entry.id); // there is nothing in it
        throw error;
      }
    },
  );

  app.get("/queue", async (request) => {
    const { project } = may(request, "approve");
    const entries = await desk.list(project, { status: "waiting", limit: 200 });
    const data = await Promise.all(entries.map((entry) => waiting(project, entry)));
    return { data: data.filter((each) => each !== undefined) };
  });
  return Promise.resolve();
}

/** Aborted when the caller has left, or the server stops. */
function gone({ raw }: FastifyRequest, closing: AbortSignal): AbortSignal {
  const left = new AbortController();
  const leave = (): void => left.abort();
  raw.socket.once("close", leave);
  closing.addEventListener("abort", leave, { once: true });
  left.signal.addEventListener("abort", () => {
    raw.socket.removeListener("close", leave);
    closing.removeEventListener("abort", leave);
  });
  return left.signal;
}
