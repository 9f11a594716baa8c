import { assemble, cleaners, saysTheSame } from "#codecs";
import type { Cleaner, Wire } from "#codecs";
import { isRecord } from "#core";
import type { AssembledTurn } from "#core";

import type { Endpoint } from "./endpoint.ts";
import { mendStream, watchStream } from "./mend-stream.ts";
import { isStreamAsked, toolsIn } from "./request-body.ts";
import type { ReadRequest } from "./request-body.ts";
import { firstByteOf } from "./first-byte.ts";
import type { Reporter } from "./wire-report.ts";

/** What is known of the request that a response answers. */
export interface Exchange {
  readonly endpoint: Endpoint;
  readonly request: ReadRequest;
  readonly mode: "repair" | "warn" | "off";
  readonly toolCalls: "hold" | "stream";
  readonly maxBytes: number;
  readonly reporter: Reporter;
}

/** The response with its tool calls mended, where there is something to mend; the same one else. */
export async function mendResponse(response: Response, exchange: Exchange): Promise<Response> {
  const { endpoint, mode, request } = exchange;
  const cleaner = cleaners[endpoint.format];
  const { body, headers } = response;
  if (cleaner === undefined || body === null) return response;
  const type = headers.get("content-type") ?? "";
  const isWarned = mode === "warn";
  if (/event-stream|ndjson|jsonl/u.test(type))
    return withBody(response, isWarned ? watchStream(body, cleaner, exchange) : mendStream(body, cleaner, exchange));
  if (isTooLarge(response, exchange)) return response;
  if (isWarned) {
    // A copy is only looked at; where it cannot be read, whoever reads the answer will see it.
    mendWhole(response.clone(), cleaner, exchange).catch(() => undefined);
    return response;
  }
  if (!isStreamAsked(request, endpoint.format)) return mendWhole(response, cleaner, exchange);
  // Whatever it is called: an object is one answer, and all else is what was asked for.
  const { first, stream } = await firstByteOf(body);
  const isOne = first === brace && endpoint.format !== "ollama";
  const isNothing = first === undefined || first === bracket || first === angle;
  if (isOne || isNothing) return mendWhole(withBody(response, stream), cleaner, exchange, isOne);
  return withBody(response, mendStream(stream, cleaner, exchange), typeOfStream(endpoint.format));
}

const [brace, bracket, angle] = [0x7b, 0x5b, 0x3c]; // an object, a list, a page

const typeOfStream = (format: string): string => (format === "ollama" ? "application/x-ndjson" : "text/event-stream");

const isTooLarge = ({ headers }: Response, { maxBytes }: Exchange): boolean =>
  Number(headers.get("content-length") ?? 0) > maxBytes;

/** An answer that is one body; as a stream where one was asked for. */
async function mendWhole(
  response: Response,
  cleaner: Cleaner,
  exchange: Exchange,
  isAsStream = false,
): Promise<Response> {
  const { request, reporter } = exchange;
  const text = await response.text();
  try {
    const body: unknown = JSON.parse(text);
    if (!isRecord(body) || body["error"]) return withBody(response, text);
    const turns = await assemble([body], { format: exchange.endpoint.format, tools: toolsIn(request.body) }).turns();
    if (isAsStream && turns.some(isAnswer)) return asStream(response, body, { turns, cleaner, exchange });
    const plain = cleaner.body.read(body);
    const isFine = turns.every(({ calls }) => calls.length === 0) || (plain !== undefined && saysTheSame(plain, turns));
    if (isFine || turns.some(({ complete }) => !complete)) return withBody(response, text); // or it says itself that it is cut off
    tell(turns, exchange);
    return withBody(response, JSON.stringify(cleaner.body.write(turns, body)));
  } catch (error) {
    if (!(error instanceof SyntaxError)) reporter.fail("response", request.url, error);
    return withBody(response, text);
  }
}

/** True for a turn that says something, and no call that was cut off. */
const isAnswer = ({ calls, text, reasoning }: AssembledTurn): boolean =>
  calls.every(({ state }) => state !== "truncated") && (calls.length > 0 || text + reasoning !== "");

interface WholeAnswer {
  readonly turns: readonly AssembledTurn[];
  readonly cleaner: Cleaner;
  readonly exchange: Exchange;
}

/** The same answer as events. */
function asStream(response: Response, body: Wire, { turns, cleaner, exchange }: WholeAnswer): Response {
  const { textOf, terminator } = cleaner.stream();
  tell(turns, exchange);
  const frames = cleaner.body.stream(turns, body);
  const type = typeOfStream(exchange.endpoint.format);
  return withBody(response, frames.map(textOf).join("") + terminator, type);
}

function tell(turns: readonly AssembledTurn[], { endpoint, request, mode, reporter }: Exchange): void {
  const anomalies = turns.flatMap((turn) => turn.anomalies).filter(({ kind }) => kind !== "whole-body");
  const isChanged = mode === "repair";
  reporter.tell({ side: "response", url: request.url, format: endpoint.format, isChanged, anomalies });
}

/** The same response with another body: what `Response` cannot be given is told in its place. */
function withBody(response: Response, body: string | ReadableStream<Uint8Array>, contentType?: string): Response {
  const headers = new Headers(response.headers);
  headers.delete("content-length");
  if (contentType !== undefined) headers.set("content-type", contentType);
  const { status, statusText, url, redirected, type } = response;
  const changed = new Response(body, { status, statusText, headers });
  for (const [key, value] of Object.entries({ url, redirected, type })) {
    Object.defineProperty(changed, key, { value, configurable: true });
  }
  return changed;
}
