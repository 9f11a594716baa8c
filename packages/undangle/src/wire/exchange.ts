import { dialects } from "#codecs";
import type { RequestedResponse, RequestFacts } from "#codecs";

import type { Reporter } from "./reporter.ts";
import type { Endpoint } from "./request/endpoints.ts";
import type { SentRequest } from "./request/read-request.ts";

/** A request that was sent, and how its response is to be handled. */
export interface Exchange {
  readonly endpoint: Endpoint;
  readonly request: SentRequest;
  readonly mode: "repair" | "warn" | "off";
  readonly toolCalls: "hold" | "stream";
  readonly maxBytes: number;
  readonly reporter: Reporter;
  /** Milliseconds from an arbitrary start. */
  readonly now: () => number;
  /** Resolves after a number of milliseconds. */
  readonly wait: (milliseconds: number) => Promise<void>;
}

/** The facts about a request on which the shape of its response depends. */
export const requestFacts = ({ request, endpoint }: Exchange): RequestFacts => ({
  request: request.body,
  provider: endpoint.provider,
  agent: request.agent,
  helper: request.helper,
});

export const requestedResponse = ({ request, endpoint }: Exchange): RequestedResponse =>
  dialects[endpoint.format].requested(request.url, request.body ?? {});
