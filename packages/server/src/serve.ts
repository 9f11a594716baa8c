import { setTimeout as pause } from "node:timers/promises";

import type { Language } from "undangle";
import type { Logger } from "undangle/agent";
import { loadConfig } from "undangle/config";
import { pino } from "pino";

import { isLoopback } from "./access/guard-origin.ts";
import { createServer } from "./create-server.ts";
import { startMessage } from "./start-message.ts";

/** What the command line says. */
export interface ServeOptions {
  readonly port: number;
  readonly host: string;
  readonly config?: string | undefined;
  readonly store?: string | undefined;
  readonly model?: string | undefined;
  readonly language?: Language | undefined;
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where log lines go: a file descriptor, or a path. */
  readonly log?: number | string | undefined;
}

export interface Serving {
  readonly url: string;
  /** For the person who has started it. */
  readonly message: string;
  /** Takes no new work, and ends when what goes on is saved. */
  close(): Promise<void>;
}

/** How long running turns may go on after the server was told to stop; what is not over then is recovered at the next start. */
const grace = 10_000;

/** Starts a server on a port. */
export async function serve(options: ServeOptions): Promise<Serving> {
  const { port, host, folder, store, model, language, env } = options;
  const config = await loadConfig({ path: options.config, folder });
  const logger = pino(
    { level: env["UNDANGLE_LOG"] ?? "info", redact: secretPaths },
    pino.destination(options.log ?? 2),
  );
  const app = createServer({ config, store, model, language, folder, env, logger });
  try {
    await app.ready();
    if (!isLoopback(host) && !(await app.service.keys.isNeeded()))
      throw new Error(
        `Without keys the server is reachable from this machine only, and not at ${host}. Make a key first: undangle keys create --name NAME`,
      );
    const url = await listen(app, port, host);
    return {
      url,
      message: startMessage(app.service, {
        url,
        language: language ?? "en",
        needsKey: await app.service.keys.isNeeded(),
      }),
      close: () => closeInTime(app, logger),
    };
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** Closes a server; what is still running when the time is over is let go with the process. */
async function closeInTime(app: ReturnType<typeof createServer>, logger: Logger): Promise<void> {
  const isClosed = app.close().then(() => true);
  if (await Promise.race([isClosed, pause(grace, false, { ref: false })])) return;
  logger.warn({}, "Turns are still running; they are gone on with at the next start");
  app.server.closeAllConnections();
  setTimeout(() => process.exit(), 500).unref(); // a model or a tool that hangs would keep it alive
}

async function listen(app: ReturnType<typeof createServer>, port: number, host: string): Promise<string> {
  try {
    return await app.listen({ port, host, backlog: 4096 }); // of many who come at once none waits for long
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EADDRINUSE") throw new Error(`Port ${port} is taken; give another with --port.`, { cause: error });
    if (code === "EACCES") throw new Error(`Port ${port} may not be used; give another with --port.`, { cause: error });
    if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
      throw new Error(`This machine has no address ${host}; give another with --host.`, { cause: error });
    throw error;
  }
}

const secretPaths = ["req.headers.authorization", 'req.headers["x-api-key"]', "req.headers.cookie"];
