import { errorText, languageFor, languages, UndangleError } from "#core";
import type { Language } from "#core";
import { commandHelp, programHelp } from "./help.ts";
import type { CommandName } from "./command-table.ts";
import type { Arguments } from "./commands/session.ts";
import { isSystemError, systemText } from "./input/system-fault.ts";
import type { Io } from "./io.ts";
import { parseArguments } from "./parse-arguments.ts";
import type { Request } from "./parse-arguments.ts";
import { guardIo } from "./terminal/guard-output.ts";
import { complaint } from "./terminal/complaint.ts";
import { palette, wantsColor } from "./terminal/palette.ts";
import { textsIn } from "./texts/choose-texts.ts";
import { usageTextsIn } from "./texts/usage-texts.ts";

/** Runs a command line. The exit code is 0 for success, 1 for problems, 2 for an error. */
export async function main(argv: readonly string[], world: Io): Promise<number> {
  const refused = argv.includes("--no-color");
  const io = guardIo(world, { refused });
  const language = languageOf(argv, io);
  try {
    const request = parseArguments(argv, usageTextsIn(language));
    return await perform(request, io, { refused, language });
  } catch (error) {
    if (isSystemError(error) && error.code === "EPIPE") return 0; // the reader, for example `head`, stopped reading
    await io.stderr.write(complaint(faultText(error, io, language), io.stderr));
    return 2;
  }
}

/** An error as the user reads it. A stack trace is for developers: it is printed on request. */
function faultText(error: unknown, { env }: Io, language: Language): string {
  if (error instanceof UndangleError) return errorText(error, language);
  const texts = textsIn(language);
  if (isSystemError(error)) return systemText(error, texts);
  const isTraced = env["NODE_DEBUG"]?.split(",").includes("undangle") === true;
  const stack = isTraced && error instanceof Error ? error.stack : undefined;
  return texts.unexpected(stack ?? String(error));
}

/** The language before the command line is parsed. */
function languageOf(argv: readonly string[], { env }: Io): Language {
  const written = argv.flatMap((word, i) => (word === "--language" ? [`${word}=${argv[i + 1] ?? ""}`] : [word]));
  const asked = languages.find((each) => written.includes(`--language=${each}`));
  return languageFor(asked, env);
}

interface Speaking {
  /** True if colours are disabled. */
  readonly refused: boolean;
  readonly language: Language;
}

type Command = (args: Arguments, io: Io) => Promise<number>;

const historyCommands = () => import("./commands/history-commands.ts");

// Commands are loaded on demand: `--help` needs none, and most commands need no agent.
const commands: Readonly<Record<CommandName, Command>> = {
  check: async (args, io) => (await historyCommands()).checkCommand(args, io),
  repair: async (args, io) => (await historyCommands()).repairCommand(args, io),
  convert: async (args, io) => (await historyCommands()).convertCommand(args, io),
  assemble: async (args, io) => (await historyCommands()).assembleCommand(args, io),
  explain: async (args, io) => (await historyCommands()).explainCommand(args, io),
  doctor: async (args, io) => (await historyCommands()).doctorCommand(args, io),
  chat: async (args, io) => (await import("./commands/chat-command.ts")).chatCommand(args, io),
  serve: async (args, io) => (await import("./commands/serve-command.ts")).serveCommand(args, io),
  keys: async (args, io) => (await import("./commands/keys-command.ts")).keysCommand(args, io),
  threads: async (args, io) => (await import("./commands/threads-command.ts")).threadsCommand(args, io),
};

async function perform(request: Request, io: Io, { refused, language }: Speaking): Promise<number> {
  const paint = palette(wantsColor(io.env, { isTTY: io.stdout.isTTY, refused }));
  switch (request.type) {
    case "run":
      return await commands[request.command](request, io);
    case "version":
      await io.stdout.write(`${io.version}\n`);
      return 0;
    case "help":
      await io.stdout.write(
        request.command === undefined ? programHelp(paint, io.version) : commandHelp(request.command, paint),
      );
      return 0;
    case "nothing":
      await io.stdout.write(programHelp(paint, io.version));
      return 2;
    case "usage": {
      const help = request.command === undefined ? "undangle --help" : `undangle ${request.command} --help`;
      await io.stderr.write(complaint(`${request.message}\n${usageTextsIn(language).more(help)}`, io.stderr));
      return 2;
    }
  }
}
