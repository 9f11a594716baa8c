import { codecs, formats } from "#codecs";
import { languages } from "#core";

/** One option of the command line: the parser, the help and the reference are all made from these rows. */
export interface OptionRow {
  /** The name of its value; a row without one is a switch. */
  readonly value?: string;
  /** The values it may have; left out, any. */
  readonly choices?: readonly string[];
  readonly short?: string;
  readonly summary: string;
}

/** Every option by the name that the library has for it; on the command line `danglingAtEnd` is `--dangling-at-end`. */
export const optionTable = {
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
    summary: "where in the JSON the body or the message list stands, e.g. request.body",
  },
  lines: {
    summary: "the input is JSON lines; left out, .jsonl, .ndjson or the first line tells",
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
    summary: "calls at the very end without results: answer them (default), or leave them to be run",
  },
  notices: {
    value: "STYLE",
    choices: ["by-cause", "classic"],
    summary: "what the model is told about a call without a result: its true cause (default), or one classic sentence",
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

/** The options of one call of the program: the value, or `true` for a switch. */
export type Options = {
  readonly [Name in OptionName]?: (typeof optionTable)[Name] extends { readonly choices: readonly (infer Choice)[] }
    ? Choice
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
