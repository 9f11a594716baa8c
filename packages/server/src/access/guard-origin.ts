import type { IncomingHttpHeaders } from "node:http";

import type { FastifyReply, FastifyRequest } from "fastify";

import { ApiError } from "../responses/api-error.ts";

export interface OriginRules {
  /** Host names that the server accepts besides those of the loopback interface. */
  readonly hosts: readonly string[];
  /** Origins whose pages may use the server, such as `https://app.example.com`. */
  readonly origins: readonly string[];
}

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/iu;

/**
 * Refuses requests that may come from a page of another site: those with an unknown host name (DNS rebinding), those with
 * an unknown origin, and those that browsers send without an origin, such as for an image. A request with a key may use
 * any host name. Pages of allowed origins may read responses. The studio has no data, and other pages may link to it.
 */
export function guardOrigin(
  { headers, routeOptions }: FastifyRequest,
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
  if (origin === undefined && isOfOtherSite(headers) && routeOptions.config.isPage !== true)
    throw new ApiError(
      403,
      "origin-unknown",
      "Pages of other sites may not use this server. Open the address yourself. If the page is yours, allow its origin with undangle serve --allow-origin, or with server.origins in undangle.config.ts, and send the request with CORS.",
    );
  if (origin === undefined || isOwnOrigin(origin, host)) return;
  if (!rules.origins.includes(origin))
    throw new ApiError(
      403,
      "origin-unknown",
      `Pages of the origin ${origin} may not use this server. Allow it with undangle serve --allow-origin ${origin}, or with server.origins in undangle.config.ts.`,
    );
  void reply.header("access-control-allow-origin", origin).header("access-control-expose-headers", readable);
}

/**
 * Refuses a request that names several hosts, because a proxy in front of the server may have checked another of them.
 */
export function demandOneHost({ raw, headers, url }: FastifyRequest): void {
  const given = raw.rawHeaders.filter((each, i) => i % 2 === 0 && each.toLowerCase() === "host");
  const named = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/iu.exec(url)?.[1]; // a target may be an absolute URL
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
  "etag",
  "content-disposition",
  "retry-after",
].join(", ");

/** Responds to a preflight request from an allowed origin. The guard has already checked the origin. */
export const respondToPreflight = (reply: FastifyReply): FastifyReply =>
  reply
    .code(204)
    .header("access-control-allow-methods", "GET, POST, PUT, PATCH, DELETE")
    .header(
      "access-control-allow-headers",
      "authorization, x-api-key, content-type, idempotency-key, last-event-id, if-none-match",
    )
    .header("access-control-max-age", "600")
    .send();

const isOwnHost = (name: string, { hosts }: OriginRules): boolean =>
  loopback.test(name) || hosts.some((each) => each.toLowerCase() === name.toLowerCase());

/** True for a request of a page that is not of this server. Another port is another page of the same site. */
const isOfOtherSite = ({ "sec-fetch-site": site }: IncomingHttpHeaders): boolean =>
  site === "cross-site" || site === "same-site"; // programs without pages do not send it

/** True for the server's own pages, including those that a TLS proxy serves. */
const isOwnOrigin = (origin: string, host: string | undefined): boolean =>
  host !== undefined && (origin === `http://${host}` || origin === `https://${host}`);

/**
 * Headers that proxies add to name the client: `forwarded`, `via`, `x-forwarded-*`, `cdn-loop`, and the vendor-specific
 * client addresses (`x-real-ip`, `cf-connecting-ip`, `true-client-ip`, `fly-client-ip`, `x-azure-clientip` …).
 */
const proxyHeader =
  /^(?:via|cdn-loop|(?:[\w-]+-)?forwarded(?:-[\w-]+)?|(?:[\w-]+-)?(?:real|client|connecting|remote|origin(?:al)?|source|user)-?(?:ip(?:v6)?|addr|address)|x-original-(?:for|host|proto)|x-envoy-external-address)$/u;

/** Without keys, only this machine may send requests: no other address, and no proxied request. */
export function demandThisMachine({ ip, headers }: FastifyRequest): void {
  const isPassedOn = Object.keys(headers).some((name) => proxyHeader.test(name));
  if (isLoopback(ip) && !isPassedOn) return;
  throw new ApiError(
    403,
    "key-needed",
    "Without keys the server accepts requests from this machine only. Create a key: undangle keys create",
  );
}

/** True for addresses that other machines cannot reach. */
export const isLoopback = (address: string): boolean =>
  loopback.test(address.replace(/^::ffff:/iu, "")) || address === "::1";
