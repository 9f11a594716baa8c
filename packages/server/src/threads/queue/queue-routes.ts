import type { FastifyInstance } from "fastify";

import { gone, noTexts, sendStream, silence, withSilences } from "../../responses/event-stream.ts";
import type { ProjectThreads, ListedThread } from "../../projects/project-threads.ts";
import { may } from "../opened-thread.ts";
import { nextCursor, readPage } from "../paging.ts";
import type { Paging } from "../paging.ts";
import type { QueueFeed } from "./queue-feed.ts";
import { asListed, isQueued, queuedThread } from "./queued-thread.ts";
import * as schemas from "../thread-schemas.ts";

/** Routes for the pending calls of all threads of a project. */
export function queueRoutes(app: FastifyInstance): Promise<void> {
  const { projectThreads, queue, closing } = app.service;
  const reading = { projectThreads, logger: app.log };

  app.get<{ Querystring: Paging }>("/queue", { schema: { querystring: schemas.queueQuery } }, async (request) => {
    const { project } = may(request, "approve");
    const { entries, next } = await queuePage(projectThreads, project, request.query);
    const read = await Promise.all(
      entries.map((entry) => queuedThread(reading, project, { id: entry.id, last: asListed(entry) })),
    );
    return {
      data: read.flatMap((each) => (each !== undefined && isQueued(each) ? [each.shown] : [])),
      next_cursor: next,
    };
  });

  app.get("/queue/events", (request, reply) => {
    const { project, holds } = may(request, "approve");
    if (request.method === "HEAD") return sendStream(reply, noTexts());
    const feed = queue.follow(project, gone(request, closing.signal)); // a long queue is read after the headers are sent
    return sendStream(reply, queueTexts(feed), { isWanted: holds });
  });
  return Promise.resolve();
}

interface QueuePage {
  readonly entries: readonly ListedThread[];
  readonly next: string | null;
}

/** Starts the cursor of a page of running threads. */
const ofRunning = "running.";

/**
 * A page of the threads that may have pending calls: those that wait, then those that run, of which one call may wait
 * while another runs. Running ones are listed before the others: one that begins to wait in between would be in neither.
 */
async function queuePage(
  projectThreads: ProjectThreads,
  project: string,
  { cursor, ...query }: Paging,
): Promise<QueuePage> {
  const isOfRunning = cursor?.startsWith(ofRunning) === true;
  const place = isOfRunning ? cursor.slice(ofRunning.length) : cursor;
  const page = readPage({ ...query, ...(place !== undefined && { cursor: place }) }, 200);
  const running = await projectThreads.list(project, {
    ...(isOfRunning ? page : { limit: page.limit }),
    status: "running",
  });
  const waiting = isOfRunning ? [] : await projectThreads.list(project, { ...page, status: "waiting" });
  const room = page.limit - waiting.length;
  if (room === 0) return { entries: waiting, next: nextCursor(waiting, page) };
  const rest = running.filter(({ id }) => waiting.every((each) => each.id !== id)).slice(0, room);
  const next = nextCursor(rest, { limit: room });
  return { entries: [...waiting, ...rest], next: next === null ? null : ofRunning + next };
}

async function* queueTexts(feed: QueueFeed): AsyncGenerator<string> {
  yield "retry: 1000\n\n";
  for await (const each of withSilences(feed, silence))
    yield each === undefined ? ": keep-alive\n\n" : `event: ${each.event}\ndata: ${each.text}\n\n`;
}
