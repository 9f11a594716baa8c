import type { FastifyInstance } from "fastify";

import { gone, noTexts, sendStream, silence, withSilences } from "../answers/event-stream.ts";
import { may } from "./opened-thread.ts";
import { nextCursor, readPage } from "./paging.ts";
import type { Paging } from "./paging.ts";
import type { QueueFeed } from "./queue-feed.ts";
import { queuedThread } from "./queued-thread.ts";
import * as schemas from "./thread-schemas.ts";

/** Routes for the pending calls of all threads of a project. */
export function queueRoutes(app: FastifyInstance): Promise<void> {
  const { desk, queue, closing } = app.service;
  const reading = { desk, logger: app.log };

  app.get<{ Querystring: Paging }>("/queue", { schema: { querystring: schemas.queueQuery } }, async (request) => {
    const { project } = may(request, "approve");
    const page = readPage(request.query, 200);
    const entries = await desk.list(project, { ...page, status: "waiting" });
    const read = await Promise.all(entries.map((listed) => queuedThread(reading, project, { id: listed.id, listed })));
    return { data: read.flatMap((each) => each?.shown ?? []), next_cursor: nextCursor(entries, page) };
  });

  app.get("/queue/events", async (request, reply) => {
    const { project, holds } = may(request, "approve");
    if (request.method === "HEAD") return sendStream(reply, noTexts());
    const feed = await queue.follow(project, gone(request, closing.signal));
    return sendStream(reply, queueTexts(feed), { isWanted: holds });
  });
  return Promise.resolve();
}

async function* queueTexts(feed: QueueFeed): AsyncGenerator<string> {
  yield "retry: 1000\n\n";
  for await (const each of withSilences(feed, silence))
    yield each === undefined ? ": still here\n\n" : `event: ${each.event}\ndata: ${each.text}\n\n`;
}
