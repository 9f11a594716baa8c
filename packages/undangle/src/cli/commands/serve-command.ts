import { errorText, UndangleError } from "#core";

import type { Io } from "../io.ts";
import { flagOf } from "../option-table.ts";
import type { OptionName, Options } from "../option-table.ts";
import { loadServer, runWithServer } from "../server/load-server.ts";
import type { ServerPackage } from "../server/load-server.ts";
import { serverTextsIn } from "../server/server-texts.ts";
import { openSession } from "./session.ts";
import type { Arguments } from "./session.ts";
import { complaint } from "../terminal/complaint.ts";
import { printableLines } from "../terminal/printable.ts";

/** `undangle serve`: runs the server until it is stopped. */
export async function serveCommand(args: Arguments, io: Io): Promise<number> {
  const { language, options } = openSession(args, io);
  const texts = serverTextsIn(language);
  const complain = async (text: string): Promise<number> => {
    await io.stderr.write(complaint(text, io.stderr));
    return 2;
  };
  const { port = io.env["PORT"] || "4111", host = "127.0.0.1", config, store, model, log, rate } = options;
  const number = Number(port);
  if (!/^\d{1,5}$/u.test(port) || number > 65_535) return complain(texts.badPort(port));
  if (rate !== undefined && !/^[1-9]\d{0,8}$/u.test(rate)) return complain(texts.badRate(rate));
  const server = await loadServer(io.folder);
  if (server === undefined) {
    await io.stderr.write(`${texts.fetching(io.version)}\n`);
    const argv = ["serve", ...argumentsOf({ ...options, port, host })];
    return (await runWithServer(argv, io.version)) ?? complain(texts.noServer(io.version));
  }
  try {
    const stopped = io.untilStopped();
    const { env, folder } = io;
    const serving = await server.serve({
      port: number,
      host,
      sharePort: options.sharePort,
      config,
      store,
      model,
      log,
      language: options.language,
      folder,
      env,
      ...sectionOf(options, env),
    });
    await io.stdout.write(`${printableLines(serving.message)}\n`);
    await stopped;
    await io.stderr.write(`${texts.stopping}\n`);
    await serving.close();
    return 0;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (error instanceof UndangleError && error.is("options/value")) {
      const { option, value, allowed } = error.data;
      const flag = flags.find(([known]) => option.startsWith(known))?.[1];
      if (flag !== undefined) return complain(texts.badValue(flagOf(flag), String(value), allowed));
    }
    if (error instanceof UndangleError && error.code.startsWith("options/")) throw error;
    return complain(error instanceof UndangleError ? errorText(error, language) : error.message);
  }
}

/** Maps options of the server to options of the command line. */
const flags: readonly (readonly [option: string, flag: OptionName])[] = [
  ["origins", "allowOrigin"],
  ["hosts", "allowHost"],
  ["webhook", "webhook"],
  ["timeZone", "timeZone"],
];

type Section = Pick<Parameters<ServerPackage["serve"]>[0], "origins" | "hosts" | "limits" | "webhook" | "timeZone">;

/** The settings that replace the section `server` of the config. */
function sectionOf({ allowOrigin, allowHost, rate, webhook, timeZone }: Options, env: Io["env"]): Section {
  const secret = env["UNDANGLE_WEBHOOK_SECRET"] || undefined;
  return {
    origins: allowOrigin,
    hosts: allowHost,
    limits: rate === undefined ? undefined : { rate: Number(rate) },
    webhook: webhook === undefined ? undefined : { url: webhook, secret },
    timeZone,
  };
}

/** Options as they appear on a command line. */
const argumentsOf = (options: Options): readonly string[] =>
  Object.entries(options).flatMap(([name, value]) => {
    const flag = flagOf(name as OptionName); // the keys of options are their names
    return value === true ? [flag] : [value].flat().flatMap((each) => [flag, each]);
  });
