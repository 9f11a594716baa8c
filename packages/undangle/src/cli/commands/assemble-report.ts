import type { AssembledCall, AssembledTurn, StreamPart, TurnPart } from "#core";
import { printable } from "../terminal/printable.ts";
import { pad, textWidth, truncate, wrap } from "../terminal/text-width.ts";
import type { Assembled } from "./assemble-command.ts";
import type { Session } from "./session.ts";

/** A readable turn: how it ended, its text, each call with its state, and its anomalies. */
export function assembleReport({ file, format, frames, turns }: Assembled, session: Session): string {
  const { texts, paint } = session;
  const head = [
    `  ${paint("bold", printable(file))}`,
    `  ${paint("dim", `${format} · ${texts.assemble.frames(frames.length)}`)}`,
  ];
  const sections = turns.flatMap((turn, choice) => [
    ...(turns.length > 1 ? [[`  ${paint("bold", texts.assemble.choice(choice))}`]] : []),
    verdict(turn, session),
    ...turn.parts.map((part) => said(part, session)),
    anomalies(turn, session),
  ]);
  const shown = [head, ...sections].filter((lines) => lines.length > 0);
  return `\n${shown.map((lines) => lines.join("\n")).join("\n\n")}\n\n`;
}

/** The parts of each frame, one per line. */
export function traceReport({ frames, ending }: Assembled, session: Session): string {
  const { texts, paint } = session;
  const margin = Math.max(textWidth(texts.assemble.end), String(frames.length).length);
  const rows = (label: string, parts: readonly StreamPart[]): readonly string[] => {
    const told =
      parts.length === 0 ? [paint("dim", texts.assemble.nothing)] : parts.map((part) => describePart(part, session));
    return told.map((line, i) => `  ${paint("dim", pad(i === 0 ? label : "", margin))}  ${line}`);
  };
  const lines = [
    ...frames.flatMap(({ number, parts }) => rows(String(number), parts)),
    ...rows(texts.assemble.end, ending),
  ];
  return `\n${lines.join("\n")}\n`;
}

const columnsOf = ({ io }: Session): number => Math.min(Math.max(io.stdout.columns, 40), 110);

function verdict({ finish, complete, calls, error }: AssembledTurn, session: Session): readonly string[] {
  const { texts, paint } = session;
  const unready = calls.filter(({ state }) => state !== "ready").length;
  const mark = complete && unready === 0 ? paint("green", "✓") : paint("red", "✗");
  const words = complete ? texts.assemble.complete(unready) : texts.assemble.incomplete;
  const fault = error === undefined ? [] : [printable(texts.assemble.fault(error))];
  const sentences = [words, texts.assemble.finishes[finish ?? "none"], ...fault];
  const lines = sentences.flatMap((sentence) => wrap(sentence, columnsOf(session) - 4));
  return lines.map((line, i) => `  ${i === 0 ? mark : " "} ${line}`);
}

function said(part: TurnPart, session: Session): readonly string[] {
  const { texts, paint } = session;
  if (part.type === "call") return call(part.call, session);
  if (part.type === "media") return [`  ${paint("bold", printable(part.mediaType ?? part.kind))}`];
  if (part.text === "") return []; // encrypted reasoning has no text
  const title = part.type === "text" ? texts.assemble.text : texts.assemble.reasoning;
  return [`  ${paint("bold", title)}`, ...block(part.text, session)];
}

function call(
  { id, name, arguments: args, raw, state, idGenerated }: AssembledCall,
  session: Session,
): readonly string[] {
  const { texts, paint } = session;
  const title = `${texts.assemble.call} ${paint("bold", printable(name === "" ? "?" : name))}`;
  const identity = paint("dim", `${printable(id)}${idGenerated ? ` ${texts.assemble.generated}` : ""}`);
  const condition = paint(
    state === "ready" ? "green" : "red",
    `${state}${state === "ready" ? "" : `: ${texts.assemble.states[state]}`}`,
  );
  return [`  ${title}  ${identity}  ${condition}`, ...block(args === null ? raw : JSON.stringify(args), session)];
}

/** The number of text lines to show. --json prints all. */
const shownLines = 40;

function block(text: string, session: Session): readonly string[] {
  const { texts, paint } = session;
  const columns = columnsOf(session) - 4;
  const start = text.slice(0, columns * shownLines * 2); // does not wrap megabytes
  const lines = start.split("\n").flatMap((line) => wrap(printable(line), columns));
  const shown = lines.slice(0, shownLines).map((line) => `    ${line}`);
  const isCut = lines.length > shownLines || start.length < text.length;
  return isCut ? [...shown, `    ${paint("dim", texts.assemble.more(text.length))}`] : shown;
}

function anomalies({ anomalies: found }: AssembledTurn, session: Session): readonly string[] {
  const { texts, paint } = session;
  if (found.length === 0) return [];
  const width = Math.max(...found.map(({ kind }) => kind.length)) + 2;
  const rows = found.slice(0, shownLines).flatMap(({ kind, message, call: number, frame }) => {
    const places = [
      ...(number === undefined ? [] : [["call", number] as const]),
      ...(frame === undefined ? [] : [["frame", frame] as const]),
    ];
    const sentence = texts.assemble.anomaly(kind, message) + (places.length === 0 ? "" : texts.assemble.place(places));
    const [first = "", ...rest] = wrap(printable(sentence), columnsOf(session) - 4 - width);
    return [`    ${paint("yellow", pad(kind, width))}${first}`, ...rest.map((line) => `    ${pad("", width)}${line}`)];
  });
  const hidden = found.length - shownLines;
  const more = hidden > 0 ? [`    ${texts.doctor.more(hidden)}`] : [];
  return [`  ${paint("bold", texts.assemble.anomalies(found.length))}`, ...rows, ...more];
}

/** A part on one line. */
function describePart(part: StreamPart, session: Session): string {
  const { texts, paint } = session;
  const room = Math.max(columnsOf(session) - 40, 20);
  const quote = (text: string): string => truncate(printable(JSON.stringify(text.slice(0, 200))), room);
  const label = paint("cyan", part.type);
  switch (part.type) {
    case "text-delta":
    case "reasoning-delta":
      return `${label} ${quote(part.text)}`;
    case "call-start":
      return `${label} ${part.call} ${printable(part.name)} ${printable(part.id ?? "")}`.trimEnd();
    case "call-delta":
      return `${label} ${part.call} ${quote(part.text)}`;
    case "call-end":
      return `${label} ${part.call} ${printable(part.result.id)} ${part.result.state}`;
    case "anomaly":
      return `${label} ${paint("yellow", part.anomaly.kind)}${part.anomaly.call === undefined ? "" : ` ${part.anomaly.call}`}`;
    case "finish":
      return `${label} ${texts.assemble.finishes[part.turn.finish ?? "none"]}`;
  }
}
