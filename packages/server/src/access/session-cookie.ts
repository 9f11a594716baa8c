import type { FastifyRequest } from "fastify";

import { sessionDuration } from "./sessions.ts";

/** The text of the session cookie of a request; undefined if there is none. */
export function sessionCookie(request: FastifyRequest): string | undefined {
  const name = `${cookieName(request)}=`;
  const pairs = (request.headers.cookie ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(name))?.slice(name.length);
}

/** The header `set-cookie` that opens a session. Scripts cannot read the cookie, and other sites cannot use it. */
export const openingCookie = (request: FastifyRequest, text: string): string =>
  `${cookieName(request)}=${text}; Max-Age=${sessionDuration / 1000}; ${attributesFor(request)}`;

/** The header `set-cookie` that removes it. */
export const closingCookie = (request: FastifyRequest): string =>
  `${cookieName(request)}=; Max-Age=0; ${attributesFor(request)}`;

const attributesFor = (request: FastifyRequest): string =>
  `Path=/; HttpOnly; SameSite=Strict${isSecure(request) ? "; Secure" : ""}`;

/**
 * With the prefix `__Host-`, which needs TLS, browsers refuse a cookie that another host of the domain sets. Browsers
 * send a cookie to every port of its host, so the name contains the port: servers on one machine keep their own sessions.
 */
function cookieName(request: FastifyRequest): string {
  const port = /:(\d+)$/u.exec(request.headers.host ?? "")?.[1];
  const isUsual = port === undefined || port === "80" || port === "443";
  return `${isSecure(request) ? "__Host-" : ""}undangle_session${isUsual ? "" : `_${port}`}`;
}

/**
 * True if the browser uses TLS, here or at a proxy. A client that adds the header only changes the name of its own
 * cookie.
 */
function isSecure({ protocol, headers }: FastifyRequest): boolean {
  const forwarded = [headers["x-forwarded-proto"]].flat()[0]?.split(",")[0]?.trim().toLowerCase();
  return protocol === "https" || forwarded === "https";
}
