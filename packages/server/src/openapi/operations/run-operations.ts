import { ref } from "../json-schema.ts";
import { events, json } from "../operation.ts";
import type { ErrorStatus, Operation, ResponseDescription } from "../operation.ts";

/** The response of a request that starts a run depends on what the client asks for. */
const started: Readonly<Record<number, ResponseDescription>> = {
  200: {
    description: "The end of the run with `wait=true`, or its events with `Accept: text/event-stream`.",
    content: { "application/json": ref("RunEnd"), "text/event-stream": ref("ThreadEvent") },
    headers: ["idempotency-replayed"],
  },
  202: json("The run has started.", "RunStart", ["location", "idempotency-replayed"]),
};

const runErrors: readonly ErrorStatus[] = [404, 502, 504];

/** Messages, decisions and events. */
export const runOperations: Readonly<Record<string, Operation>> = {
  "POST /threads/{id}/messages": {
    id: "sendMessage",
    tag: "Runs",
    summary: "Sends a message",
    description: "Starts a run, or joins one. The mode `accept-edits` needs the scope `approve`, too.",
    scope: "threads",
    headers: ["Idempotency-Key"],
    responses: started,
    errors: runErrors,
  },
  "POST /threads/{id}/decisions": {
    id: "decideCalls",
    tag: "Runs",
    summary: "Decides pending calls",
    description:
      "Some or all of them. If one decision is invalid, none is applied. When no call of the turn waits any more, the run continues.",
    scope: "approve",
    headers: ["Idempotency-Key"],
    responses: started,
    errors: runErrors,
  },
  "POST /threads/{id}/stop": {
    id: "stopThread",
    tag: "Runs",
    summary: "Stops the run of a thread",
    description: "Open calls are settled, also those that wait for a decision.",
    scope: "threads",
    headers: ["Idempotency-Key"],
    responses: { 200: json("The thread.", "Thread", ["idempotency-replayed"]) },
    errors: [404],
  },
  "POST /threads/{id}/regenerate": {
    id: "regenerateTurn",
    tag: "Runs",
    summary: "Requests another response",
    description: "After a failed run, or instead of the last turn if none of its calls was started or decided.",
    scope: "threads",
    headers: ["Idempotency-Key"],
    responses: started,
    errors: runErrors,
  },
  "GET /threads/{id}/events": {
    id: "readEvents",
    tag: "Runs",
    summary: "Reads the events of a thread",
    description:
      "Stored events after a position, and then new ones. The stream does not end. After a disconnect, send the last `id` as Last-Event-ID.",
    scope: "threads",
    headers: ["Last-Event-ID"],
    responses: { 200: events("Server-sent events.", "ThreadEvent") },
    errors: [404, 410],
  },
  "GET /queue/events": {
    id: "readQueueEvents",
    tag: "Runs",
    summary: "Reads the queue as it changes",
    description:
      "First all threads with pending calls, then each of them that changes. A thread without pending calls has left the queue. Every connection starts with a snapshot, as soon as the queue is read.",
    scope: "approve",
    responses: { 200: events("Server-sent events.", "QueueEvent") },
  },
  "GET /queue": {
    id: "listQueue",
    tag: "Runs",
    summary: "Lists the threads with pending calls",
    description: "First those that wait, then those that run meanwhile. A page may have fewer threads than `limit`.",
    scope: "approve",
    responses: { 200: json("A page of threads with pending calls.", "QueuePage") },
  },
};
