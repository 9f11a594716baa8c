import { Readable } from "node:stream";

import type { FastifyReply } from "fastify";
import type { AgentEvent } from "undangle/agent";

import { publicWords } from "./api-error.ts";

/** How long a stream may be silent before something is sent that clients skip; proxies cut connections that say nothing. */
export const silence = 15_000;

/** How long somebody may take nothing before they are let go: what happens meanwhile is kept for them. */
const longestPause = 60_000;

export interface StreamOptions {
  /** Asked now and then: false ends the stream. */
  readonly isWanted?: (() => Promise<boolean>) | undefined;
  /** How often that is, and how long somebody may take nothing; in milliseconds. */
  readonly every?: number | undefined;
  readonly patience?: number | undefined;
}

/** Sends events as they come, each with the place from which a reader can go on. */
export function sendEvents(
  reply: FastifyReply,
  events: AsyncIterable<AgentEvent>,
  options?: StreamOptions,
): FastifyReply {
  return sendStream(reply, eventTexts(events), options);
}

/** Sends texts as a stream of events. Whoever reads slowly is waited for, and whoever reads nothing is let go. */
export function sendStream(
  reply: FastifyReply,
  texts: AsyncIterable<string>,
  { isWanted, every = silence, patience = longestPause }: StreamOptions = {},
): FastifyReply {
  let lastTaken = performance.now();
  let isWaiting = false; // for the reader
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
    iterator.return?.().catch(() => undefined); // also where nobody has read the first: then no loop was left
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
      ? ": still here\n\n"
      : `id: ${each.id}\nevent: ${each.type}\ndata: ${JSON.stringify(publicData(each))}\n\n`;
  }
}

/** What callers are told of an event: of an error, no more than an answer would say. */
function publicData({ type, data }: AgentEvent): AgentEvent["data"] {
  if (type === "model_discarded") return { reason: "A response that had started was abandoned; see the log." };
  if (type === "warning" && data.code !== undefined)
    return { ...data, message: publicWords({ code: data.code, message: data.message }) };
  if (type !== "run_end" || data.error === undefined) return data;
  return { ...data, error: { code: data.error.code, message: publicWords(data.error) } };
}

/** The same items, and undefined whenever nothing has come for a while. */
export async function* withSilences<T>(items: AsyncIterable<T>, every: number): AsyncGenerator<T | undefined> {
  const iterator = items[Symbol.asyncIterator]();
  let wake: (() => void) | undefined;
  const timer = setInterval(() => wake?.(), every).unref(); // one for the whole stream: most items come at once
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
    iterator.return?.().catch(() => undefined); // it may be in the middle of waiting, and nobody waits for it
  }
}
