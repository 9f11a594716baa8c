import { createHash, randomUUID } from "node:crypto";
import { Readable } from "node:stream";

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

import { identityOf } from "../access/identity.ts";
import { keyOf } from "../projects/thread-key.ts";
import type { Service } from "../open-service.ts";
import { createStoredResponses, purgedResponse } from "./stored-responses.ts";
import type { StoredResponse, StoredResponses, Claim, StoredClaim } from "./stored-responses.ts";
import { ApiError } from "./api-error.ts";
import { effectOf, plannedThread } from "./earlier-effect.ts";
import type { EarlierRequest } from "./earlier-effect.ts";
import { mayStillStart, nameServer } from "./server-name.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Set for a request with an Idempotency-Key, until its response is sent. */
    remembering: Remembering | undefined;
  }
  interface FastifyContextConfig {
    /** True for a route whose response is never stored. */
    isSecret?: boolean;
  }
}

/** A request with an Idempotency-Key. */
export interface Remembering {
  readonly key: string;
  readonly memory: StoredResponses;
  /** The id for a thread that the request creates. */
  readonly newThread: string;
  /** An earlier request with the key that had an effect. Its thread has the response. */
  readonly earlier: EarlierRequest | undefined;
  /**
   * Stores which thread the request continues, before it starts a run there. Throws if another server has taken over
   * the key.
   */
  readonly noteThread: (thread: string) => Promise<void>;
  /** True if the response can be read again from a thread. Otherwise a long response frees the key. */
  readonly hasThread: boolean;
  /** Set when the request has had an effect, regardless of its response. The key then stays claimed. */
  hasEffect: boolean;
  /**
   * Set when the response is not final, even as a stream with status 200. The next request with the key continues the
   * work.
   */
  hasFailed: boolean;
  /** True if the response repeats that of the earlier request. */
  isReplayed: boolean;
  /** Releases requests that wait with the same key. */
  readonly release: () => void;
}

const longestBody = 128 * 1024;

/** Headers that a repeated response contains. */
const keptHeaders = ["content-type", "location", "x-undangle-thread", "x-undangle-edits", "x-undangle-rules"];

/**
 * A POST that is repeated with the same `Idempotency-Key` takes effect once. For one day it gets the first response,
 * even from another process on the same store, and even if the first client left or the first process died. A request
 * that arrives while the first is handled waits for it. A request that was refused, or had no effect when its process
 * died, frees the key.
 */
export function storeResponses(app: FastifyInstance, service: Service): void {
  const working = new Map<string, Promise<void>>();
  const { name: own, closed } = nameServer();
  app.addHook("onClose", async () => closed());
  app.decorateRequest("remembering", undefined);

  app.addHook("preHandler", async (request, reply) => {
    const given = request.headers["idempotency-key"];
    if (request.method !== "POST" || given === undefined) return undefined;
    if (request.routeOptions.config.isSecret === true)
      throw new ApiError(
        400,
        "parameter-invalid",
        "This route does not support Idempotency-Key: its response is a secret.",
        {
          param,
        },
      );
    if (typeof given !== "string" || given === "" || given.length > 255)
      throw new ApiError(400, "parameter-invalid", "Idempotency-Key must be a string of 1 to 255 characters.", {
        param,
      });
    const { project, by } = identityOf(request);
    const memory = createStoredResponses(service.store, { project, by });
    const key = hashOf([project, by, request.routeOptions.url, given]);
    for (let before = working.get(key); before !== undefined; before = working.get(key)) await before;
    const { promise, resolve } = Promise.withResolvers<void>();
    working.set(key, promise);
    const release = (): void => {
      working.delete(key);
      resolve();
    };
    const newThread = randomUUID();
    const claim: Claim = {
      request: hashOf([request.url, request.body]),
      ids: [request.id],
      thread: plannedThread(request, newThread),
      newThread,
      server: own,
    };
    const begin = (first: Claim, earlier?: EarlierRequest): void => {
      let claimed = first;
      const noteThread = async (thread: string): Promise<void> => {
        const ids = claimed.ids.at(-1) === request.id ? claimed.ids : [...claimed.ids, request.id];
        const next = { ...claimed, ids, thread, server: own };
        if (!(await memory.replace(key, claimed, next))) throw pendingError({ ...claimed, thread });
        claimed = next;
      };
      request.remembering = {
        key,
        memory,
        newThread: first.newThread,
        earlier,
        noteThread,
        hasThread: first.thread !== undefined,
        hasEffect: earlier !== undefined,
        hasFailed: false,
        isReplayed: earlier !== undefined,
        release,
      };
    };
    try {
      const known = await memory.claim(key, claim);
      if (known === undefined) {
        begin(claim);
        return undefined;
      }
      if (known.request !== claim.request) throw conflictError(known);
      if (known.response !== undefined) {
        release();
        return await replay(reply, await respondNow(service, project, { ...known, response: known.response }));
      }
      const effect = await effectOf(service, request, known);
      if (effect.type === "done") {
        begin(claimOf(known), effect);
        return undefined;
      }
      if (effect.type === "unknown") throw unknownError(known);
      const next = { ...claim, newThread: known.newThread, thread: plannedThread(request, known.newThread) }; // only one of two servers creates it
      const isAtWork = known.server !== own && mayStillStart(known.server, known.at);
      if (isAtWork || !(await memory.replace(key, known, next))) throw pendingError(known);
      begin(next);
      return undefined;
    } catch (error) {
      release();
      throw error;
    }
  });

  app.addHook("onSend", async (request, reply, payload) => {
    const { remembering } = request;
    if (remembering === undefined) return payload;
    request.remembering = undefined;
    const response = beginningOf(reply); // later it may be the reply of a client that has left
    if (remembering.isReplayed) void reply.header("idempotency-replayed", "true");
    if (isIterable(payload) && response.status < 400) return recorded(request, { payload, remembering, response });
    await keep(request, remembering, { ...response, body: typeof payload === "string" ? payload : "" });
    return payload;
  });
}

const param = "Idempotency-Key";

const claimOf = ({ request, ids, thread, newThread, server }: StoredClaim): Claim => ({
  request,
  ids,
  thread,
  newThread,
  server,
});

const conflictError = ({ thread }: Claim): ApiError =>
  new ApiError(422, "idempotency-conflict", "This Idempotency-Key was used for another request.", { param, thread });

const pendingError = ({ thread }: Claim): ApiError =>
  new ApiError(
    409,
    "idempotency-pending",
    "Another server process is handling the first request with this Idempotency-Key. Send the request again in a moment.",
    { param, thread, headers: { "retry-after": "2" } },
  );

const unknownError = ({ thread }: Claim): ApiError =>
  new ApiError(
    409,
    "idempotency-unknown",
    `The first request with this Idempotency-Key was interrupted and may have changed the thread ${JSON.stringify(thread)}. Read the thread before you send the request with another key.`,
    { param, thread, headers: { "x-should-retry": "false" } },
  );

/** The response that is stored for a key, unless its thread was purged, by this server or another program. */
async function respondNow(
  { store }: Service,
  project: string,
  { thread, response }: Responded,
): Promise<StoredResponse> {
  const isPurged = thread !== undefined && (await store.load(keyOf(project, thread))) === undefined;
  return isPurged ? purgedResponse(thread) : response;
}

type Responded = StoredClaim & { readonly response: StoredResponse };

const replay = (reply: FastifyReply, { status, headers, body }: StoredResponse): FastifyReply =>
  reply.code(status).headers(headers).header("idempotency-replayed", "true").send(body);

function beginningOf(reply: FastifyReply): Omit<StoredResponse, "body"> {
  const all = reply.getHeaders();
  const headers = Object.fromEntries(keptHeaders.flatMap((name) => (name in all ? [[name, String(all[name])]] : [])));
  return { status: reply.statusCode, headers };
}

/**
 * Stores a final response. A request without an effect frees its key. A request that failed is continued in its thread.
 */
async function keep({ log }: FastifyRequest, remembering: Remembering, response: StoredResponse): Promise<void> {
  const { key, memory, hasEffect, hasFailed, hasThread, release } = remembering;
  const isShort = response.body.length <= longestBody;
  try {
    if (response.status >= 400 ? !hasEffect : !isShort && !hasThread) await memory.forget(key);
    else if (response.status < 400 && isShort && !hasFailed) await memory.keep(key, response);
  } catch (error) {
    log.warn({ err: error }, "A response could not be stored for its Idempotency-Key");
  } finally {
    release();
  }
}

interface Recorded {
  readonly payload: AsyncIterable<unknown>;
  readonly remembering: Remembering;
  readonly response: Omit<StoredResponse, "body">;
}

/** The same stream, which is read to its end and stored even if the client leaves. */
function recorded(request: FastifyRequest, { payload, remembering, response }: Recorded): Readable {
  const chunks = payload[Symbol.asyncIterator]();
  let body = "";
  let isOver = false;
  const next = async (): Promise<string | undefined> => {
    const chunk = await chunks.next();
    if (chunk.done === true) return undefined;
    const text = String(chunk.value);
    if (body.length <= longestBody) body += text;
    return text;
  };
  const finish = async (): Promise<void> => {
    isOver = true;
    await keep(request, remembering, { ...response, body });
  };
  async function* read(): AsyncGenerator<string> {
    for (let text = await next(); text !== undefined; text = await next()) yield text;
    await finish();
  }
  const stream = Readable.from(read(), { objectMode: false });
  stream.once("close", () => {
    if (!isOver) drain(next, finish).catch((error: unknown) => request.log.warn({ err: error }, "A stream broke off"));
  });
  return stream;
}

/** Reads the rest of a stream whose client has left. */
async function drain(next: () => Promise<string | undefined>, finish: () => Promise<void>): Promise<void> {
  try {
    while ((await next()) !== undefined);
  } finally {
    await finish();
  }
}

const isIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === "object" && value !== null && Symbol.asyncIterator in value;

const hashOf = (value: unknown): string => createHash("sha256").update(JSON.stringify(value)).digest("hex");
