import { createServer as createSocketServer } from "node:net";
import type { Server, Socket } from "node:net";

import type { FastifyInstance } from "fastify";

/**
 * The number of listening sockets per port. Node accepts one connection per socket in each iteration of the event loop.
 * With one socket, a thousand new clients would wait for a thousand iterations.
 */
const count = 16;

/** Linux lets several sockets and processes listen on one port. */
export const canShare = process.platform === "linux";

export interface SocketPlace {
  readonly port: number;
  readonly host: string;
  readonly backlog: number;
}

/** Listens with several sockets if the system supports it. They close when the server starts to close. */
export async function openSockets(app: FastifyInstance, place: SocketPlace): Promise<string> {
  limitConnections(app);
  if (!canShare) return app.listen(place);
  const shared = { ...place, reusePort: true };
  const url = await app.listen(shared);
  const { signal } = app.service.closing;
  for (const bound of app.addresses()) {
    if (typeof bound === "string") continue; // a pipe
    for (let i = 1; i < count; i++) {
      const more = createSocketServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
        app.server.emit("connection", socket);
      });
      signal.addEventListener("abort", () => more.close(), { once: true });
      await listening(more, { ...shared, host: bound.address, port: bound.port });
    }
  }
  return url;
}

/** Refuses a port that another program uses. With a shared port, the system would not report it. */
export async function demandFree(place: SocketPlace): Promise<void> {
  if (!canShare || place.port === 0) return;
  const probe = createSocketServer();
  await listening(probe, place);
  await new Promise((resolve) => probe.close(resolve));
}

function listening(server: Server, place: SocketPlace): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ ...place }, () => {
      server.removeListener("error", reject);
      resolve();
    });
  });
}

/** A socket counts only its own connections. */
function limitConnections({ server, service }: FastifyInstance): void {
  let open = 0;
  server.prependListener("connection", (socket: Socket) => {
    open += 1;
    socket.once("close", () => {
      open -= 1;
    });
    if (open > service.settings.limits.connections) socket.destroy();
  });
}
