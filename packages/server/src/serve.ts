import { setTimeout as pause } from "node:timers/promises";

import type { Language } from "undangle";
import type { Logger } from "undangle/agent";
import { languageFor, loadConfig } from "undangle/config";
import type { ServerConfig } from "undangle/config";

import { createServer } from "./create-server.ts";
import { listen } from "./listen.ts";
import { openLog } from "./open-log.ts";
import type { LogWish } from "./open-log.ts";
import { startMessage } from "./start-message.ts";

/** The options of the command line. */
export interface ServeOptions extends LogWish, ServerConfig {
  readonly port: number;
  readonly host: string;
  /** True if other processes may share the port. */
  readonly sharePort?: boolean | undefined;
  readonly config?: string | undefined;
  readonly store?: string | undefined;
  readonly model?: string | undefined;
  readonly language?: Language | undefined;
}

export interface Serving {
  readonly url: string;
  /** The start message for the operator. */
  readonly message: string;
  /** Accepts no new work, and resolves when running work is saved. */
  close(): Promise<void>;
}

/** How long running turns may continue after a stop. The next start recovers the rest. */
const grace = 10_000;

/** Starts a server on a port. */
export async function serve(options: ServeOptions): Promise<Serving> {
  const { port, host, sharePort, log, config: path, ...rest } = options;
  const { folder, language, env } = options;
  const config = await loadConfig({ path, folder });
  const spoken = languageFor(language, env);
  const logger = openLog({ log, folder, env }, spoken);
  const app = createServer({ ...rest, config, logger });
  try {
    await app.ready();
    const url = await listen(app, { port, host, isShared: sharePort }, spoken);
    return {
      url,
      message: startMessage(app.service, { url, language: spoken, needsKey: await app.service.keys.isNeeded() }),
      close: () => closeInTime(app, logger),
    };
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** Closes a server. Turns that still run after the grace period end with the process. */
async function closeInTime(app: ReturnType<typeof createServer>, logger: Logger): Promise<void> {
  const isClosed = app.close().then(() => true);
  if (await Promise.race([isClosed, pause(grace, false, { ref: false })])) return;
  logger.warn({}, "Turns are still running; the next start resumes them");
  app.server.closeAllConnections();
  setTimeout(() => process.exit(), 500).unref(); // a model or tool that hangs would keep the process alive
}
