import { streamFormats } from "#codecs";
import { rules } from "#core";
import { optionRow } from "./option-table.ts";
import type { OptionName } from "./option-table.ts";

/** One command: the parser, the help and the reference are all made from these rows. */
export interface CommandRow {
  readonly operands: string;
  readonly summary: string;
  readonly examples: readonly (readonly [command: string, does: string])[];
  /** What a person has to know, a paragraph each. */
  readonly notes: readonly string[];
  readonly options: readonly OptionName[];
  /** Where a command takes other values of an option than the rest. */
  readonly choices?: { readonly [Name in OptionName]?: readonly string[] };
  readonly exits: Readonly<Record<0 | 1 | 2, string>>;
}

const everywhere = ["json", "quiet", "noColor", "help"] as const;
const reading = ["format", "provider", "model", "language", "at", "lines"] as const;
const mending = ["orphans", "duplicates", "danglingAtEnd", "notices"] as const;

const failed = "a wrong option, a file that cannot be read or written, or input that is not JSON";
const sources =
  "FILE is a request body or a message list as JSON, or JSON lines with one of them per line, which are read one by one, so that the size of the file does not matter. Without FILE, or with -, stdin is read.";

export const commandTable = {
  check: {
    operands: "[FILE...]",
    summary: "list what a provider would refuse, one problem a line",
    examples: [
      ["undangle check session.json", "is this history healthy?"],
      ["undangle check --provider mistral session.json", "would Mistral take it?"],
      ["undangle check requests.jsonl | grep orphan-result", "which requests of a log have one kind of problem?"],
      ["pbpaste | undangle check", "check what is in the clipboard"],
      ["undangle check --at request.body log.json", "the body stands inside something else"],
    ],
    notes: [
      sources,
      "A line of output is FILE:LINE: PATH: RULE: MESSAGE. LINE is the line of FILE; the summary goes to stderr.",
      "--json prints one array: { file, line, rule, path, message, fix, repairable, confidence, callId? } for a problem, { file, line?, error: { code, message } } for what could not be read.",
    ],
    options: [...reading, ...everywhere],
    exits: { 0: "healthy", 1: "problems found", 2: failed },
  },
  repair: {
    operands: "[FILE] [-o OUT | --in-place]",
    summary: "write the mended history; what needs no edit stays byte for byte as it is",
    examples: [
      ["undangle repair session.json -o mended.json", "write a mended copy"],
      ["undangle repair --in-place session.json", "mend the file, keep session.json.bak"],
      ["undangle repair < body.json | curl -d @- …", "mend on the way to the provider"],
      ["undangle repair requests.jsonl > mended.jsonl", "a whole log, one line out for each line in"],
      ["undangle repair --orphans quote session.json", "quote results whose call is lost"],
    ],
    notes: [
      sources,
      "Without -o or --in-place the result goes to stdout, and what was done to stderr. Indentation, line ends and the text of every value that is not edited are kept; a healthy file comes out as it went in. With --in-place several files may be named, and a healthy one is not touched.",
      "JSON lines: a line that cannot be read is reported with its number and passed on unchanged.",
      "--json prints { file, line?, format, changed, output, edits, problems } (for JSON lines, one object a line); output is left out when it goes to a file. What could not be read is { file, line?, error: { code, message } }.",
    ],
    options: [...reading, ...mending, "output", "inPlace", ...everywhere],
    exits: { 0: "healthy or mended", 1: "problems are left that no repair can mend", 2: failed },
  },
  convert: {
    operands: "[FILE] --to FORMAT [-o OUT]",
    summary: "write the history in another wire format, healthy for it; what that cannot hold is listed",
    examples: [
      ["undangle convert session.json --to anthropic -o claude.json", "go on with another provider"],
      ["undangle convert session.json --to openai-chat --provider mistral", "for one provider of a format"],
      ["undangle convert body.json --to bedrock --model us.amazon.nova-pro-v1:0", "name the model of the output"],
      ["undangle convert requests.jsonl --to gemini > converted.jsonl", "a whole log, one line out for each line in"],
    ],
    notes: [
      sources,
      "A body becomes a body, with system text, tools, tool choice, media and sampling parameters; a message list becomes a message list. The input is mended on the way, and so is the output.",
      "The result goes to OUT or stdout. What the target cannot hold goes to stderr, one loss a line: FILE: PATH: loss: WHAT: WHY; in JSON lines FILE is FILE:LINE. PATH is that of the input.",
      "JSON lines: a line that cannot be read is reported with its number and passed on unchanged.",
      "--json prints { file, line?, from, to, output, losses, problems } (for JSON lines, one object a line); output is left out when it goes to a file. What could not be read is { file, line?, error: { code, message } }.",
    ],
    options: ["from", "to", "provider", "model", "language", "at", "lines", "output", ...everywhere],
    exits: { 0: "converted, with or without losses", 1: "problems are left that no repair can mend", 2: failed },
  },
  assemble: {
    operands: "[FILE]",
    summary: "turn a captured stream into what the model said, its calls, and what was odd about it",
    examples: [
      ["undangle assemble capture.txt", "what did this stream say, and may its calls be executed?"],
      ["curl -sN … | tee capture.txt | undangle assemble", "while it is captured"],
      ["undangle assemble --trace capture.txt", "which frame did what?"],
      ["undangle assemble --tools get_weather,search --recover-leaked capture.txt", "calls that were written as text"],
      ["undangle assemble --json capture.txt | jq .turns[0].calls", "for a program"],
    ],
    notes: [
      "FILE is a stream as it came: server-sent events, JSON lines, or one JSON body; headers before it do no harm. Without FILE, or with -, stdin is read.",
      "Frames are counted from 0, and so are calls. A call is ready when its arguments are a whole JSON object; only ready calls of a complete turn may be executed.",
      "--json prints { file, format, turns } with a turn for each choice; with --trace also frames, each { number, event?, data, parts }, and ending, the parts behind the last one. What could not be read is { file, error: { code, message } }.",
    ],
    options: ["format", "tools", "lenient", "recoverLeaked", "trace", "language", ...everywhere],
    choices: { format: streamFormats },
    exits: {
      0: "a complete turn, its calls ready",
      1: "incomplete, or with calls that are not ready",
      2: "a wrong option, a file that cannot be read, or a format that cannot be told",
    },
  },
  explain: {
    operands: "[TEXT]",
    summary: "say what a provider's error text means and what fixes it",
    examples: [
      [
        `undangle explain "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'"`,
        "paste the error text",
      ],
      ["undangle explain < error.log", "or pipe it in, wrapped in whatever"],
    ],
    notes: [
      "The text may be wrapped (litellm.BadRequestError: …, JSON inside text) and have other ids and indexes in it. Without TEXT, or with -, stdin is read.",
      "--json prints an array of { rule, title, why, fix, docs, confidence }.",
    ],
    options: ["format", "language", ...everywhere],
    choices: { format: [...new Set(Object.values(rules).flatMap(({ cases }) => cases.map(({ format }) => format)))] },
    exits: {
      0: "the text is known",
      1: "it is not known; the nearest rules are shown",
      2: "a wrong option, or no text",
    },
  },
  doctor: {
    operands: "[FILE...]",
    summary: "all of it for a person: what is wrong, where, why, and what a repair changes, as a diff",
    examples: [
      ["undangle doctor session.json", "what is wrong with my session?"],
      ["undangle doctor --language zh session.json", "the same in Chinese"],
      ["undangle doctor session.json | less -R", "with FORCE_COLOR=1 in the environment, to page in colour"],
    ],
    notes: [
      sources,
      "Nothing is written; the last lines say which command does it. Of JSON lines the first broken ones are shown, and all are counted.",
      "--json prints one object a document: { file, line?, format, messages, problems, edits, left }, or { file, line?, error: { code, message } }.",
    ],
    options: [...reading, ...mending, ...everywhere],
    exits: { 0: "healthy", 1: "problems found", 2: failed },
  },
} as const satisfies Readonly<Record<string, CommandRow>>;

export type CommandName = keyof typeof commandTable;

export const commandNames = Object.keys(commandTable) as readonly CommandName[]; // the keys of a literal

/** The row of a command, whatever it has. */
export const commandRow = (name: CommandName): CommandRow => commandTable[name];

/** The values that an option may have in a command; undefined = any. */
export const choicesOf = (option: OptionName, command: CommandName): readonly string[] | undefined =>
  commandRow(command).choices?.[option] ?? optionRow(option).choices;
