import { errorText, UndangleError } from "#core";

import type { Io } from "../io.ts";
import { loadServer, runWithServer } from "../server/load-server.ts";
import { serverTextsIn } from "../server/server-texts.ts";
import { openSession } from "./session.ts";
import type { Arguments } from "./session.ts";

/** `undangle serve`: runs the server until it is told to stop. */
export async function serveCommand(args: Arguments, io: Io): Promise<number> {
  const { language, options } = openSession(args, io);
  const texts = serverTextsIn(language);
  const { port = io.env["PORT"] || "4111", host = "127.0.0.1", config, store, model, log } = options;
  const number = Number(port);
  if (!/^\d{1,5}$/u.test(port) || number > 65_535) {
    await io.stderr.write(`undangle: ${texts.badPort(port)}\n`);
    return 2;
  }
  const server = await loadServer(io.folder);
  if (server === undefined) {
    await io.stderr.write(`${texts.fetching(io.version)}\n`);
    return runWithServer(["serve", ...given({ port, host, config, store, model, log })], io.version);
  }
  try {
    const stopped = io.untilStopped();
    const { env, folder } = io;
    const serving = await server.serve({
      port: number,
      host,
      config,
      store,
      model,
      log,
      language: options.language,
      folder,
      env,
    });
    await io.stdout.write(`${serving.message}\n`);
    await stopped;
    await io.stderr.write(`${texts.stopping}\n`);
    await serving.close();
    return 0;
  } catch (error) {
    if (!(error instanceof Error) || (error instanceof UndangleError && error.code.startsWith("options/"))) throw error;
    const text = error instanceof UndangleError ? errorText(error, language) : error.message;
    await io.stderr.write(`undangle: ${text}\n`);
    return 2;
  }
}

const given = (options: Readonly<Record<string, string | undefined>>): readonly string[] =>
  Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]));
