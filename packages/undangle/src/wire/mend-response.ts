import { cleaners } from "#codecs";
import type { Cleaner } from "#codecs";

import { isBlank, openingOf, opensLikeOllama } from "./body-opening.ts";
import { bodyOf, lateReader, restOf, sourceOf } from "./body-source.ts";
import type { BodySource } from "./body-source.ts";
import type { Endpoint } from "./endpoint.ts";
import { mendStream, watchStream } from "./mend-stream.ts";
import { mendWhole, watchWhole, wholeAsStream } from "./mend-whole.ts";
import { isListAsked, isStreamAsked } from "./request-body.ts";
import type { SentRequest } from "./request-body.ts";
import { responsesLike } from "./response-like.ts";
import type { Reporter } from "./wire-report.ts";

/** What is known of the request that a response answers. */
export interface Exchange {
  readonly endpoint: Endpoint;
  readonly request: SentRequest;
  readonly mode: "repair" | "warn" | "off";
  readonly toolCalls: "hold" | "stream";
  readonly maxBytes: number;
  readonly reporter: Reporter;
  /** The time in milliseconds, from whenever. */
  readonly now: () => number;
}

/**
 * The response with its tool calls mended, where there is something to mend. Nothing is read of it here but where its type
 * depends on that: time-outs and retries of whoever sends a request end with its headers.
 */
export async function mendResponse(response: Response, exchange: Exchange): Promise<Response> {
  const { endpoint, mode, request } = exchange;
  const cleaner = cleaners[endpoint.format];
  const { body, headers } = response;
  const type = headers.get("content-type")?.toLowerCase() ?? "";
  const isLines = endpoint.format === "ollama";
  if (cleaner === undefined || body === null || (isLines && type.includes("event-stream"))) return response;
  const isStream = /event-stream|ndjson|jsonl/u.test(type);
  if (request.body === undefined && !isStream && (isLines || !type.includes("json"))) return response; // nothing tells what it is
  if (!isStream && Number(headers.get("content-length") ?? 0) > exchange.maxBytes) return response;
  const respond = responsesLike(response);
  if (isStream) return respond(streamFor(exchange)(lateReader(body, response), cleaner, exchange));
  const source = sourceOf(body, response);
  if (isListAsked(request, endpoint.format)) {
    return respond(openedLater(source, () => listIn(source, cleaner, exchange), isBlank)); // those keep a line open
  }
  const isWarning = mode === "warn";
  if (!isStreamAsked(request, endpoint.format))
    return respond(bodyOf(source, (isWarning ? watchWhole : mendWhole)(source, cleaner, exchange)));
  if (!isWarning && !isLines && type.includes("json"))
    return respond(...(await streamOrError(source, cleaner, exchange)));
  return respond(openedLater(source, () => streamIn(source, cleaner, exchange), isWarning ? isBlank : undefined));
}

/** Mends streams, or only watches them. */
const streamFor = ({ mode }: Exchange): typeof mendStream => (mode === "warn" ? watchStream : mendStream);

type Body = ReadableStream<Uint8Array>;

/** What somebody who asked for a stream is given in place of JSON: an answer as events, and an error as it is. */
async function streamOrError(
  source: BodySource,
  cleaner: Cleaner,
  exchange: Exchange,
): Promise<readonly [body: Body, contentType?: string]> {
  const opening = await openingOf(source);
  if (opening === "events") return [streamFor(exchange)(lateReader(untouched(source)), cleaner, exchange), eventStream];
  if (exchange.mode === "warn") return [bodyOf(source, watchWhole(source, cleaner, exchange))];
  const text = opening === "object" ? await wholeAsStream(source, cleaner, exchange) : undefined;
  return text === undefined ? [untouched(source)] : [bodyOf(source, piecesOf(text)), eventStream];
}

const eventStream = "text/event-stream";

/** The stream that somebody has asked for, in a body of which nothing says what it is. */
async function streamIn(source: BodySource, cleaner: Cleaner, exchange: Exchange): Promise<Body> {
  const { endpoint, maxBytes } = exchange;
  if (endpoint.format === "ollama") {
    const isOllama = await opensLikeOllama(source, maxBytes);
    return isOllama ? streamFor(exchange)(lateReader(untouched(source)), cleaner, exchange) : untouched(source);
  }
  const [body] = await streamOrError(source, cleaner, exchange);
  return body;
}

/** The list that somebody has asked for, or one answer, where a server does not stream. */
async function listIn(source: BodySource, cleaner: Cleaner, exchange: Exchange): Promise<Body> {
  if ((await openingOf(source)) === "list")
    return streamFor(exchange)(lateReader(untouched(source)), cleaner, exchange, "list");
  return bodyOf(source, (exchange.mode === "warn" ? watchWhole : mendWhole)(source, cleaner, exchange));
}

const untouched = (source: BodySource): Body => bodyOf(source, restOf(source));

/** A body that is opened when somebody reads it, behind pieces that pass before that. */
function openedLater(source: BodySource, open: () => Promise<Body>, isBefore?: (piece: Uint8Array) => boolean): Body {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    if (reader === undefined && isBefore !== undefined) {
      const piece = await source.read();
      if (piece !== undefined && isBefore(piece)) return controller.enqueue(piece);
      source.putBack(piece === undefined ? [] : [piece]);
    }
    reader ??= (await open()).getReader();
    const { done, value } = await reader.read();
    if (done) controller.close();
    else controller.enqueue(value);
  };
  const cancel = (reason: unknown): Promise<void> => (reader ?? source).cancel(reason);
  return new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
}

async function* piecesOf(text: string): AsyncGenerator<Uint8Array, void> {
  yield new TextEncoder().encode(text);
}
