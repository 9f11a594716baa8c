import type { Scope } from "../access/key-ring.ts";
import { ref } from "./json-schema.ts";
import type { Schema } from "./json-schema.ts";

/** What the document says about a route, beside the parameters and the body that its schema has. */
export interface Operation {
  /** The name of the function in generated clients. */
  readonly id: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  /** The scope that a key needs, or several of which it needs one. `any`: every key. `public`: no key. */
  readonly scope: Scope | readonly Scope[] | "any" | "public";
  /** Request headers. */
  readonly headers?: readonly RequestHeader[];
  /** Successful responses by status. */
  readonly responses: Readonly<Record<number, ResponseDescription>>;
  /** The statuses of its own errors. Those of keys, limits and invalid parameters are added. */
  readonly errors?: readonly ErrorStatus[];
}

export type RequestHeader = "Idempotency-Key" | "Last-Event-ID" | "If-None-Match";

export interface ResponseDescription {
  readonly description: string;
  /** Schemas by content type. None for a response without a body. */
  readonly content?: Readonly<Record<string, Schema>>;
  readonly headers?: readonly ResponseHeader[];
}

export type ResponseHeader = keyof typeof responseHeaders;

/** The tags in reading order. */
export const tags = {
  Chat: "The endpoints of OpenAI.",
  Threads: "Conversations that the server stores.",
  Runs: "Messages, decisions and events.",
  Inspection: "What happened in a thread: entries, traces, repairs, requests and responses.",
  Files: "Files of threads.",
  Histories: "The functions of the library. Nothing is stored.",
  Access: "Sessions, keys and allowances.",
  Server: "The state and the description of the server.",
} as const;

export type Tag = keyof typeof tags;

/** A JSON response with a component as its schema. */
export const json = (
  description: string,
  name: string | Schema,
  headers: readonly ResponseHeader[] = [],
): ResponseDescription => ({
  description,
  content: { "application/json": typeof name === "string" ? ref(name) : name },
  headers,
});

/** A stream of server-sent events. */
export const events = (description: string, name: string): ResponseDescription => ({
  description,
  content: { "text/event-stream": ref(name) },
});

/** A response without a body. */
export const empty = (description: string, headers: readonly ResponseHeader[] = []): ResponseDescription => ({
  description,
  headers,
});

const text = { type: "string" } as const;

/** The response headers that the document describes. All responses have `x-request-id`. */
export const responseHeaders = {
  "x-request-id": { description: "Identifies the request in the log of the server.", schema: text },
  "x-undangle-thread": { description: "The id of the thread, percent-encoded.", schema: text },
  "x-undangle-edits": { description: "The number of repairs of the history.", schema: text },
  "x-undangle-rules": { description: "The rules of these repairs, separated by commas.", schema: text },
  "idempotency-replayed": {
    description: "`true` if the response repeats that of an earlier request with the same Idempotency-Key.",
    schema: text,
  },
  "x-ratelimit-limit-requests": { description: "The permitted requests per minute.", schema: { type: "integer" } },
  "x-ratelimit-remaining-requests": { description: "Those that are left now.", schema: { type: "integer" } },
  "x-ratelimit-reset-requests": { description: "The time until all are permitted again: `1s`.", schema: text },
  "www-authenticate": { description: "`Bearer`.", schema: text },
  "retry-after": { description: "Seconds to wait before the next attempt.", schema: text },
  "set-cookie": { description: "The cookie of the session, if there is one.", schema: text },
  location: { description: "The path of the resource.", schema: text },
  etag: { description: "Identifies the content.", schema: text },
  "content-disposition": { description: "The name of the file.", schema: text },
} as const;

/** Responses of all routes that need a key have them. */
export const rateHeaders = [
  "x-ratelimit-limit-requests",
  "x-ratelimit-remaining-requests",
  "x-ratelimit-reset-requests",
] as const satisfies readonly ResponseHeader[];

export const requestHeaders: Readonly<
  Record<RequestHeader, { readonly description: string; readonly schema: Schema }>
> = {
  "Idempotency-Key": {
    description: "Requests with the same key take effect once. The first response is repeated for one day.",
    schema: { type: "string", minLength: 1, maxLength: 255 },
  },
  "Last-Event-ID": { description: "The id of the last event that was read.", schema: text },
  "If-None-Match": { description: "The `etag` of a known content.", schema: text },
};

/** What each error status means. */
export const errorTexts = {
  400: "The request is invalid.",
  401: "The key is missing or invalid, or the session has ended.",
  403: "The key lacks the scope, or the origin or host is not allowed.",
  404: "The resource does not exist.",
  409: "The state of the thread does not permit the request.",
  410: "The thread is deleted.",
  413: "The body is too large.",
  415: "The type of the body is not supported.",
  422: "The request cannot be processed: a limit, a filter, or another use of the Idempotency-Key.",
  429: "Too many requests.",
  500: "Internal server error.",
  502: "The provider of the model failed.",
  503: "The server or the provider of the model is overloaded, or the store cannot be used.",
  504: "The provider of the model did not respond in time.",
} as const;

export type ErrorStatus = keyof typeof errorTexts;
