import { dialects, responseWriters } from "#codecs";
import type { ResponseWriter } from "#codecs";

import { requestedResponse } from "../reporter.ts";
import type { Exchange } from "../reporter.ts";
import { repairStream, watchStream } from "../stream/repair-stream.ts";
import { bodyKind, isBlank, startsLikeOllama, bodyOf, lateReader, peekable, restOf } from "./peekable-body.ts";
import type { PeekableBody } from "./peekable-body.ts";
import { bodyAsStream, repairBody, watchBody } from "./repair-json-body.ts";

/**
 * The response with its tool calls repaired. The body is read here only if the content type depends on it, because the time-outs and
 * retries of clients end with the headers.
 */
export async function repairResponse(response: Response, exchange: Exchange): Promise<Response> {
  const { endpoint, mode, request } = exchange;
  const writer = responseWriters[endpoint.format];
  const { body, headers } = response;
  const type = headers.get("content-type")?.toLowerCase() ?? "";
  const isByLine = isOfLines(exchange);
  if (writer === undefined || body === null || (isByLine && type.includes("event-stream"))) return response;
  const isStream = /event-stream|ndjson|jsonl/u.test(type);
  if (request.body === undefined && !isStream && (isByLine || !type.includes("json"))) return response; // of an unknown kind
  if (!isStream && Number(headers.get("content-length") ?? 0) > exchange.maxBytes) return response;
  const respond = cloneResponse(response);
  if (isStream) return respond(streamFor(exchange)(lateReader(body, response), writer, exchange));
  const source = peekable(body, response);
  const requested = requestedResponse(exchange);
  if (requested === "list") {
    return respond(openedLater(source, () => listIn(source, writer, exchange), isBlank)); // blanks keep the connection alive
  }
  const isWarning = mode === "warn";
  if (requested === "body")
    return respond(bodyOf(source, (isWarning ? watchBody : repairBody)(source, writer, exchange)));
  if (!isWarning && !isByLine && type.includes("json"))
    return respond(...(await streamOrError(source, writer, exchange)));
  return respond(openedLater(source, () => streamIn(source, writer, exchange), isWarning ? isBlank : undefined));
}

/** Servers of line-based formats send no other streams, and no content type that names theirs. */
const isOfLines = ({ endpoint }: Exchange): boolean => dialects[endpoint.format].framing === "lines";

const streamFor = ({ mode }: Exchange): typeof repairStream => (mode === "warn" ? watchStream : repairStream);

type Body = ReadableStream<Uint8Array>;

/** What a client gets that requested a stream and received JSON: a turn as events, an error unchanged. */
async function streamOrError(
  source: PeekableBody,
  writer: ResponseWriter,
  exchange: Exchange,
): Promise<readonly [body: Body, contentType?: string]> {
  const kind = await bodyKind(source);
  if (kind === "events") return [streamFor(exchange)(lateReader(unchanged(source)), writer, exchange), eventStream];
  if (exchange.mode === "warn") return [bodyOf(source, watchBody(source, writer, exchange))];
  const text = kind === "object" ? await bodyAsStream(source, writer, exchange) : undefined;
  return text === undefined ? [unchanged(source)] : [bodyOf(source, chunksOf(text)), eventStream];
}

const eventStream = "text/event-stream";

/** The requested stream, in a body whose content type does not say so. */
async function streamIn(source: PeekableBody, writer: ResponseWriter, exchange: Exchange): Promise<Body> {
  if (isOfLines(exchange)) {
    const isOllama = await startsLikeOllama(source, exchange.maxBytes);
    return isOllama ? streamFor(exchange)(lateReader(unchanged(source)), writer, exchange) : unchanged(source);
  }
  const [body] = await streamOrError(source, writer, exchange);
  return body;
}

/** The requested JSON array, or one object from a server that does not stream. */
async function listIn(source: PeekableBody, writer: ResponseWriter, exchange: Exchange): Promise<Body> {
  if ((await bodyKind(source)) === "list")
    return streamFor(exchange)(lateReader(unchanged(source)), writer, exchange, "list");
  return bodyOf(source, (exchange.mode === "warn" ? watchBody : repairBody)(source, writer, exchange));
}

const unchanged = (source: PeekableBody): Body => bodyOf(source, restOf(source));

/** A body that is opened with the first read. Chunks that match `passes` come before it. */
function openedLater(source: PeekableBody, open: () => Promise<Body>, passes?: (chunk: Uint8Array) => boolean): Body {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    if (reader === undefined && passes !== undefined) {
      const chunk = await source.read();
      if (chunk !== undefined && passes(chunk)) return controller.enqueue(chunk);
      source.putBack(chunk === undefined ? [] : [chunk]);
    }
    reader ??= (await open()).getReader();
    const { done, value } = await reader.read();
    if (done) controller.close();
    else controller.enqueue(value);
  };
  const cancel = (reason: unknown): Promise<void> => (reader ?? source).cancel(reason);
  return new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
}

async function* chunksOf(text: string): AsyncGenerator<Uint8Array, void> {
  yield new TextEncoder().encode(text);
}

/**
 * Makes copies of a response with another body, including the properties that the constructor of `Response` does not accept. Throws
 * before any body is read if the response cannot be copied.
 */
function cloneResponse(response: Response): (body: ReadableStream<Uint8Array>, contentType?: string) => Response {
  const { status, statusText, url, redirected, type } = response;
  const headers = new Headers(response.headers);
  headers.delete("content-length");
  const copy = new Response(null, { status, statusText, headers });
  return (body, contentType) => {
    if (contentType !== undefined) copy.headers.set("content-type", contentType);
    const changed = new Response(body, { status, statusText, headers: copy.headers });
    return withProperties(changed, { url, redirected, type });
  };
}

type Properties = Pick<Response, "url" | "redirected" | "type">;

/** Defines read-only properties, also for clones. */
function withProperties(response: Response, properties: Properties): Response {
  const clone = (): Response => withProperties(Response.prototype.clone.call(response), properties);
  for (const [key, value] of Object.entries({ ...properties, clone })) {
    Object.defineProperty(response, key, { value, configurable: true, writable: true });
  }
  return response;
}
