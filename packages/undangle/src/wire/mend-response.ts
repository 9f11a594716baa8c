import { assemble, cleaners, saysTheSame } from "#codecs";
import type { Cleaner } from "#codecs";
import { isRecord } from "#core";

import type { Endpoint } from "./endpoint.ts";
import { mendStream } from "./mend-stream.ts";
import { toolsIn } from "./request-body.ts";
import type { ReadRequest } from "./request-body.ts";
import type { Reporter } from "./wire-report.ts";

/** What is known of the request that a response answers. */
export interface Exchange {
  readonly endpoint: Endpoint;
  readonly request: ReadRequest;
  readonly mode: "repair" | "warn" | "off";
  readonly maxBytes: number;
  readonly reporter: Reporter;
}

/** The response with its tool calls mended, where there is something to mend; the same one else. */
export async function mendResponse(response: Response, exchange: Exchange): Promise<Response> {
  const { endpoint, mode } = exchange;
  const cleaner = cleaners[endpoint.format];
  if (cleaner === undefined || mode !== "repair" || response.body === null) return response;
  const type = response.headers.get("content-type") ?? "";
  if (/event-stream|ndjson|jsonl/u.test(type)) return withBody(response, mendStream(response.body, cleaner, exchange));
  return mendWhole(response, cleaner, exchange);
}

/** An answer that is one body. */
async function mendWhole(response: Response, cleaner: Cleaner, exchange: Exchange): Promise<Response> {
  const { endpoint, request, maxBytes, reporter } = exchange;
  if (Number(response.headers.get("content-length") ?? 0) > maxBytes) return response;
  const text = await response.text();
  const same = (): Response => withBody(response, text);
  try {
    const body: unknown = JSON.parse(text);
    if (!isRecord(body) || body["error"]) return same();
    const stream = assemble([body], { format: endpoint.format, tools: toolsIn(request.body) });
    const turns = await stream.turns();
    const plain = cleaner.body.read(body);
    if (turns.every(({ calls }) => calls.length === 0) || (plain !== undefined && saysTheSame(plain, turns)))
      return same();
    if (turns.some(({ complete }) => !complete)) return same(); // the body itself says that it is cut off
    const anomalies = turns.flatMap((turn) => turn.anomalies).filter(({ kind }) => kind !== "whole-body");
    reporter.tell({ side: "response", url: request.url, format: endpoint.format, isChanged: true, anomalies });
    return withBody(response, JSON.stringify(cleaner.body.write(turns, body)));
  } catch (error) {
    if (!(error instanceof SyntaxError)) reporter.fail("response", request.url, error);
    return same();
  }
}

/** The same response with another body: what `Response` cannot be given is told in its place. */
function withBody(response: Response, body: string | ReadableStream<Uint8Array>): Response {
  const headers = new Headers(response.headers);
  headers.delete("content-length");
  const { status, statusText, url, redirected, type } = response;
  const changed = new Response(body, { status, statusText, headers });
  for (const [key, value] of Object.entries({ url, redirected, type })) {
    Object.defineProperty(changed, key, { value, configurable: true });
  }
  return changed;
}
