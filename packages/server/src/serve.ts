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

/** What the command line says. */
export interface ServeOptions extends LogWish, ServerConfig {
  readonly port: number;
  readonly host: string;
  /** True where other processes may listen at the same port. */
  readonly sharePort?: boolean | undefined;
  readonly config?: string | undefined;
  readonly store?: string | undefined;
  readonly model?: string | undefined;
  readonly language?: Language | undefined;
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

/** Closes a server; what is still running when the time is over is let go with the process. */
async function closeInTime(app: ReturnType<typeof createServer>, logger: Logger): Promise<void> {
  const isClosed = app.close().then(() => true);
  if (await Promise.race([isClosed, pause(grace, false, { ref: false })])) return;
  logger.warn({}, "Turns are still running; the next start resumes them");
  app.server.closeAllConnections();
  setTimeout(() => process.exit(), 500).unref(); // a model or a tool that hangs would keep it alive
}
