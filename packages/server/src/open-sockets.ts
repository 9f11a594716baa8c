import { createServer as createSocketServer } from "node:net";
import type { Server, Socket } from "node:net";

import type { FastifyInstance } from "fastify";

/**
 * How many sockets listen at a port. Node accepts one connection of each in a turn of the event loop: with a single one, a thousand
 * clients that come while requests are served would wait for a thousand turns.
 */
const count = 16;

/** Where several sockets, and several processes, can listen at one port. */
export const canShare = process.platform === "linux";

export interface SocketPlace {
  readonly port: number;
  readonly host: string;
  readonly backlog: number;
}

/** Listens with several sockets where the system can do that; they are closed when the server begins to close. */
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

/** Refuses a port at which somebody else listens: a shared one could be opened a second time. */
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

/** A socket counts its own connections only. */
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
