import type { FastifyReply, FastifyRequest } from "fastify";
import type { AgentEvent, EventData, Run } from "undangle/agent";

import { identityOf } from "../access/identity.ts";
import { sendEvents } from "../responses/event-stream.ts";
import { begun } from "../projects/runs/begun.ts";
import { demandPersona } from "../projects/agents/demand-persona.ts";
import type { ProjectThread } from "../projects/project-threads.ts";
import type { RunStarter } from "../projects/runs/run-starter.ts";
import type { Service } from "../open-service.ts";
import { locationOf, showEnd } from "./show-thread.ts";

export interface Waiting {
  readonly wait?: "true" | "false";
}

/** A run to start in a thread. */
export interface Wanted {
  readonly entry: ProjectThread;
  readonly begin: () => Run;
}

export type RunResponder = (
  request: FastifyRequest<{ Querystring: Waiting }>,
  reply: FastifyReply,
  wanted: Wanted,
) => Promise<unknown>;

/**
 * Starts a run. Responds with its events to clients that request a stream, with its end to clients that wait, and
 * otherwise with its location.
 */
export function createRunResponder({ runs, roster, closing }: Service): RunResponder {
  return async (request, reply, { entry, begin }) => {
    const { id, isRunningHere } = entry;
    demandPersona(entry.note, roster);
    const { remembering } = request;
    const started = remembering?.earlier?.started; // by an earlier request with the same Idempotency-Key
    const run = started === undefined ? runs.start(request.id, begin) : started.run.follow(closing.signal);
    request.log.info(
      { threadId: id, runId: run.id },
      started === undefined ? "Run started" : "Reading an existing run",
    );
    const status = await begun(run, isRunningHere);
    if (remembering !== undefined) remembering.hasEffect = true;
    if (request.headers.accept?.includes("text/event-stream") === true)
      return sendEvents(reply, withRequests(run, runs), { isWanted: identityOf(request).holds });
    if (request.query.wait === "true") return showEnd(id, run.id, await run.result);
    const location = locationOf(id);
    const events = `${location}/events`;
    return reply.code(202).header("location", location).send({ thread_id: id, run_id: run.id, status, events });
  };
}

/** The start event of a run with the id of its request. */
type RunStart = EventData["run_start"] & { readonly requestId: string };

/** Adds the request id to the start events of runs, even before it is saved. */
export async function* withRequests(
  events: AsyncIterable<AgentEvent>,
  { requestOf }: RunStarter,
): AsyncGenerator<AgentEvent> {
  for await (const event of events) {
    const requestId = event.type === "run_start" ? requestOf(event.data.runId) : undefined;
    if (event.type !== "run_start" || requestId === undefined) yield event;
    else {
      const data: RunStart = { ...event.data, requestId };
      yield { ...event, data };
    }
  }
}
