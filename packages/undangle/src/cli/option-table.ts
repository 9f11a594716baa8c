import { codecs, formats } from "#codecs";
import { languages } from "#core";
import { runModes } from "#engine";

/** An option. The parser, the help and the reference read these rows. */
export interface OptionRow {
  /** The name of its value; a switch has none. */
  readonly value?: string;
  /** The allowed values; by default any. */
  readonly choices?: readonly string[];
  readonly short?: string;
  /** True if it may be repeated, and every value counts. */
  readonly repeats?: true;
  readonly summary: string;
}

/** Every option by its name in the library. On the command line `danglingAtEnd` is `--dangling-at-end`. */
const optionTable = {
  format: {
    value: "FORMAT",
    choices: formats,
    summary: "the wire format (default: detected)",
  },
  from: {
    value: "FORMAT",
    choices: formats,
    summary: "the wire format of the input (default: detected)",
  },
  to: {
    value: "FORMAT",
    choices: formats,
    summary: "the wire format of the output",
  },
  provider: {
    value: "PROVIDER",
    choices: [...new Set(Object.values(codecs).flatMap(({ providers }) => providers))],
    summary: "the provider that receives it (default: the provider that defines the format)",
  },
  model: {
    value: "MODEL",
    summary: "the model, for the few rules that depend on it (default: from the body)",
  },
  language: {
    value: "LANGUAGE",
    choices: languages,
    summary: "language of notices in the history and of this program's texts (default: en; the texts follow LANG)",
  },
  at: {
    value: "PATH",
    summary: "path of the body or message list in the JSON, e.g. request.body",
  },
  lines: {
    summary: "the input is JSON lines (default: detected from .jsonl, .ndjson or the first line)",
  },
  orphans: {
    value: "POLICY",
    choices: ["restore", "quote", "drop"],
    summary: "a result without its call: reconstruct the call (default), quote the result as text, or drop it",
  },
  duplicates: {
    value: "POLICY",
    choices: ["merge", "last"],
    summary: "two different results for one call: merge them (default), or keep the last",
  },
  danglingAtEnd: {
    value: "POLICY",
    choices: ["answer", "leave"],
    summary: "calls without results at the end: add results (default), or leave them to be run",
  },
  notices: {
    value: "STYLE",
    choices: ["by-cause", "classic"],
    summary: "the notice for a call without a result: one that names the cause (default), or the classic text",
  },
  output: {
    value: "OUT",
    short: "o",
    summary: "write to OUT, through a temporary file; - is stdout",
  },
  inPlace: {
    short: "i",
    summary: "write back to FILE and keep the old one as FILE.bak (.bak1, .bak2 … where that exists)",
  },
  tools: {
    value: "NAMES",
    summary: "the tools of the request, separated by commas; they resolve ambiguous names",
  },
  lenient: {
    summary: "read arguments that are almost JSON; such a call is shown as repaired; review it before you execute it",
  },
  recoverLeaked: {
    summary: "recover calls of these tools that the model wrote as text",
  },
  trace: {
    summary: "show first what each frame contains",
  },
  store: {
    value: "STORE",
    summary:
      "where threads are stored: a path, sqlite:PATH, postgres://… or memory (default: from the config, else .undangle/threads.db)",
  },
  config: {
    value: "FILE",
    summary: "the config (default: undangle.config.ts, .mts, .js or .mjs, if present)",
  },
  agent: {
    value: "AGENT",
    summary: "an agent or a persona of the config, or a file that exports one",
  },
  files: {
    value: "DIR",
    summary:
      "give the agent the files of this directory, whether it is configured or not: it reads them, and every change waits for a decision",
  },
  deep: {
    summary:
      "make the agent a deep agent: it plans, delegates to sub-agents and keeps files; with --files it also reads AGENTS.md and skills there",
  },
  mode: {
    value: "MODE",
    choices: runModes,
    summary: "what calls may do: ask (by the rules), accept-edits, plan or read-only (default: the mode of the agent)",
  },
  search: {
    value: "TEXT",
    summary: "threads with this text in their id, title or messages",
  },
  status: {
    value: "STATUS",
    choices: ["idle", "running", "waiting"],
    summary: "threads that are idle, running, or waiting for a decision",
  },
  deleted: {
    summary: "list deleted threads instead of the others",
  },
  purge: {
    summary: "remove permanently: the thread cannot be restored",
  },
  put: {
    value: "FILE",
    summary: "store this local file; - is stdin",
  },
  delete: {
    summary: "delete the file",
  },
  limit: {
    value: "COUNT",
    summary: "how many at most (default: 50)",
  },
  full: {
    summary: "full arguments, results and reasoning",
  },
  id: {
    value: "ID",
    summary: "the id of the new thread (default: the exported id if it is free, else a generated id)",
  },
  dryRun: {
    summary: "show what would be done without doing it",
  },
  goOn: {
    summary: "resume the agent: calls that were not started run, and the model responds",
  },
  yes: {
    short: "y",
    summary: "do not ask for confirmation",
  },
  approve: {
    value: "CALL",
    repeats: true,
    summary: "approve this call; all: every call that no other option names",
  },
  reject: {
    value: "CALL[=REASON]",
    repeats: true,
    summary: "reject this call, with a reason for the model; all: every call that no other option names",
  },
  by: {
    value: "NAME",
    summary: "who decides (default: the name of the user)",
  },
  thread: {
    value: "ID",
    summary: "continue a thread: its id, the start of its id, or last",
  },
  port: {
    value: "PORT",
    summary: "the port (default: the environment variable PORT, else 4111; 0: any free port)",
  },
  sharePort: {
    summary: "share the port with other processes; the system distributes connections (Linux)",
  },
  log: {
    value: "FILE",
    summary: "append the log to this file (default: stderr)",
  },
  host: {
    value: "HOST",
    summary: "the address to listen on (default: 127.0.0.1); any other address requires a key",
  },
  allowOrigin: {
    value: "ORIGIN",
    repeats: true,
    summary: "allow pages of this origin to use the server, e.g. http://localhost:3000",
  },
  allowHost: {
    value: "NAME",
    repeats: true,
    summary: "without keys, accept this host name besides localhost",
  },
  rate: {
    value: "COUNT",
    summary: "requests per minute for each key or address (default: 6000)",
  },
  webhook: {
    value: "URL",
    summary: "called when a thread starts to wait for a decision; UNDANGLE_WEBHOOK_SECRET signs the request",
  },
  timeZone: {
    value: "ZONE",
    summary: "the time zone of the tool gettime, e.g. Europe/Berlin (default: the system time zone)",
  },
  name: {
    value: "NAME",
    summary: "what the key is for",
  },
  scopes: {
    value: "SCOPES",
    summary: "the scopes of the key, separated by commas: chat, threads, approve, admin (default: all but admin)",
  },
  project: {
    value: "PROJECT",
    summary: "the project whose threads the key can access (default: default)",
  },
  expires: {
    value: "DAYS",
    summary: "the number of days until the key expires (default: never)",
  },
  json: {
    summary: "machine-readable output",
  },
  quiet: {
    short: "q",
    summary: "errors only",
  },
  noColor: {
    summary: "no colours; NO_COLOR and FORCE_COLOR are respected too",
  },
  help: {
    short: "h",
    summary: "show help",
  },
  version: {
    summary: "show the version",
  },
} as const satisfies Readonly<Record<string, OptionRow>>;

export type OptionName = keyof typeof optionTable;

/** The options of a command line: a value, all values of a repeated option, or `true` for a switch. */
export type Options = {
  readonly [Name in OptionName]?: (typeof optionTable)[Name] extends { readonly choices: readonly (infer Choice)[] }
    ? Choice
    : (typeof optionTable)[Name] extends { readonly repeats: true }
      ? readonly string[]
      : (typeof optionTable)[Name] extends { readonly value: string }
        ? string
        : true;
};

export const optionNames = Object.keys(optionTable) as readonly OptionName[]; // the keys of a literal

export const optionRow = (name: OptionName): OptionRow => optionTable[name];

/** The form of an option on the command line. */
export const flagOf = (name: OptionName): string =>
  `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
