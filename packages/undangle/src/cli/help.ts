import { choicesOf, commandNames, commandRow, meaningOf } from "./command-table.ts";
import type { CommandName } from "./command-table.ts";
import { flagOf, optionRow } from "./option-table.ts";
import type { OptionName } from "./option-table.ts";
import type { Paint } from "./terminal/palette.ts";
import { pad, textWidth, wrap } from "./terminal/text-width.ts";

/** The help of the program: examples, commands, and where to read more. */
export function programHelp(paint: Paint, version: string): string {
  return [
    `${paint("bold", "undangle")} ${version} - no tool call left dangling`,
    "",
    ...wrap(
      "Checks, repairs, converts and explains conversation histories that a provider refuses: calls without results, results without calls, wrong ids, wrong order. Runs agents on threads that survive crashes.",
      width,
    ),
    "",
    heading(paint, "Examples"),
    ...examples(paint, [
      ["undangle doctor session.json", "the problems, where they are, their causes, and what a repair changes"],
      ["undangle check requests.jsonl", "problems as greppable lines; a whole log is fine"],
      ["undangle repair session.json -o repaired.json", "write the repaired history"],
      ["undangle convert session.json --to anthropic", "the same history for another provider"],
      ["undangle assemble capture.txt", "text, calls and anomalies of a captured stream"],
      ["undangle chat", "chat with an agent and approve or reject its calls; no key is needed"],
      ['undangle explain "400 ... tool_call_ids did not have response messages"', "what an error text means"],
    ]),
    "",
    heading(paint, "Commands"),
    ...table(commandNames.map((name): Row => [`${name} ${commandRow(name).operands}`, commandRow(name).summary])),
    "",
    heading(paint, "Exit codes"),
    ...table([
      ["0", "valid, repaired or converted; a complete turn (assemble); every message got a response (chat)"],
      [
        "1",
        "problems found (check, doctor) or left (repair, convert); not complete or not ready (assemble); unknown text (explain); a run failed (chat)",
      ],
      ["2", "a wrong option, a file that cannot be read or written, or input that is not JSON"],
      ["3", "calls wait for a decision (chat)"],
    ]),
    "",
    "undangle COMMAND --help explains one command; undangle --version shows the version.",
    "",
  ].join("\n");
}

/** The help of a command: examples, notes, options and exit codes. */
export function commandHelp(name: CommandName, paint: Paint): string {
  const row = commandRow(name);
  return [
    ...wrap(`undangle ${name}: ${row.summary}`, width).map((line, index) =>
      index === 0 ? line.replace(`undangle ${name}`, paint("bold", `undangle ${name}`)) : line,
    ),
    "",
    `Usage: undangle ${name} [OPTION...] ${row.operands}`,
    "",
    heading(paint, "Examples"),
    ...examples(paint, row.examples),
    "",
    ...row.notes.flatMap((note) => [...wrap(note, width), ""]),
    heading(paint, "Options"),
    ...table(row.options.map((option): Row => [usageOf(option), describe(option, name)])),
    "",
    heading(paint, "Exit codes"),
    ...table(Object.entries(row.exits)),
    "",
  ].join("\n");
}

/** An option with its short form and its value. */
export function usageOf(name: OptionName): string {
  const { short, value } = optionRow(name);
  return `${short === undefined ? "" : `-${short}, `}${flagOf(name)}${value === undefined ? "" : ` ${value}`}`;
}

type Row = readonly [term: string, meaning: string];

/** Help fits a terminal of 80 columns. */
const width = 78;

const heading = (paint: Paint, text: string): string => paint("bold", text);

function describe(name: OptionName, command: CommandName): string {
  const summary = meaningOf(name, command);
  const choices = choicesOf(name, command);
  return choices === undefined ? summary : `${summary} [${choices.join(", ")}]`;
}

function examples(paint: Paint, rows: readonly Row[]): readonly string[] {
  return rows.flatMap(([command, does]) => [`  ${paint("cyan", command)}`, `      ${paint("dim", does)}`]);
}

/** Terms on the left, meanings on the right. A long term gets its own line. */
function table(rows: readonly Row[]): readonly string[] {
  const column = Math.min(longestTerm, Math.max(...rows.map(([term]) => textWidth(term)))) + 2;
  return rows.flatMap(([term, meaning]) => {
    const [first = "", ...rest] = wrap(meaning, width - column - 2);
    const below = rest.map((line) => `  ${pad("", column)}${line}`);
    if (textWidth(term) + 2 <= column) return [`  ${pad(term, column)}${first}`, ...below];
    return [`  ${term}`, `  ${pad("", column)}${first}`, ...below];
  });
}

const longestTerm = 24;
