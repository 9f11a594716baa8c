import { codecs, formats } from "#codecs";
import { languages } from "#core";

/** One option of the command line: the parser, the help and the reference are all made from these rows. */
export interface OptionRow {
  /** The name of its value; a row without one is a switch. */
  readonly value?: string;
  /** The values it may have; left out, any. */
  readonly choices?: readonly string[];
  readonly short?: string;
  /** True where it may be given several times, and each counts. */
  readonly repeats?: true;
  readonly summary: string;
}

/** Every option by the name that the library has for it; on the command line `danglingAtEnd` is `--dangling-at-end`. */
const optionTable = {
  format: {
    value: "FORMAT",
    choices: formats,
    summary: "the wire format; detected when left out",
  },
  from: {
    value: "FORMAT",
    choices: formats,
    summary: "the wire format of the input; detected when left out",
  },
  to: {
    value: "FORMAT",
    choices: formats,
    summary: "the wire format of the output",
  },
  provider: {
    value: "PROVIDER",
    choices: [...new Set(Object.values(codecs).flatMap(({ providers }) => providers))],
    summary: "who is going to read it; narrows the format. Left out: the rules of the format's own provider",
  },
  model: {
    value: "MODEL",
    summary: "the model, for the few rules that depend on it; taken from the body when left out",
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
    summary: "a result without its call: rebuild the call (default), quote the result as text, or drop it",
  },
  duplicates: {
    value: "POLICY",
    choices: ["merge", "last"],
    summary: "two different results for one call: keep both in one (default), or the last",
  },
  danglingAtEnd: {
    value: "POLICY",
    choices: ["answer", "leave"],
    summary: "calls without results at the end: add results (default), or keep them to be run",
  },
  notices: {
    value: "STYLE",
    choices: ["by-cause", "classic"],
    summary: "the notice for a call without a result: its cause (default), or one classic sentence",
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
    summary: "the tools that were offered, with commas between them; they settle doubts about names",
  },
  lenient: {
    summary: "read arguments that are almost JSON; such a call is shown as repaired and must not be executed unseen",
  },
  recoverLeaked: {
    summary: "recover calls of these tools that the model wrote as text",
  },
  trace: {
    summary: "first show what each frame did",
  },
  store: {
    value: "STORE",
    summary:
      "where threads are kept: a path, sqlite:PATH, postgres://… or memory (default: that of the config, else .undangle/threads.db)",
  },
  config: {
    value: "FILE",
    summary: "the config (default: undangle.config.ts, .mts, .js or .mjs, where there is one)",
  },
  agent: {
    value: "AGENT",
    summary: "an agent or a persona of the config, or a file that exports one",
  },
  search: {
    value: "TEXT",
    summary: "threads with this text in their id, title or messages",
  },
  status: {
    value: "STATUS",
    choices: ["idle", "running", "waiting"],
    summary: "threads in which nothing goes on, something does, or a call waits for a decision",
  },
  deleted: {
    summary: "those that are deleted, in place of those that are not",
  },
  purge: {
    summary: "remove permanently: the thread cannot be restored",
  },
  limit: {
    value: "COUNT",
    summary: "how many at most (default: 50)",
  },
  full: {
    summary: "arguments and results whole, and reasoning too",
  },
  id: {
    value: "ID",
    summary: "the id of the new thread (default: that of an exported thread where it is free, else one is made)",
  },
  dryRun: {
    summary: "say what would be done, and do nothing",
  },
  goOn: {
    summary: "resume the agent: calls that were not started run, and the model responds",
  },
  yes: {
    short: "y",
    summary: "do not ask",
  },
  approve: {
    value: "CALL",
    repeats: true,
    summary: "let this call run; all: every call that no other option names",
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
    summary: "where it listens (default: PORT of the environment, else 4111; 0 takes one that is free)",
  },
  sharePort: {
    summary: "other processes may listen at the same port, and the system spreads connections over them (Linux)",
  },
  log: {
    value: "FILE",
    summary: "append the log to this file (default: stderr)",
  },
  host: {
    value: "HOST",
    summary: "the address that it listens at (default: 127.0.0.1); another one needs a key first",
  },
  allowOrigin: {
    value: "ORIGIN",
    repeats: true,
    summary: "pages of this origin may use the server from a browser, e.g. http://localhost:3000",
  },
  allowHost: {
    value: "NAME",
    repeats: true,
    summary: "without keys, the server may be requested under this host name besides localhost",
  },
  rate: {
    value: "COUNT",
    summary: "requests a minute of one key or address (default: 6000)",
  },
  webhook: {
    value: "URL",
    summary: "called when a thread starts to wait for a decision; UNDANGLE_WEBHOOK_SECRET signs the request",
  },
  timeZone: {
    value: "ZONE",
    summary: "the time zone of the tool gettime, e.g. Europe/Berlin (default: that of the machine)",
  },
  name: {
    value: "NAME",
    summary: "what the key is for",
  },
  scopes: {
    value: "SCOPES",
    summary: "what the key allows, with commas: chat, threads, approve, admin (default: all but admin)",
  },
  project: {
    value: "PROJECT",
    summary: "whose threads it sees (default: default)",
  },
  expires: {
    value: "DAYS",
    summary: "for how many days it holds (default: until it is revoked)",
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

/** The options of one call of the program: the value, all values of one that repeats, or `true` for a switch. */
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

/** The row of an option, whatever it has. */
export const optionRow = (name: OptionName): OptionRow => optionTable[name];

/** How an option is written on the command line. */
export const flagOf = (name: OptionName): string =>
  `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
