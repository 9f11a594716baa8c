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
import type { OpenCall, View } from "./view.ts";

/** Details of a call that has ended. */
export interface EndedCall {
  readonly call: EarlierCall | undefined;
  readonly number: number;
  readonly at: number;
}

/** A call before its end. `state` and `since` are known only if the chat saw its start. */
type EarlierCall = Pick<OpenCall, "arguments" | "allowance"> & Partial<Pick<OpenCall, "state" | "since">>;

/** A call that has ended: its name and arguments, its duration, and the first line of its result. */
export function endedLines(end: ToolCallEnd, { call, number, at }: EndedCall, face: Face): readonly string[] {
  const { texts, paint } = face;
  const [mark, look] = marks[end.status];
  const took = call?.state === "running" && call.since !== undefined ? timeText(at - call.since) : "";
  const state = end.status === "succeeded" ? "" : texts.states[end.status];
  const by = end.decision?.type === "approve" || end.decision?.type === "edit" ? texts.decided[end.decision.type] : "";
  const allowed = call?.allowance === undefined ? "" : texts.allowedAlready;
  const notes = [took, state, by, allowed].filter((note) => note !== "").join(" · ");
  const about = { name: end.name, arguments: call?.arguments ?? {} };
  const before = `${paint(look, mark)} ${paint("dim", String(number))}`;
  const room = roomIn(face) - 3 - String(number).length;
  const beside = room - textWidth(notes) - 2;
  const isBeside = beside >= Math.min(textWidth(callText(about, room)), leastRoom);
  const head = isBeside
    ? [`${before} ${callText(about, beside)}  ${paint("dim", notes)}`.trimEnd()]
    : [
        `${before} ${callText(about, room)}`,
        ...wrap(notes, roomIn(face) - 4).map((line) => `    ${paint("dim", line)}`),
      ];
  return [...head, ...foldedLines(end, number, face)];
}

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

/** The first line of a result, and the size of the rest. */
function foldedLines(end: ToolCallEnd, number: number, face: Face): readonly string[] {
  const { texts, paint, columns } = face;
  if (end.status === "rejected") return reasonLine(end, face);
  if (end.status !== "succeeded" && end.status !== "responded" && end.status !== "failed") return [];
  const text = resultText(end.result ?? end.error ?? "").trim();
  if (text === "") return [];
  const lines = text.split("\n");
  const room = measureIn({ columns }) - 4;
  const first = printable((lines[0] ?? "").trimEnd());
  const isWhole = lines.length === 1 && textWidth(first) <= room;
  if (isWhole) return [`    ${paint("dim", first)}`];
  const more = texts.folded({ lines: lines.length, size: sizeText(text), number });
  const space = room - textWidth(more) - 2;
  if (textWidth(more) > room)
    return [`    ${paint("dim", truncate(first, room))}`, `    ${paint("dim", `/show ${number}`)}`];
  if (space < leastRoom) return [`    ${paint("dim", truncate(first, room))}`, `    ${paint("dim", more)}`];
  return [`    ${paint("dim", `${truncate(first, space)}  ${more}`)}`];
}

function reasonLine({ decision }: ToolCallEnd, { paint, columns }: Face): readonly string[] {
  const reason = decision?.reason ?? "";
  return reason === "" ? [] : [`    ${paint("dim", truncate(printable(reason), measureIn({ columns }) - 4))}`];
}

/** A call on one line: its name and shortened arguments. */
function callText({ name, arguments: args }: Pick<OpenCall, "name" | "arguments">, columns: number): string {
  const room = Math.max(columns, 6);
  const shown = printable(name);
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
  const lines = view.calls.map((call) => {
    const time = timeText(at - call.since);
    const tail = { coming: texts.coming(call.received), ready: texts.ready, waiting: texts.waits, running: time }[
      call.state
    ];
    const notes = call.state === "running" ? [time, progressText(call.progress)].filter((note) => note !== "") : [tail];
    const room = roomIn(face) - 4;
    const head = callText(call, Math.max(room - textWidth(notes.join(" · ")) - 2, Math.floor(room / 2)));
    const note = truncate(notes.join(" · "), Math.max(room - textWidth(head) - 2, 4));
    const mark = call.state === "waiting" ? paint("yellow", "◌") : call.state === "ready" ? paint("dim", "◌") : spinner;
    return `${mark} ${head}  ${paint("dim", note)}`;
  });
  if (!view.isRunning || view.askedAt === undefined || view.open !== undefined) return lines;
  const wait = [`${texts.thinking} ${timeText(at - view.askedAt)}`, printable(view.askedAgain ?? "")];
  const shown = truncate(wait.filter((word) => word !== "").join(" · "), roomIn(face) - 2);
  return [...lines, `${spinner} ${paint("dim", shown)}`];
}

const progressText = (progress: unknown): string =>
  progress === undefined ? "" : typeof progress === "string" ? printable(progress) : preview(progress, 60);

const spin = (at: number): string => frames[Math.floor(at / 100) % frames.length] ?? "";
const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
