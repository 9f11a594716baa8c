import { formats, streamFormats } from "#codecs";
import { rules } from "#core";
import { optionRow } from "./option-table.ts";
import type { OptionName } from "./option-table.ts";

/** A command. The parser, the help and the reference read these rows. */
export interface CommandRow {
  readonly operands: string;
  readonly summary: string;
  readonly examples: readonly (readonly [command: string, does: string])[];
  /** Paragraphs of the help. */
  readonly notes: readonly string[];
  readonly options: readonly OptionName[];
  /** Allowed values of an option that differ for this command. */
  readonly choices?: { readonly [Name in OptionName]?: readonly string[] };
  /** Meanings of an option that differ for this command. */
  readonly meanings?: { readonly [Name in OptionName]?: string };
  readonly exits: Readonly<Record<0 | 1 | 2, string>> & { readonly 3?: string };
}

const everywhere = ["json", "quiet", "noColor", "help"] as const;
const reading = ["format", "provider", "model", "language", "at", "lines"] as const;
const mending = ["orphans", "duplicates", "danglingAtEnd", "notices"] as const;

const failed = "a wrong option, a file that cannot be read or written, or input that is not JSON";
const sources =
  "FILE is a request body or a message list as JSON, or JSON lines with one per line. Lines are read one by one, so files of any size work. Without FILE, or with -, stdin is read.";

const commandTable = {
  check: {
    operands: "[FILE...]",
    summary: "list what a provider would refuse, one problem per line",
    examples: [
      ["undangle check session.json", "is this history valid?"],
      ["undangle check --provider mistral session.json", "would Mistral accept it?"],
      ["undangle check requests.jsonl | grep orphan-result", "which requests of a log have one kind of problem?"],
      ["pbpaste | undangle check", "check what is in the clipboard"],
      ["undangle check --at request.body log.json", "the body is nested in another object"],
    ],
    notes: [
      sources,
      "A line of output is FILE:LINE: PATH: RULE: MESSAGE. LINE is the line of FILE; the summary goes to stderr.",
      "--json prints one array: { file, line, rule, path, message, fix, repairable, confidence, callId? } for a problem, { file, line?, error: { code, message } } for an input that could not be read.",
    ],
    options: [...reading, ...everywhere],
    exits: { 0: "healthy", 1: "problems found", 2: failed },
  },
  repair: {
    operands: "[FILE] [-o OUT | --in-place]",
    summary: "write the repaired history; everything else stays byte for byte the same",
    examples: [
      ["undangle repair session.json -o repaired.json", "write a repaired copy"],
      ["undangle repair --in-place session.json", "repair the file, keep session.json.bak"],
      ["undangle repair < body.json | curl -d @- …", "repair on the way to the provider"],
      ["undangle repair requests.jsonl > repaired.jsonl", "a whole log, one output line for each input line"],
      ["undangle repair --orphans quote session.json", "quote results whose call is missing"],
    ],
    notes: [
      sources,
      "Without -o or --in-place the result goes to stdout, and the list of edits to stderr. Indentation, line ends and the text of every value that is not edited are kept; a valid file stays byte for byte the same. With --in-place several files may be named, and a healthy one is not touched.",
      "JSON lines: a line that cannot be read is reported with its number and passed on unchanged.",
      "--json prints { file, line?, format, changed, output, edits, problems } (for JSON lines, one object per line); output is omitted when it goes to a file. An input that could not be read is { file, line?, error: { code, message } }.",
    ],
    options: [...reading, ...mending, "output", "inPlace", ...everywhere],
    exits: { 0: "valid or repaired", 1: "problems remain that no repair can fix", 2: failed },
  },
  convert: {
    operands: "[FILE] --to FORMAT [-o OUT]",
    summary: "write the history in another wire format, and list what that format cannot contain",
    examples: [
      ["undangle convert session.json --to anthropic -o claude.json", "continue with another provider"],
      ["undangle convert session.json --to openai-chat --provider mistral", "for one provider of a format"],
      ["undangle convert body.json --to bedrock --model us.amazon.nova-pro-v1:0", "name the model of the output"],
      [
        "undangle convert requests.jsonl --to gemini > converted.jsonl",
        "a whole log, one output line for each input line",
      ],
    ],
    notes: [
      sources,
      "A body becomes a body, with system text, tools, tool choice, media and sampling parameters; a message list becomes a message list. Input and output are repaired on the way.",
      "The result goes to OUT or stdout. Losses go to stderr, one per line: FILE: PATH: loss: WHAT: WHY; in JSON lines FILE is FILE:LINE. PATH is the path in the input.",
      "JSON lines: a line that cannot be read is reported with its number and passed on unchanged.",
      "--json prints { file, line?, from, to, output, losses, problems } (for JSON lines, one object per line); output is omitted when it goes to a file. An input that could not be read is { file, line?, error: { code, message } }.",
    ],
    options: ["from", "to", "provider", "model", "language", "at", "lines", "output", ...everywhere],
    exits: { 0: "converted, with or without losses", 1: "problems remain that no repair can fix", 2: failed },
  },
  assemble: {
    operands: "[FILE]",
    summary: "turn a captured stream into text, calls and anomalies",
    examples: [
      ["undangle assemble capture.txt", "which text and calls does this stream contain?"],
      ["curl -sN … | tee capture.txt | undangle assemble", "while it is captured"],
      ["undangle assemble --trace capture.txt", "which frame did what?"],
      ["undangle assemble --tools get_weather,search --recover-leaked capture.txt", "calls that were written as text"],
      ["undangle assemble --json capture.txt | jq .turns[0].calls", "for a program"],
    ],
    notes: [
      "FILE is a captured stream: server-sent events, JSON lines, or one JSON body. HTTP headers before it are ignored. Without FILE, or with -, stdin is read.",
      "Frames and calls are numbered from 0. A call is ready when its arguments are a complete JSON object; only ready calls of a complete turn may be executed.",
      "--json prints { file, format, turns } with a turn for each choice; with --trace also frames, each { number, event?, data, parts }, and ending, the parts after the last one. An input that could not be read is { file, error: { code, message } }.",
    ],
    options: ["format", "tools", "lenient", "recoverLeaked", "trace", "language", ...everywhere],
    choices: { format: streamFormats },
    exits: {
      0: "a complete turn, its calls ready",
      1: "incomplete, or with calls that are not ready",
      2: "a wrong option, a file that cannot be read, or an unknown format",
    },
  },
  explain: {
    operands: "[TEXT]",
    summary: "explain a provider's error text and how to fix it",
    examples: [
      [
        `undangle explain "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'"`,
        "paste the error text",
      ],
      ["undangle explain < error.log", "or pipe it in, with any text around it"],
    ],
    notes: [
      "The text may be wrapped (litellm.BadRequestError: …, JSON inside text) and may contain other ids and indexes. Without TEXT, or with -, stdin is read.",
      "--json prints an array of { rule, title, why, fix, docs, confidence }.",
    ],
    options: ["format", "language", ...everywhere],
    choices: { format: [...new Set(Object.values(rules).flatMap(({ cases }) => cases.map(({ format }) => format)))] },
    exits: {
      0: "the text is known",
      1: "the text is unknown; the nearest rules are shown",
      2: "a wrong option, or no text",
    },
  },
  doctor: {
    operands: "[FILE...]",
    summary: "a report for people: problems, places, reasons, and a repair as a diff",
    examples: [
      ["undangle doctor session.json", "what is wrong with my session?"],
      ["undangle doctor --language zh session.json", "the same in Chinese"],
      ["undangle doctor session.json | less -R", "with FORCE_COLOR=1 in the environment, to page in colour"],
    ],
    notes: [
      sources,
      "Nothing is written; the last lines show the commands that write a repair. For JSON lines it shows the first problems and counts all.",
      "--json prints one object per document: { file, line?, format, messages, problems, edits, left }, or { file, line?, error: { code, message } }.",
    ],
    options: [...reading, ...mending, ...everywhere],
    exits: { 0: "healthy", 1: "problems found", 2: failed },
  },
  chat: {
    operands: "[MESSAGE...]",
    summary: "chat with an agent in the terminal, with tools, approvals and stored threads",
    examples: [
      ["undangle chat", "with the demo agent, or the agent of undangle.config.ts"],
      ["undangle chat --model anthropic/claude-sonnet-5-5", "with a model; its key is in the environment"],
      ["undangle chat --thread last", "continue the last thread, even after a crash"],
      ["undangle chat --files .", "with the files of this directory; every change shows its diff first"],
      ["undangle chat --files . --mode plan", "reads the files and replies with a plan; nothing is changed"],
      ["undangle chat --deep --files .", "a deep agent on these files: it plans, and sub-agents do parts of the work"],
      ["git diff --staged | undangle chat 'Write a commit message for this.' -", "in a pipe: stdout is the response"],
      ["undangle chat --json < lines.jsonl", "for a program: events out, messages and decisions in"],
    ],
    notes: [
      "MESSAGE is sent first; its words are joined by spaces, and - means stdin. In a terminal the chat continues; /help lists commands. Threads are stored in ./.undangle/threads.db, unless --store or the config names another place.",
      "Without a terminal, MESSAGE or each line of stdin is sent. Responses go to stdout, everything else to stderr. With pending calls the exit code is 3: decide with undangle threads decide, --approve all or --approve none. Ctrl-C stops the run, and the exit code is 130; with SIGTERM it is 143.",
      '--json prints the events of the thread, one JSON object per line: { id, type, data }, after a first line { type: "thread", data: { id, agent, model, store } }. Lines of stdin are { "message": TEXT }, { "decide": { CALL: DECISION } } and { "stop": true }.',
    ],
    options: [
      "model",
      "agent",
      "config",
      "store",
      "thread",
      "files",
      "deep",
      "mode",
      "approve",
      "language",
      ...everywhere,
    ],
    choices: { approve: ["all", "none"] },
    meanings: {
      model:
        "the model: demo, openai/gpt-5.1, anthropic/…, or a name from the config (default: UNDANGLE_MODEL, else demo)",
      approve: "without a terminal: approve or reject pending calls",
      language:
        "language of this program's texts (default: from LANG) and of notices in the history (default: from the config)",
      quiet: "without a terminal: only responses and errors",
      json: "events as JSON lines",
    },
    exits: {
      0: "every message got a response",
      1: "a run failed or was stopped, except by a stop line of --json",
      2: "a wrong option, config, store or line of input",
      3: "calls wait for a decision",
    },
  },
  threads: {
    operands: "ACTION [ID|FILE...]",
    summary: "list, show, import, export, recover and delete threads and their files, and decide pending calls",
    examples: [
      ["undangle threads list", "all threads, newest first"],
      ["undangle threads list --status waiting", "which threads wait for a decision?"],
      ["undangle threads show ID", "messages, calls and results"],
      ["undangle threads decide ID --approve call_1 --reject call_2=too_dear", "approve one call and reject another"],
      ["undangle threads export ID --format anthropic -o claude.json", "the history for another program"],
      ["undangle threads import session.json --id old-session", "continue a history from another program"],
      ["undangle threads files ID", "the files of a thread"],
      ["undangle threads files ID /notes.md", "the content of a file; -o FILE saves it"],
      ["undangle threads files ID /in/table.csv --put table.csv", "store a local file in the thread"],
      ["undangle threads recover --dry-run", "which runs did a killed process interrupt?"],
      ["undangle threads delete ID", "marks it as deleted; undangle threads restore ID restores it"],
      ["undangle threads delete ID --purge", "removes it permanently"],
      ["undangle threads list --store postgres://localhost/agents --json", "another store, for a program"],
    ],
    notes: [
      "ACTION is list, show, export, import, files, recover, delete, restore or decide. Threads are kept where the config says, else in .undangle/threads.db; --store names another place. Only import makes a database that is not there.",
      "list shows a table on a terminal. In a pipe it prints one line per thread, with tabs between ID, STATUS, CHANGED, ENTRIES, PENDING and TITLE, without control characters.",
      "export writes the whole thread, which import takes back; --format names a wire format, or original: what was imported, to the letter. import takes all of these. A FILE becomes a thread, and so does each line of JSON lines. Calls in it that have no result are lost, unless it says that they wait.",
      "files ID lists the files of a thread: a table on a terminal; in a pipe one line per file, with tabs between PATH, BYTES and the time of the last change. files ID PATH prints a file: in a pipe its bytes, at a terminal only text. -o, --put and --delete need a PATH. A thread whose run has not ended is not changed.",
      "recover settles the calls of dead processes and expired approvals. It runs no tool and sends no request to a model: a thread with calls that may still start is left as it is, until --go-on lets its agent go on.",
      "decide saves the decisions and resumes the agent of the config: the tools of approved calls run, and the model responds.",
      "--json prints one value. list: an array of { id, status, title?, entries, pending, createdAt, updatedAt, deletedAt? }. show: one of these with messages and calls. import, recover, delete and restore: an array with an object for each thread. decide: { id, status, text, calls, pending, error? }. files: an array of { path, size, createdAt, modifiedAt }; with PATH one of these with text or base64.",
    ],
    options: [
      "store",
      "config",
      "agent",
      "model",
      "search",
      "status",
      "deleted",
      "limit",
      "full",
      "format",
      "output",
      "put",
      "delete",
      "id",
      "at",
      "lines",
      "dryRun",
      "goOn",
      "purge",
      "yes",
      "approve",
      "reject",
      "by",
      "language",
      ...everywhere,
    ],
    choices: { format: ["undangle", "original", ...formats] },
    meanings: {
      format: "the format of the export (default: undangle), or the wire format of the import (default: detected)",
      model: "the model of a resumed agent (default: from the config, else UNDANGLE_MODEL, else demo)",
      output: "export and files write to OUT, through a temporary file; - is stdout",
    },
    exits: {
      0: "done",
      1: "something could not be imported or recovered, or a resumed run failed",
      2: "a wrong option, an unknown id or file, or a config or store that cannot be used",
    },
  },
  serve: {
    operands: "",
    summary: "an OpenAI-compatible chat server with threads and approvals over HTTP",
    examples: [
      ["undangle serve", "with the demo model, or the agents of undangle.config.ts"],
      ["undangle serve --model openai/gpt-5.1 --port 8080", "with a model; its key is in the environment"],
      ["undangle serve --store postgres://localhost/agents", "threads in Postgres"],
      ["undangle serve --allow-origin http://localhost:3000", "for a web page from another origin"],
    ],
    notes: [
      "It runs until Ctrl-C or SIGTERM. Then it accepts no new requests and waits ten seconds for running turns. The next start resumes the others.",
      "Without keys it accepts requests from this machine only; undangle keys create creates one. The log has one JSON object per line; UNDANGLE_LOG is its level.",
      "The section server of undangle.config.ts has the same settings and all limits; options of the command line take precedence.",
      "The server is a separate package, @undangle/server. If it is not installed, npm downloads the version of this program.",
    ],
    options: [
      "port",
      "host",
      "sharePort",
      "config",
      "store",
      "model",
      "log",
      "allowOrigin",
      "allowHost",
      "rate",
      "webhook",
      "timeZone",
      "language",
      ...everywhere,
    ],
    meanings: {
      model:
        "the model of all personas: demo, openai/gpt-5.1, … (default: from the config, else UNDANGLE_MODEL, else demo)",
      language: "language of this program's texts and of notices in the history (default: en)",
    },
    exits: { 0: "stopped", 1: "never", 2: "a wrong option, config or store, or a port in use" },
  },
  keys: {
    operands: "create|list|revoke [ID]",
    summary: "create, list and revoke the keys of a server",
    examples: [
      ["undangle keys create --name app --scopes chat,threads --project shop", "a key for a program"],
      ["undangle keys list", "all keys"],
      ["undangle keys revoke 1f2e3d4c5b6a", "revoked within two seconds"],
    ],
    notes: [
      "Keys are stored as hashes. Once there is a key, every request needs one.",
      "--json prints { id, name, scopes, project, createdAt, expiresAt?, status, key } for create, and an array of these without key for list.",
    ],
    options: ["name", "scopes", "project", "expires", "store", "config", "language", ...everywhere],
    exits: { 0: "done", 1: "never", 2: "a wrong option, an unknown key, or a store that cannot be used" },
  },
} as const satisfies Readonly<Record<string, CommandRow>>;

export type CommandName = keyof typeof commandTable;

export const commandNames = Object.keys(commandTable) as readonly CommandName[]; // the keys of a literal

export const commandRow = (name: CommandName): CommandRow => commandTable[name];

/** The meaning of an option for a command. */
export const meaningOf = (option: OptionName, command: CommandName): string =>
  commandRow(command).meanings?.[option] ?? optionRow(option).summary;

/** The allowed values of an option for a command; undefined allows any. */
export const choicesOf = (option: OptionName, command: CommandName): readonly string[] | undefined =>
  commandRow(command).choices?.[option] ?? optionRow(option).choices;
