import { record, text } from "../json-schema.ts";
import { json } from "../operation.ts";
import type { Operation } from "../operation.ts";

/** The state and the description of the server. */
export const serverOperations: Readonly<Record<string, Operation>> = {
  "GET /healthz": {
    id: "getHealth",
    tag: "Server",
    summary: "Reports that the process runs",
    scope: "public",
    responses: { 200: json("The process runs.", "Health") },
  },
  "GET /readyz": {
    id: "getReadiness",
    tag: "Server",
    summary: "Reports whether the store can be used",
    scope: "public",
    responses: {
      200: json("The server is ready.", "Health"),
      503: json("The store cannot be used.", "Health"),
    },
  },
  "GET /metrics": {
    id: "getMetrics",
    tag: "Server",
    summary: "Reads the metrics",
    scope: "admin",
    responses: { 200: { description: "In the format of Prometheus.", content: { "text/plain": text } } },
  },
  "GET /openapi.json": {
    id: "getDescription",
    tag: "Server",
    summary: "Reads this document",
    description: "It has no data of the server, so that generators of clients need no key.",
    scope: "public",
    responses: { 200: json("The document.", record) },
    errors: [403],
  },
};
