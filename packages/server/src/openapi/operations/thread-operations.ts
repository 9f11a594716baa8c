import { list, record, ref } from "../json-schema.ts";
import { empty, json } from "../operation.ts";
import type { Operation } from "../operation.ts";

/** Creates, lists, reads, changes, imports and exports threads. */
export const threadOperations: Readonly<Record<string, Operation>> = {
  "GET /personas": {
    id: "listPersonas",
    tag: "Threads",
    summary: "Lists the personas and the models",
    description: "The standard persona is the first.",
    scope: ["chat", "threads"],
    responses: { 200: json("The personas and the models.", "PersonaList") },
  },
  "POST /threads": {
    id: "createThread",
    tag: "Threads",
    summary: "Creates a thread",
    scope: "threads",
    headers: ["Idempotency-Key"],
    responses: { 201: json("The new thread.", "Thread", ["location", "idempotency-replayed"]) },
    errors: [404],
  },
  "GET /threads": {
    id: "listThreads",
    tag: "Threads",
    summary: "Lists threads",
    description: "The latest change comes first.",
    scope: "threads",
    responses: { 200: json("A page of threads.", "ThreadPage") },
  },
  "GET /threads/{id}": {
    id: "getThread",
    tag: "Threads",
    summary: "Reads a thread",
    description: "The instructions of the persona are part of the messages for keys with the scope `admin` only.",
    scope: "threads",
    responses: { 200: json("The thread with its content.", "ThreadContents") },
    errors: [404, 410],
  },
  "PATCH /threads/{id}": {
    id: "updateThread",
    tag: "Threads",
    summary: "Changes or restores a thread",
    description:
      "Absent fields stay unchanged. `model: null` is the model of the persona. `deleted: false` restores a deleted thread.",
    scope: "threads",
    responses: { 200: json("The changed thread.", "Thread") },
    errors: [404, 409, 410],
  },
  "DELETE /threads/{id}": {
    id: "deleteThread",
    tag: "Threads",
    summary: "Deletes a thread",
    description: "It is marked as deleted, or removed permanently with `purge=true`.",
    scope: "threads",
    responses: { 204: empty("The thread is deleted.") },
    errors: [404, 409, 410],
  },
  "POST /threads/{id}/fork": {
    id: "forkThread",
    tag: "Threads",
    summary: "Copies a thread",
    description: "The copy has the entries up to `at`, or all. Pending calls are pending there too.",
    scope: "threads",
    headers: ["Idempotency-Key"],
    responses: { 201: json("The new thread.", "Thread", ["location", "idempotency-replayed"]) },
    errors: [404],
  },
  "GET /threads/{id}/export": {
    id: "exportThread",
    tag: "Threads",
    summary: "Exports a thread",
    description: "In a format, as it was imported, or as JSON that `POST /threads/import` accepts.",
    scope: "threads",
    responses: {
      200: json("The thread, or its history.", { anyOf: [ref("PortableThread"), list(record), record] }),
    },
    errors: [404, 410],
  },
  "POST /threads/import": {
    id: "importThread",
    tag: "Threads",
    summary: "Creates a thread from a history",
    description: "The history is repaired. The original is kept and can be exported.",
    scope: "threads",
    headers: ["Idempotency-Key"],
    responses: { 201: json("The new thread.", "ImportedThread", ["location", "idempotency-replayed"]) },
    errors: [404],
  },
};
