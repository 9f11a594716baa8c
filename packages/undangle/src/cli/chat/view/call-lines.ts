import type { SettledState, ToolCallEnd } from "#engine";
import { isRecord } from "#core";

import { preview } from "../../terminal/preview.ts";
import type { Look } from "../../terminal/palette.ts";
import { printable } from "../../terminal/printable.ts";
import { textWidth, truncate, wrap } from "../../terminal/text-width.ts";
import { measureIn, roomIn } from "./face.ts";
import type { Face } from "./face.ts";
import { resultText } from "./result-text.ts";
import { sizeText, timeText } from "./size-text.ts";
import { doneOf, todoLines, todosOf } from "./todo-lines.ts";
import { isInside } from "./view.ts";
import type { EarlierCall, OpenCall, View } from "./view.ts";

/** Details of a call that has ended. */
export interface EndedCall {
  readonly call: EarlierCall | undefined;
  /** Undefined for a call of a sub-agent. */
  readonly number: number | undefined;
  readonly at: number;
  /** The calls of its sub-agent. */
  readonly inner?: readonly OpenCall[];
}

/** A call that has ended: its name and arguments, its duration, the calls of its sub-agent, and the first line of its result. */
export function endedLines(end: ToolCallEnd, ended: EndedCall, face: Face): readonly string[] {
  const { call, number, at, inner = [] } = ended;
  const { texts, paint } = face;
  const [mark, look] = marks[end.status];
  const took = call?.state === "running" && call.since !== undefined ? timeText(at - call.since) : "";
  const state = end.status === "succeeded" ? "" : texts.states[end.status];
  const by = end.decision?.type === "approve" || end.decision?.type === "edit" ? texts.decided[end.decision.type] : "";
  const allowed = call?.allowance === undefined ? "" : texts.allowedAlready;
  const notes = [took, state, by, allowed].filter((note) => note !== "").join(" · ");
  const about = { name: end.name, arguments: call?.arguments ?? {} };
  const before = number === undefined ? paint(look, mark) : `${paint(look, mark)} ${paint("dim", String(number))}`;
  const room = roomIn(face) - (number === undefined ? 2 : 3 + String(number).length);
  const beside = room - textWidth(notes) - 2;
  const isBeside = beside >= Math.min(textWidth(callText(about, room, face)), leastRoom);
  const head = isBeside
    ? [`${before} ${callText(about, beside, face)}  ${paint("dim", notes)}`.trimEnd()]
    : [
        `${before} ${callText(about, room, face)}`,
        ...wrap(notes, roomIn(face) - 4).map((line) => `    ${paint("dim", line)}`),
      ];
  const calls = inner.flatMap((each) => innerLines(each, face));
  const items = end.status === "succeeded" && number !== undefined ? (todosOf(about) ?? []) : [];
  if (items.length > 0) return [...head, ...todoLines(items, face).map((line) => `    ${line}`)];
  return [...head, ...calls, ...foldedLines(end, number, face)];
}

/** A call of a sub-agent that has ended, indented below the call that it belongs to. */
export function innerLines({ path, end }: Pick<OpenCall, "path" | "end">, face: Face): readonly string[] {
  if (end === undefined) return [];
  const indent = indentOf(path, face);
  const narrow: Face = { ...face, columns: face.columns - indent.length };
  return endedLines(end.event, { call: end.call, number: undefined, at: end.at }, narrow).map((line) => indent + line);
}

/** Calls of deep sub-agents are not indented further where the window has no room. */
const indentOf = ({ length }: readonly string[], face: Face): string =>
  " ".repeat(Math.min(4 * length, Math.floor(roomIn(face) / 5)));

/** The narrowest column for a call or a result line. In a narrower window the text beside it goes below. */
const leastRoom = 16;

const marks: Readonly<Record<SettledState, readonly [mark: string, look: Look]>> = {
  succeeded: ["✓", "green"],
  responded: ["✓", "green"],
  failed: ["✗", "red"],
  rejected: ["⊘", "yellow"],
  stopped: ["■", "yellow"],
  superseded: ["■", "yellow"],
  expired: ["■", "yellow"],
  lost: ["!", "yellow"], // a prompt has a question mark
  "timed-out": ["!", "yellow"],
};

/** The first line of a result, and the size of the rest. Results of sub-agents' calls are shown only if they failed. */
function foldedLines(end: ToolCallEnd, number: number | undefined, face: Face): readonly string[] {
  const { texts, paint, columns } = face;
  if (end.status === "rejected") return reasonLine(end, face);
  if (end.status !== "succeeded" && end.status !== "responded" && end.status !== "failed") return [];
  if (number === undefined && end.status === "succeeded") return [];
  const text = resultText(end.result ?? end.error ?? "").trim();
  if (text === "") return [];
  const lines = text.split("\n");
  const room = measureIn({ columns }) - 4;
  const first = printable((lines[0] ?? "").trimEnd());
  const isWhole = lines.length === 1 && textWidth(first) <= room;
  if (isWhole) return [`    ${paint("dim", first)}`];
  const size = { lines: lines.length, size: sizeText(text) };
  const more = number === undefined ? texts.plain.folded(size) : texts.folded({ ...size, number });
  const space = room - textWidth(more) - 2;
  if (textWidth(more) > room)
    return [first, number === undefined ? "" : `/show ${number}`]
      .filter((line) => line !== "")
      .map((line) => `    ${paint("dim", truncate(line, room))}`);
  if (space < leastRoom) return [`    ${paint("dim", truncate(first, room))}`, `    ${paint("dim", more)}`];
  return [`    ${paint("dim", `${truncate(first, space)}  ${more}`)}`];
}

function reasonLine({ decision }: ToolCallEnd, { paint, columns }: Face): readonly string[] {
  const reason = decision?.reason ?? "";
  return reason === "" ? [] : [`    ${paint("dim", truncate(printable(reason), measureIn({ columns }) - 4))}`];
}

/** A call on one line: its name and shortened arguments. */
function callText(
  { name, arguments: args }: Pick<OpenCall, "name" | "arguments">,
  columns: number,
  { texts }: Pick<Face, "texts">,
): string {
  const room = Math.max(columns, 6);
  const shown = printable(name);
  const items = todosOf({ name, arguments: args }) ?? [];
  if (items.length > 0) return truncate(`${shown}(${texts.todos(doneOf(items), items.length)})`, room);
  if (isRecord(args) && Object.keys(args).length === 0) return truncate(`${shown}()`, room);
  const inner = preview(args, Math.max(room - textWidth(shown) - 2, 4))
    .replace(/^\{/u, "")
    .replace(/\}$/u, "");
  return truncate(`${shown}(${inner})`, room);
}

/** The live lines of a run: one per open call, and one while the model sends nothing. */
export function liveCallLines(view: View, face: Face, at: number): readonly string[] {
  const { texts, paint } = face;
  const spinner = paint("cyan", spin(at));
  const lines = view.calls.flatMap((call) => {
    if (call.state === "ended") return isRecent(call, view) ? innerLines(call, face).slice(0, 1) : [];
    const time = timeText(at - call.since);
    const made = view.calls.filter((each) => each.state === "ended" && isInside(each, call.id)).length;
    const notes = {
      coming: [texts.coming(call.received)],
      ready: [texts.ready],
      waiting: [texts.waits],
      running: [time, made > mostRecent ? texts.callsMade(made) : "", progressText(call.progress)],
      delegated: [texts.delegated],
    }[call.state].filter((note) => note !== "");
    const indent = indentOf(call.path, face);
    const room = roomIn(face) - 4 - indent.length;
    const head = callText(call, Math.max(room - textWidth(notes.join(" · ")) - 2, Math.floor(room / 2)), face);
    const note = truncate(notes.join(" · "), Math.max(room - textWidth(head) - 2, 4));
    return [`${indent}${liveMark(call.state, spinner, paint)} ${head}  ${paint("dim", note)}`];
  });
  if (!view.isRunning || view.askedAt === undefined || view.open !== undefined) return lines;
  const wait = [`${texts.thinking} ${timeText(at - view.askedAt)}`, printable(view.askedAgain ?? "")];
  const shown = truncate(wait.filter((word) => word !== "").join(" · "), roomIn(face) - 2);
  return [...lines, `${spinner} ${paint("dim", shown)}`];
}

/** The number of ended calls of a sub-agent that are shown while it runs. */
const mostRecent = 3;

/** True for the last calls of a sub-agent. All of them are printed when it ends. */
const isRecent = (call: OpenCall, { calls }: View): boolean =>
  calls
    .filter(({ state, path }) => state === "ended" && path.join("/") === call.path.join("/"))
    .slice(-mostRecent)
    .includes(call);

function liveMark(state: OpenCall["state"], spinner: string, paint: Face["paint"]): string {
  if (state === "waiting") return paint("yellow", "◌");
  return state === "ready" || state === "delegated" ? paint("dim", "◌") : spinner;
}

const progressText = (progress: unknown): string =>
  progress === undefined ? "" : typeof progress === "string" ? printable(progress) : preview(progress, 60);

const spin = (at: number): string => frames[Math.floor(at / 100) % frames.length] ?? "";
const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
