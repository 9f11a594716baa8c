import { createHash } from "node:crypto";
import { Readable } from "node:stream";

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Store } from "undangle/agent";

import { identityOf } from "../access/identity.ts";
import { createAnswerMemory } from "./answer-memory.ts";
import type { Answer, AnswerMemory, KeptAnswer } from "./answer-memory.ts";
import { ApiError } from "./api-error.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Set where the answer is to be remembered. */
    remembering: Remembering | undefined;
  }
}

interface Remembering {
  readonly key: string;
  readonly memory: AnswerMemory;
  /** Those who have sent the same, and wait, may look now. */
  readonly release: () => void;
}

const longestBody = 128 * 1024;

/** Headers that are told again. */
const keptHeaders = ["content-type", "location", "x-undangle-thread", "x-undangle-edits", "x-undangle-rules"];

/**
 * A POST that is sent again with the same `Idempotency-Key` is done once, and gets the answer of the first time, for a day, also
 * from another process on the same store, and also when the first caller had left. One that comes while the first is at work
 * waits for it. What was refused or failed may be sent again.
 */
export function rememberAnswers(app: FastifyInstance, store: Store): void {
  const memory = createAnswerMemory(store);
  const working = new Map<string, Promise<void>>();
  app.decorateRequest("remembering", undefined);

  app.addHook("preHandler", async (request, reply) => {
    const given = request.headers["idempotency-key"];
    if (request.method !== "POST" || given === undefined) return undefined;
    if (typeof given !== "string" || given === "" || given.length > 255)
      throw new ApiError(400, "parameter-invalid", "Idempotency-Key must be a text of 1 to 255 characters.", {
        param: "Idempotency-Key",
      });
    const { project, by } = identityOf(request);
    const key = hashOf([project, by, request.routeOptions.url, given]);
    const digest = hashOf([request.url, request.body]);
    for (let before = working.get(key); before !== undefined; before = working.get(key)) await before;
    const { promise, resolve } = Promise.withResolvers<void>();
    working.set(key, promise);
    const release = (): void => {
      working.delete(key);
      resolve();
    };
    try {
      const known = await memory.claim(key, digest);
      if (known === undefined) {
        request.remembering = { key, memory, release };
        return undefined;
      }
      release();
      return await replay(reply, known, digest);
    } catch (error) {
      release();
      throw error;
    }
  });

  app.addHook("onSend", async (request, reply, payload) => {
    const { remembering } = request;
    if (remembering === undefined) return payload;
    request.remembering = undefined;
    const answer = beginningOf(reply); // later it may be that of a reader who has left
    if (isIterable(payload) && answer.status < 400) return recorded(request, { payload, remembering, answer });
    await keep(request, remembering, { ...answer, body: typeof payload === "string" ? payload : "" });
    return payload;
  });
}

async function replay(reply: FastifyReply, known: KeptAnswer, digest: string): Promise<FastifyReply> {
  const param = "Idempotency-Key";
  if (known.request !== digest)
    throw new ApiError(422, "idempotency-conflict", "This Idempotency-Key was used for another request.", { param });
  if (known.answer === undefined)
    throw new ApiError(
      409,
      "idempotency-pending",
      "The first request with this Idempotency-Key is at work in another process, or was cut off when that died, or its answer was too long to be kept. Look at the thread before you send it with another key.",
      { param, headers: { "retry-after": "2" } },
    );
  const { status, headers, body } = known.answer;
  return reply.code(status).headers(headers).header("idempotency-replayed", "true").send(body);
}

function beginningOf(reply: FastifyReply): Omit<Answer, "body"> {
  const all = reply.getHeaders();
  const headers = Object.fromEntries(keptHeaders.flatMap((name) => (name in all ? [[name, String(all[name])]] : [])));
  return { status: reply.statusCode, headers };
}

/** Remembers what was answered; what was not done may be done again. */
async function keep({ log }: FastifyRequest, { key, memory, release }: Remembering, answer: Answer): Promise<void> {
  try {
    if (answer.status >= 400) await memory.forget(key);
    else if (answer.body.length <= longestBody) await memory.keep(key, answer);
  } catch (error) {
    log.warn({ err: error }, "An answer could not be remembered for its Idempotency-Key");
  } finally {
    release();
  }
}

interface Recorded {
  readonly payload: AsyncIterable<unknown>;
  readonly remembering: Remembering;
  readonly answer: Omit<Answer, "body">;
}

/** The same stream. It is read to its end and remembered, also when its reader has left. */
function recorded(request: FastifyRequest, { payload, remembering, answer }: Recorded): Readable {
  const pieces = payload[Symbol.asyncIterator]();
  let body = "";
  let isOver = false;
  const next = async (): Promise<string | undefined> => {
    const piece = await pieces.next();
    if (piece.done === true) return undefined;
    const text = String(piece.value);
    if (body.length <= longestBody) body += text;
    return text;
  };
  const finish = async (): Promise<void> => {
    isOver = true;
    await keep(request, remembering, { ...answer, body });
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

/** Reads what nobody reads any more. */
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
