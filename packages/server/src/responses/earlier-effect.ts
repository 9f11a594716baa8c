import type { FastifyRequest } from "fastify";

import { identityOf } from "../access/identity.ts";
import { findRecorded } from "../projects/runs/recorded-run.ts";
import type { RecordedRun } from "../projects/runs/recorded-run.ts";
import { keyOf } from "../projects/thread-key.ts";
import type { Service } from "../open-service.ts";
import { fieldsIn } from "../record.ts";
import type { StoredClaim } from "./stored-responses.ts";

/**
 * The effect of an earlier request with the same key. `done`: the response can be read from the thread. `unknown`: the
 * effect left no trace of the request.
 */
export type Effect =
  | { readonly type: "none" }
  | ({ readonly type: "done" } & EarlierRequest)
  | { readonly type: "unknown" };

/** A request that had an effect. */
export interface EarlierRequest {
  readonly thread: string;
  /** The run that it started; undefined if it created a thread. */
  readonly started: { readonly id: string; readonly run: RecordedRun } | undefined;
}

/** The thread that a request continues or creates; undefined for a request without a thread. */
export function plannedThread(request: FastifyRequest, newThread: string): string | undefined {
  const { id, thread_id: named } = fieldsIn(request.body);
  const { id: inPath } = fieldsIn(request.params);
  const wanted = isCreating(request) ? id : (named ?? inPath);
  if (typeof wanted === "string" && wanted !== "") return wanted;
  return isCreating(request) || isMessage(request) ? newThread : undefined;
}

/** Determines the effect of an earlier request whose response was not stored. */
export async function effectOf(
  { store, roster }: Service,
  request: FastifyRequest,
  known: StoredClaim,
): Promise<Effect> {
  const { project } = identityOf(request);
  const { thread } = known;
  if (thread === undefined) return none;
  const key = keyOf(project, thread);
  const head = await store.load(key);
  if (head === undefined) return none;
  if (isCreating(request)) {
    const isGenerated = fieldsIn(request.body)["id"] === undefined; // only this request can have the generated id
    if (!isGenerated) return head.createdAt >= known.at ? unknown : none;
    return request.routeOptions.url === "/threads/import" ? unknown : { type: "done", thread, started: undefined }; // the edits of an import are not kept
  }
  const place = { key, thread: roster.agentFor({ persona: roster.standard, project }).thread(key), after: 0 };
  for (const id of known.ids.toReversed()) {
    const run = await findRecorded(store, { ...place, request: id });
    if (run !== undefined) return { type: "done", thread, started: { id, run } };
  }
  const { onInput } = fieldsIn(request.body);
  const mayQueue = onInput === "queue" || (onInput === undefined && roster.hasQueues);
  return mayQueue && isMessage(request) && head.updatedAt >= known.at ? unknown : none; // a queued message starts no run
}

const none: Effect = { type: "none" };
const unknown: Effect = { type: "unknown" };

const creating: ReadonlySet<string | undefined> = new Set(["/threads", "/threads/import", "/threads/:id/fork"]);
const messages: ReadonlySet<string | undefined> = new Set(["/threads/:id/messages", "/v1/chat/completions"]);

const isCreating = ({ routeOptions }: FastifyRequest): boolean => creating.has(routeOptions.url);
const isMessage = ({ routeOptions }: FastifyRequest): boolean => messages.has(routeOptions.url);
