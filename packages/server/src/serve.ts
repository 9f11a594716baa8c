import type { Language } from "undangle";
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
    const url = await app.listen({ port, host });
    return {
      url,
      message: startMessage(app.service, url, language ?? "en"),
      async close() {
        const late = setTimeout(
          () => logger.warn("Turns are still running; they are gone on with at the next start"),
          grace,
        );
        late.unref();
        await Promise.race([app.close(), new Promise((resolve) => setTimeout(resolve, grace + 1000).unref())]);
        clearTimeout(late);
      },
    };
  } catch (error) {
    await app.close();
    throw error;
  }
}

const secretPaths = ["req.headers.authorization", 'req.headers["x-api-key"]', "req.headers.cookie"];
