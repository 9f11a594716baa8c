import { dataOf, object, record } from "../json-schema.ts";
import { json } from "../operation.ts";
import type { Operation } from "../operation.ts";

/** What happened in a thread. */
export const inspectionOperations: Readonly<Record<string, Operation>> = {
  "GET /threads/{id}/entries": {
    id: "listEntries",
    tag: "Inspection",
    summary: "Reads the messages and turns of a thread",
    description: "The newest page first, and the oldest entry of a page first. With `path`, those of a child thread.",
    scope: "threads",
    responses: { 200: json("A page of entries.", "EntryPage") },
    errors: [404, 410],
  },
  "GET /threads/{id}/state": {
    id: "getState",
    tag: "Inspection",
    summary: "Reads the state of tools and middleware",
    scope: "threads",
    responses: { 200: json("The state, by key.", object({ data: record })) },
    errors: [404, 410],
  },
  "GET /threads/{id}/trace": {
    id: "getTrace",
    tag: "Inspection",
    summary: "Reads when what happened in a thread",
    description: "Runs, model responses, calls, and waits for people. Child threads are included.",
    scope: "threads",
    responses: { 200: json("The trace.", "Trace") },
    errors: [404, 410],
  },
  "GET /threads/{id}/repairs": {
    id: "listRepairs",
    tag: "Inspection",
    summary: "Lists what was repaired",
    description: "In imported histories, and in requests and responses of models. Child threads are included.",
    scope: "threads",
    responses: { 200: json("The repairs, by time.", dataOf("Repair")) },
    errors: [404, 410],
  },
  "GET /threads/{id}/responses/{n}/request": {
    id: "getModelRequest",
    tag: "Inspection",
    summary: "Reads what the model received for a turn",
    description: "With `path`, for a turn of a child thread.",
    scope: "admin",
    responses: { 200: json("The request.", "Exchange") },
    errors: [404, 410],
  },
  "GET /threads/{id}/responses/{n}/response": {
    id: "getModelResponse",
    tag: "Inspection",
    summary: "Reads what the model sent for a turn",
    description: "With `path`, for a turn of a child thread.",
    scope: "admin",
    responses: { 200: json("The response.", "Exchange") },
    errors: [404, 410],
  },
};
