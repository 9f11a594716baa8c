import { Readable } from "node:stream";

import type { FastifyReply, FastifyRequest } from "fastify";
import type { AgentEvent } from "undangle/agent";

import { abandonedText, publicWords } from "./api-error.ts";

/** The interval of keep-alive comments. Proxies close idle connections. */
export const silence = 15_000;

/** How long a client may stop reading before the server closes the stream. The events stay in the store. */
const longestPause = 60_000;

export interface StreamOptions {
  /** Checked at intervals; false ends the stream. */
  readonly isWanted?: (() => Promise<boolean>) | undefined;
  /** The interval of that check, and how long a client may stop reading, in milliseconds. */
  readonly every?: number | undefined;
  readonly patience?: number | undefined;
}

/** Sends events as they arrive, each with the id from which a client can resume. */
export function sendEvents(
  reply: FastifyReply,
  events: AsyncIterable<AgentEvent>,
  options?: StreamOptions,
): FastifyReply {
  return sendStream(reply, eventTexts(events), options);
}

/** Sends texts as an event stream. Applies back-pressure, and closes the stream of a client that stops reading. */
export function sendStream(
  reply: FastifyReply,
  texts: AsyncIterable<string>,
  { isWanted, every = silence, patience = longestPause }: StreamOptions = {},
): FastifyReply {
  let lastTaken = performance.now();
  let isWaiting = false; // for the client
  const iterator = texts[Symbol.asyncIterator]();
  async function* taken(): AsyncGenerator<string> {
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
      isWaiting = true;
      yield next.value;
      isWaiting = false;
      lastTaken = performance.now();
    }
  }
  const stream = Readable.from(taken(), { objectMode: false, highWaterMark: 64 * 1024 });
  const look = async (): Promise<void> => {
    const isStuck = isWaiting && performance.now() - lastTaken > patience;
    if (isStuck || (isWanted !== undefined && !(await isWanted()))) stream.destroy();
  };
  const timer = setInterval(() => {
    look().catch((error: unknown) => reply.log.warn({ err: error }, "The permission of a stream could not be checked"));
  }, every).unref();
  stream.once("close", () => {
    clearInterval(timer);
    iterator.return?.().catch(() => undefined); // also if nothing was read: no loop has closed it then
  });
  return reply
    .type("text/event-stream; charset=utf-8")
    .header("cache-control", "no-cache")
    .header("x-accel-buffering", "no")
    .send(stream);
}

async function* eventTexts(events: AsyncIterable<AgentEvent>): AsyncGenerator<string> {
  yield "retry: 1000\n\n";
  for await (const each of withSilences(events, silence)) {
    yield each === undefined
      ? ": keep-alive\n\n"
      : `id: ${each.id}\nevent: ${each.type}\ndata: ${JSON.stringify(publicData(each))}\n\n`;
  }
}

/** The data of an event for clients, with the path to its child thread. */
const publicData = (event: AgentEvent): unknown =>
  event.path === undefined ? publicFields(event) : { ...publicFields(event), thread_path: event.path };

/** An error contains no more than an error response would. */
function publicFields({ type, data }: AgentEvent): AgentEvent["data"] {
  if (type === "model_discarded") return { ...data, reason: abandonedText };
  if (type === "warning" && data.code !== undefined)
    return { ...data, message: publicWords({ code: data.code, message: data.message }) };
  if (type !== "run_end" || data.error === undefined) return data;
  return { ...data, error: { code: data.error.code, message: publicWords(data.error) } };
}

/** The same items, with undefined whenever nothing arrived for `every` milliseconds. */
export async function* withSilences<T>(items: AsyncIterable<T>, every: number): AsyncGenerator<T | undefined> {
  const iterator = items[Symbol.asyncIterator]();
  let wake: (() => void) | undefined;
  const timer = setInterval(() => wake?.(), every).unref(); // one timer for the whole stream, because most items arrive at once
  try {
    for (let next = iterator.next(); ;) {
      const quiet = new Promise<undefined>((resolve) => {
        wake = () => resolve(undefined);
      });
      const result = await Promise.race([next, quiet]);
      if (result === undefined) yield undefined;
      else if (result.done === true) return;
      else {
        yield result.value;
        next = iterator.next();
      }
    }
  } finally {
    clearInterval(timer);
    iterator.return?.().catch(() => undefined); // it may be waiting, and its end is not awaited
  }
}

/** HEAD gets only the headers of the stream, because the events never end. */
export async function* noTexts(): AsyncGenerator<string> {}

/** Aborted when the client leaves or the server stops. */
export function gone({ raw }: FastifyRequest, closing: AbortSignal): AbortSignal {
  const left = new AbortController();
  const leave = (): void => left.abort();
  raw.socket.once("close", leave);
  closing.addEventListener("abort", leave, { once: true });
  left.signal.addEventListener("abort", () => {
    raw.socket.removeListener("close", leave);
    closing.removeEventListener("abort", leave);
  });
  return left.signal;
}
