import { createServer } from "node:net";

import { startServer } from "./start-server.ts";
import type { PostgresServer } from "./start-server.ts";

/** The environment variable with the port at which test files ask for the server that they share. */
export const doorVariable = "UNDANGLE_TEST_POSTGRES";

/** What a test file gets: the address of the server, or the reason why there is none. */
export interface SharedServer {
  readonly url?: string;
  readonly problem?: string;
}

/**
 * Before the tests: listens for test files that ask for a Postgres. It starts when the first one asks, so that tests that
 * need none do not wait for it, and is removed after the last. If it cannot start, one line says that its tests are skipped.
 */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env[doorVariable] !== undefined) return undefined; // another project of this run has one
  let server: Promise<PostgresServer | undefined> | undefined;
  let problem = "";
  const start = (): Promise<PostgresServer | undefined> =>
    startServer().catch((error: unknown) => {
      problem = error instanceof Error ? error.message : String(error);
      process.emitWarning(`Tests with Postgres are skipped: ${problem.replaceAll(/\s+/gu, " ").trim()}`);
      return undefined;
    });
  const door = createServer((socket) => {
    socket.on("error", () => undefined); // the test file is gone
    server ??= start();
    void server.then((started) =>
      socket.end(JSON.stringify((started === undefined ? { problem } : { url: started.url }) satisfies SharedServer)),
    );
  });
  await new Promise<void>((resolve) => door.listen(0, "127.0.0.1", resolve));
  const address = door.address();
  process.env[doorVariable] = String(typeof address === "object" && address !== null ? address.port : 0);
  return async () => {
    door.close();
    delete process.env[doorVariable];
    await (await server)?.close();
  };
}
