import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

import type { FastifyInstance } from "fastify";

import { ApiError } from "./responses/api-error.ts";

/** Refuses requests that arrive on open connections while the server shuts down. */
export function refuseWhileClosing(app: FastifyInstance): void {
  let isClosing = false;
  app.addHook("preClose", async () => {
    isClosing = true;
  });
  app.addHook("onRequest", async () => {
    if (!isClosing) return;
    throw new ApiError(503, "shutting-down", "The server is shutting down. Send the request again in a moment.", {
      headers: { "retry-after": "2", connection: "close" },
    });
  });
}

/** How long the rest of a request may take to arrive while the server shuts down, in milliseconds. */
const longestRest = 5000;

/**
 * Tracks the connections of a server. The returned function closes them when the server starts to close: idle
 * connections at once, those with a request after its response, and those with an incomplete request after a while.
 * Node closes only connections that have had a request, and stops checking time limits.
 */
export function followConnections({ server }: FastifyInstance): (requestTime: number) => void {
  const requests = new Map<Socket, Set<IncomingMessage>>();
  server.on("connection", (socket: Socket) => {
    requests.set(socket, new Set());
    socket.once("close", () => requests.delete(socket));
  });
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    requests.get(request.socket)?.add(request);
    response.once("close", () => requests.get(request.socket)?.delete(request));
  });
  return (requestTime) => {
    const limit = performance.now() + Math.min(longestRest, requestTime);
    const close = (): void => {
      server.closeIdleConnections();
      const isLate = performance.now() >= limit;
      for (const [socket, open] of requests) {
        const hasWhole = [...open].some(({ complete }) => complete);
        if (socket.bytesRead === 0 || (isLate && !hasWhole)) socket.destroy();
      }
    };
    close();
    const timer = setInterval(() => {
      close();
      if (requests.size === 0 && !server.listening) clearInterval(timer); // some may belong to other sockets: see `openSockets`
    }, 50).unref();
  };
}
