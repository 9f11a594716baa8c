import { createServer } from "node:net";

import { startServer } from "./start-server.ts";
import type { PostgresServer } from "./start-server.ts";

/** Where test files ask for the server that they share. */
export const doorVariable = "UNDANGLE_TEST_POSTGRES";

/**
 * Before the tests: opens a door at which test files ask for a Postgres. It is started when the first one asks, so that tests
 * that need none do not wait for it, and removed behind the last.
 */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env[doorVariable] !== undefined) return undefined; // another project of this run has one
  let server: Promise<PostgresServer> | undefined;
  const door = createServer((socket) => {
    socket.on("error", () => undefined); // whoever asked is gone
    server ??= startServer();
    server.then(
      ({ url }) => socket.end(JSON.stringify({ url })),
      (error: unknown) => socket.end(JSON.stringify({ problem: String(error) })),
    );
  });
  await new Promise<void>((resolve) => door.listen(0, "127.0.0.1", resolve));
  const address = door.address();
  process.env[doorVariable] = String(typeof address === "object" && address !== null ? address.port : 0);
  return async () => {
    door.close();
    delete process.env[doorVariable];
    await server?.then(
      ({ close }) => close(),
      () => undefined, // those who asked for it were told
    );
  };
}
