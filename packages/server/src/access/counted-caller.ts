import type { FastifyReply, FastifyRequest } from "fastify";

import type { Identity } from "./identity.ts";
import { demandRate, rateHeaders } from "./rate-limit.ts";
import type { RateLimit } from "./rate-limit.ts";

/**
 * The identity of the caller, whose request is counted. A caller with a key is limited by key, because all clients
 * of a proxy share one address. Requests that are refused are limited by address.
 */
export async function countedCaller(
  { ip }: FastifyRequest,
  reply: FastifyReply,
  { rate, identify }: { readonly rate: RateLimit; readonly identify: () => Promise<Identity> },
): Promise<Identity> {
  const count = (who: string): void => {
    const state = rate.take(who);
    void reply.headers(rateHeaders(state));
    demandRate(state);
  };
  let identity: Identity;
  try {
    identity = await identify();
  } catch (error) {
    count(ip);
    throw error;
  }
  count(identity.by === "local" ? ip : identity.by);
  return identity;
}
