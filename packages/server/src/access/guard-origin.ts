import type { FastifyReply, FastifyRequest } from "fastify";

import { ApiError } from "../answers/api-error.ts";

export interface OriginRules {
  /** Names under which the server may be asked besides those of the loopback. */
  readonly hosts: readonly string[];
  /** Pages of these origins may use it: `https://app.example.com`. */
  readonly origins: readonly string[];
}

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/iu;

/**
 * Refuses requests that a page of somebody else may have sent: those under a foreign name, which a rebound DNS entry gives, and
 * those with a foreign origin. Whoever asks with a key may use any name. Pages of the origins that are allowed may read answers.
 */
export function guardOrigin(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  rules: OriginRules,
  needsKey: boolean,
): void {
  const { host, origin } = headers;
  const name = (host ?? "").replace(/:\d+$/u, "");
  if (!needsKey && !isOwnHost(name, rules))
    throw new ApiError(
      403,
      "host-unknown",
      `Without keys this server accepts only the host name localhost, not ${name}. Allow the name with undangle serve --allow-host ${name} or with server.hosts in undangle.config.ts, or create a key: undangle keys create`,
    );
  if (rules.origins.length > 0) void reply.header("vary", "origin");
  if (origin === undefined || isOwnOrigin(origin, host)) return;
  if (!rules.origins.includes(origin))
    throw new ApiError(
      403,
      "origin-unknown",
      `Pages of the origin ${origin} may not use this server. Allow it with undangle serve --allow-origin ${origin}, or with server.origins in undangle.config.ts.`,
    );
  void reply.header("access-control-allow-origin", origin).header("access-control-expose-headers", readable);
}

/** Refuses a request that names several hosts: whoever stands before the server may have looked at another of them. */
export function demandOneHost({ raw, headers, url }: FastifyRequest): void {
  const given = raw.rawHeaders.filter((each, i) => i % 2 === 0 && each.toLowerCase() === "host");
  const named = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/iu.exec(url)?.[1]; // a target may be a whole address
  const isOther = named !== undefined && named.toLowerCase() !== headers.host?.toLowerCase();
  if (given.length > 1 || isOther)
    throw new ApiError(400, "host-ambiguous", "A request must name exactly one host, in the header Host.");
}

const readable = [
  "x-request-id",
  "x-undangle-thread",
  "x-undangle-edits",
  "x-undangle-rules",
  "x-ratelimit-limit-requests",
  "x-ratelimit-remaining-requests",
  "x-ratelimit-reset-requests",
  "idempotency-replayed",
  "location",
  "retry-after",
].join(", ");

/** Tells a page of an allowed origin, which the guard has let pass, what it may send. */
export const answerPreflight = (reply: FastifyReply): FastifyReply =>
  reply
    .code(204)
    .header("access-control-allow-methods", "GET, POST, PATCH, DELETE")
    .header("access-control-allow-headers", "authorization, content-type, idempotency-key, last-event-id")
    .header("access-control-max-age", "600")
    .send();

const isOwnHost = (name: string, { hosts }: OriginRules): boolean =>
  loopback.test(name) || hosts.some((each) => each.toLowerCase() === name.toLowerCase());

/** True for the server's own pages, also behind something that speaks TLS for it. */
const isOwnOrigin = (origin: string, host: string | undefined): boolean =>
  host !== undefined && (origin === `http://${host}` || origin === `https://${host}`);

/**
 * Headers by which proxies pass on whose request it is: `forwarded`, `via`, `x-forwarded-*`, `cdn-loop`, and the address of the
 * client under the name of each vendor (`x-real-ip`, `cf-connecting-ip`, `true-client-ip`, `fly-client-ip`, `x-azure-clientip` …).
 */
const proxyHeader =
  /^(?:via|cdn-loop|(?:[\w-]+-)?forwarded(?:-[\w-]+)?|(?:[\w-]+-)?(?:real|client|connecting|remote|origin(?:al)?|source|user)-?(?:ip(?:v6)?|addr|address)|x-original-(?:for|host|proto)|x-envoy-external-address)$/u;

/** Without keys only this machine is answered: neither another address, nor what somebody passes on from one. */
export function demandThisMachine({ ip, headers }: FastifyRequest): void {
  const isPassedOn = Object.keys(headers).some((name) => proxyHeader.test(name));
  if (isLoopback(ip) && !isPassedOn) return;
  throw new ApiError(
    403,
    "key-needed",
    "Without keys the server accepts requests from this machine only. Create a key: undangle keys create",
  );
}

/** True for addresses that nobody on another machine can reach. */
export const isLoopback = (address: string): boolean =>
  loopback.test(address.replace(/^::ffff:/iu, "")) || address === "::1";
