import { codecs } from "#codecs";
import { isRecord } from "#core";
import type { Problem } from "#core";
import { commandRow } from "../command-table.ts";
import { diffJson } from "../json/diff-json.ts";
import { flagOf, optionRow } from "../option-table.ts";
import type { Options } from "../option-table.ts";
import { renderDiff } from "../terminal/render-diff.ts";
import { shellWord } from "../terminal/shell-word.ts";
import { printable } from "../terminal/printable.ts";
import { pad, textWidth, truncate, wrap } from "../terminal/text-width.ts";
import type { Count } from "../texts/texts.ts";
import { countMessages } from "./count-messages.ts";
import { describeProblem, placeFinder } from "./describe-place.ts";
import type { Placed } from "./describe-place.ts";
import type { Diagnosis } from "./doctor-command.ts";
import type { Session } from "./session.ts";

/** The report of a document: a verdict, each problem with its cause and repair, and the diff. */
export function doctorReport(diagnosis: Diagnosis, session: Session): string {
  const { problems, document, mended } = diagnosis;
  const find = placeFinder(mended.opened, document.line);
  const sections = [header(diagnosis, session)];
  for (const [index, group] of groupByRule(problems).slice(0, shownRules).entries()) {
    sections.push(renderGroup(group, index + 1, find, session));
  }
  const hidden = groupByRule(problems).slice(shownRules).flat().length;
  if (hidden > 0) sections.push([`  ${session.texts.doctor.more(hidden)}`]);
  if (mended.changed) sections.push(changes(diagnosis, session));
  return `\n${sections.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

/** The next commands, and for JSON lines the number of broken lines. */
export function doctorFooter(source: string, count: Count, session: Session): string {
  const { texts, paint } = session;
  const { doctor } = texts;
  const lines: string[] = [""];
  if (count.inLines) {
    lines.push(`  ${paint("bold", doctor.summary(count))}`, "");
  }
  if (count.problems === 0) return `${lines.join("\n")}${count.inLines ? "\n" : `  ${doctor.healthyNext}\n\n`}`;
  if (count.edits > 0) {
    const words = ["undangle repair", ...givenFlags(session.options), source === "-" ? "FILE" : shellWord(source)];
    const command = printable(words.join(" "));
    const rows: readonly (readonly [command: string, does: string])[] = [
      [`${command} --in-place`, doctor.inPlace],
      [`${command} -o repaired.${count.inLines ? "jsonl" : "json"}`, doctor.copy],
    ];
    lines.push(`  ${paint("bold", doctor.next)}`);
    const width = Math.max(...rows.map(([command]) => textWidth(command))) + 2;
    for (const [command, does] of rows) {
      const line = `    ${paint("cyan", pad(command, width))}${paint("dim", does)}`;
      if (width + textWidth(does) + 4 <= columnsOf(session)) lines.push(line);
      else lines.push(`    ${paint("cyan", command)}`, `      ${paint("dim", does)}`);
    }
  } else {
    lines.push(...wrap(doctor.leftNext, columnsOf(session) - 4).map((line) => `  ${line}`));
  }
  return `${lines.join("\n")}\n\n`;
}

/** The number of rules that are explained, and of places per rule. */
const shownRules = 12;
const shownPlaces = 4;

const columnsOf = ({ io }: Session): number => Math.min(Math.max(io.stdout.columns, 40), 110);

function header({ file, document, problems, mended }: Diagnosis, session: Session): readonly string[] {
  const { texts, paint, options } = session;
  const { doctor } = texts;
  const { input } = mended.opened;
  const model = options.model ?? (isRecord(input) ? input[codecs[mended.format].modelKey ?? "model"] : undefined);
  const facts = [
    mended.format,
    ...(options.provider === undefined || options.provider === mended.format ? [] : [options.provider]),
    ...(typeof model === "string" ? [printable(truncate(model, 40))] : []),
    doctor.messages(countMessages(input, mended.format)),
  ];
  const name = printable(document.line === undefined ? file : `${file}:${document.line}`);
  const healthy = problems.length === 0;
  const verdict = healthy ? doctor.healthy : doctor.verdict(problems.length, mended.problems.length);
  return [
    `  ${paint("bold", name)}`,
    `  ${paint("dim", facts.join(" · "))}`,
    "",
    ...wrap(verdict, columnsOf(session) - 4).map((line, index) =>
      paint(healthy ? "green" : "red", `  ${index === 0 ? (healthy ? "✓" : "✗") : " "} ${line}`),
    ),
  ];
}

/** Problems grouped by rule, in order of first appearance. */
function groupByRule(problems: readonly Problem[]): readonly (readonly [Problem, ...Problem[]])[] {
  const groups = new Map<string, [Problem, ...Problem[]]>();
  for (const problem of problems) {
    const group = groups.get(problem.rule);
    if (group === undefined) groups.set(problem.rule, [problem]);
    else group.push(problem);
  }
  return [...groups.values()];
}

function renderGroup(
  group: readonly [Problem, ...Problem[]],
  number: number,
  find: (path: string) => Placed,
  session: Session,
): readonly string[] {
  const { texts, paint } = session;
  const [{ rule }] = group;
  const { title, why, fix } = texts.rules[rule];
  const label = String(number);
  const inset = " ".repeat(label.length + 4);
  const room = columnsOf(session) - inset.length - 2;
  const times = group.length === 1 ? "" : ` ×${group.length}`;
  const fill = columnsOf(session) - inset.length - textWidth(title + times) - textWidth(rule) - 4;
  const places = group
    .slice(0, shownPlaces)
    .flatMap((problem) => place(problem, find(problem.path), { room, session }));
  const margin = Math.max(textWidth(texts.doctor.why), textWidth(texts.doctor.fix)) + 2;
  const row = (name: string, text: string): readonly string[] =>
    wrap(text, room - margin).map((line, index) => paint("dim", pad(index === 0 ? name : "", margin)) + line);
  const hidden = group.length - shownPlaces;
  return [
    `  ${paint("yellow", label)}  ${paint("bold", title)}${times} ${" ".repeat(Math.max(1, fill))} ${paint("yellow", rule)}`,
    ...places.map((line) => inset + line),
    ...(hidden > 0 ? [inset + paint("dim", texts.doctor.more(hidden))] : []),
    ...row(texts.doctor.why, why).map((line) => inset + line),
    ...row(texts.doctor.fix, group.every(({ repairable }) => !repairable) ? texts.doctor.cannotMend : fix).map(
      (line) => inset + line,
    ),
  ];
}

function place(
  problem: Problem,
  { path, line }: Placed,
  { room, session }: { readonly room: number; readonly session: Session },
): readonly string[] {
  const { texts, paint } = session;
  const head = `${paint("cyan", printable(path) || ".")}  ${paint("dim", texts.doctor.line(line))}`;
  const text = printable(describeProblem(problem, texts));
  return text === texts.rules[problem.rule].title ? [head] : [head, ...wrap(text, room - 2).map((part) => `  ${part}`)];
}

function changes({ mended }: Diagnosis, session: Session): readonly string[] {
  const { texts, paint } = session;
  const { doctor } = texts;
  const lost = mended.edits.filter(({ lossless }) => !lossless).length;
  const columns = columnsOf(session);
  const diff = renderDiff(diffJson(mended.opened.input, mended.output), { paint, texts, columns: columns - 2 });
  const cut = diff.slice(0, longestDiff);
  return [
    `  ${paint("bold", doctor.changes(mended.edits.length))} ${paint("dim", `· ${lost === 0 ? doctor.lossless : doctor.someLost(lost)}`)}`,
    "",
    ...cut.map((line) => `  ${line}`),
    ...(diff.length > cut.length ? [`    ${paint("dim", doctor.moreLines(diff.length - cut.length))}`] : []),
  ];
}

/** A longer diff is cut. */
const longestDiff = 200;

/** The options of this run that the repair command repeats. */
function givenFlags(options: Options): readonly string[] {
  const shared = commandRow("repair").options.filter((name) => optionRow(name).value !== undefined || name === "lines");
  return shared.flatMap((name) => {
    const value = options[name];
    if (value === undefined) return [];
    return value === true ? [flagOf(name)] : [value].flat().map((each) => `${flagOf(name)} ${shellWord(each)}`);
  });
}
