import type { CallView, Entry } from "#engine";

import type { Paint } from "../terminal/palette.ts";
import { preview } from "../terminal/preview.ts";
import { printable } from "../terminal/printable.ts";
import { textWidth, truncate, wrap } from "../terminal/text-width.ts";
import type { ThreadsTexts } from "./texts/threads-texts.ts";

/** The content of a thread to print. */
export interface Told {
  readonly entries: readonly Entry[];
  readonly calls: readonly CallView[];
  /** Messages that arrived while calls were open. */
  readonly queue: readonly Entry[];
}

export interface Telling {
  readonly texts: ThreadsTexts;
  readonly paint: Paint;
  /** Infinity disables wrapping. */
  readonly columns: number;
  readonly isFull: boolean;
}

/** A thread as readable lines without control sequences. */
export function transcript({ entries, calls, queue }: Told, telling: Telling): readonly string[] {
  const byId = new Map(calls.map((call): [string, CallView] => [call.id, call]));
  return [
    ...entries.flatMap((entry) => ["", ...entryLines(entry, byId, telling)]),
    ...queue.flatMap((entry) => ["", ...body(telling.texts.queued(textOf(entry)), telling)]),
  ];
}

type Calls = ReadonlyMap<string, CallView>;

function entryLines(entry: Entry, calls: Calls, telling: Telling): readonly string[] {
  const { texts, paint, columns } = telling;
  const head = (role: string, more = ""): string => {
    const room = Math.max(0, Math.min(columns, 1000) - textWidth(role) - 1);
    return `${paint("bold", role)} ${paint("dim", truncate(printable(more), room))}`.trimEnd();
  };
  switch (entry.type) {
    case "input":
      return [
        head(texts.roles[entry.by ?? "input"], timeOf(entry.at)),
        ...entry.parts.flatMap((part) => partLines(part, telling)),
      ];
    case "system":
      return [head(texts.roles.system), ...entry.parts.flatMap((part) => partLines(part, telling))];
    case "original":
      return [head(texts.roles.original), ...body(texts.original(entry.format), telling)];
    case "retract":
      return [head(texts.roles.retract), ...body(texts.retracted(entry.from), telling)];
    case "restore":
      return [head(texts.roles.restore), ...body(texts.toldAgain(entry.retraction), telling)];
    case "answer":
      return [
        head(
          texts.roles.answer,
          `${entry.model} · ${timeOf(entry.at)}${entry.finish === "stop" || entry.finish === "tool_calls" ? "" : ` · ${entry.finish}`}`,
        ),
        ...entry.parts.flatMap((part) => {
          const call = part.type === "call" ? calls.get(part.id) : undefined;
          if (part.type !== "call") return partLines(part, telling);
          return call === undefined ? [] : callLines(call, telling, entry.model === "imported");
        }),
      ];
  }
}

type Part = Exclude<Extract<Entry, { readonly type: "answer" | "input" }>["parts"][number], { readonly type: "call" }>;

function partLines(part: Part, telling: Telling): readonly string[] {
  const { texts, paint, isFull } = telling;
  if (part.type === "text") return body(part.text, telling);
  if (part.type !== "reasoning") return body(`[${texts.media}]`, telling);
  if (!isFull || part.text === "") return [];
  return body(`${texts.reasoning}: ${part.text}`, telling).map((line) => paint("dim", line));
}

/**
 * A call: its name, arguments and state, and its notice for the model. For an imported call without a result, the
 * notice is that of a repair.
 */
function callLines(call: CallView, telling: Telling, isImported: boolean): readonly string[] {
  const { texts, paint, columns, isFull } = telling;
  const look = looks[call.status] ?? "yellow";
  const name = `${printable(call.name)} `;
  const room = columns === Infinity ? 200 : Math.max(8, columns - 4 - textWidth(name));
  const args = isFull ? "" : paint("dim", preview(call.arguments, room));
  const decision =
    call.decision === undefined ? [] : [texts.decided({ by: undefined, reason: undefined, ...call.decision })];
  const allowance = call.allowance === undefined ? [] : [texts.allowed];
  const status = isImported && call.status === "lost" ? "unanswered" : call.status;
  const inexact = (call.inexact ?? []).map(({ path, written, runs }) => texts.inexact(path, written, runs));
  const state = [call.id, texts.states[status], ...decision, ...allowance].map(printable).join(" · ");
  return [
    `  ${paint(look, marks[look] ?? "·")} ${paint("cyan", name)}${args}`.trimEnd(),
    ...(isFull ? indent(wholeJson(call.arguments), 4, telling) : []),
    ...inexact.flatMap((line) => lines(printable(line), telling, 4)).map((line) => `    ${paint("yellow", line)}`),
    ...lines(state, telling, 4).map((line) => `    ${paint(look, line)}`),
    ...outcomeLines(call.error ?? call.result, telling),
  ];
}

const looks: Readonly<Partial<Record<CallView["status"], "green" | "red" | "yellow" | "cyan">>> = {
  succeeded: "green",
  responded: "green",
  failed: "red",
  "timed-out": "red",
  lost: "red",
  running: "cyan",
  awaiting: "cyan",
};

const marks: Readonly<Record<string, string>> = { green: "✓", red: "✗", yellow: "–", cyan: "…" };

function outcomeLines(outcome: unknown, telling: Telling): readonly string[] {
  if (outcome === undefined) return [];
  const { texts, paint, columns, isFull } = telling;
  const text = typeof outcome === "string" ? outcome : wholeJson(outcome);
  const all = indent(text, 4, telling);
  if (isFull || (all.length <= longestFold && text.length <= 500)) return all.map((line) => paint("dim", line));
  const shown = all.slice(0, longestFold).map((line) => truncate(line, Math.min(columns, 200)));
  const more = indent(texts.folded(Math.max(0, all.length - longestFold), text.length), 4, telling);
  return [...shown, ...more].map((line) => paint("dim", line));
}

/** The number of result lines to show. */
const longestFold = 3;

const wholeJson = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? String(value));

const body = (text: string, telling: Telling): readonly string[] => indent(text, 2, telling);

const indent = (text: string, depth: number, telling: Telling): readonly string[] =>
  lines(text, telling, depth).map((line) => (line === "" ? "" : " ".repeat(depth) + line));

/** A text as lines that are safe for a terminal and fit its width. */
function lines(text: string, { columns }: Pick<Telling, "columns">, depth: number): readonly string[] {
  return text
    .replace(/\r?\n$/u, "")
    .split(/\r?\n/u)
    .flatMap((line) => (columns === Infinity ? [printable(line)] : wrap(printable(line), columns - depth)));
}

function timeOf(at: number): string {
  const date = new Date(at);
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

const textOf = (entry: Entry): string =>
  entry.type === "input" ? entry.parts.map((part) => (part.type === "text" ? part.text : "")).join(" ") : "";
