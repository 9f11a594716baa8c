import { printable } from "../terminal/printable.ts";
import { textWidth, truncate } from "../terminal/text-width.ts";
import { lineShown } from "./input/composer-lines.ts";
import type { Shown } from "./input/composer-lines.ts";
import type { Composer } from "./input/composer.ts";
import type { Card, ChoiceQuestion, Question } from "./input/question.ts";
import { liveCallLines } from "./view/call-lines.ts";
import { measureIn, roomIn } from "./view/face.ts";
import type { Face } from "./view/face.ts";
import { setText } from "./view/text-flow.ts";
import type { View } from "./view/view.ts";

/** All parts of the screen that may change. */
export interface Live {
  readonly view: View;
  readonly composer: Composer;
  readonly question: Question | undefined;
  /** The prompt ignores keys. */
  readonly isDeaf: boolean;
  readonly queued: readonly string[];
  readonly hint: string;
}

/** The lines below the printed text: running work, and at the bottom the input or the prompt. */
export function liveShown(live: Live, face: Face, { at, rows }: { readonly at: number; readonly rows: number }): Shown {
  const { view, question } = live;
  const text = openText(view, face);
  const card = question?.type === "choice" ? question.card : undefined;
  const others = { ...view, calls: view.calls.filter(({ id }) => id !== card?.call) };
  const calls = liveCallLines(others, face, at);
  const last = text.length > 0 ? "answer" : view.last;
  const gap = calls.length === 0 || last === undefined || last === "tools" ? [] : [""];
  const above = [...text, ...gap, ...calls];
  const bottom = bottomOf(live, face, Math.max(2, Math.floor(rows / 2)));
  const lines = [...above, ...(view.last === undefined && above.length === 0 ? [] : [""]), ...bottom.lines];
  return {
    lines,
    cursor: { ...bottom.cursor, row: lines.length - bottom.lines.length + bottom.cursor.row },
  };
}

/** Splits a prompt that does not fit: its details, and the prompt with only its title. */
export function cutCard(
  question: Question | undefined,
  face: Face,
  rows: number,
): { readonly card: Card; readonly question: Question } | undefined {
  if (question?.type !== "choice" || question.card === undefined || question.card.isCut === true) return undefined;
  const { card } = question;
  if (choiceShown(question, face, false).lines.length < rows) return undefined;
  const title: Card = { ...card, lines: (each) => card.lines(each).slice(0, 1), isCut: true };
  return { card, question: { ...question, card: title } };
}

/** The text that may still change. */
function openText({ open, last }: View, face: Face): readonly string[] {
  if (open === undefined || open.text.trim() === "") return [];
  const lines = setText(open.text, measureIn(face));
  const painted = open.block === "answer" ? lines : lines.map((line) => face.paint("dim", line));
  return last === undefined || last === open.block ? painted : ["", ...painted];
}

function bottomOf({ composer, question, isDeaf, queued, hint }: Live, face: Face, rows: number): Shown {
  const { texts, paint } = face;
  const columns = roomIn(face);
  const below = (text: string): readonly string[] =>
    text === "" ? [] : setText(text, columns).map((line) => paint("dim", line));
  if (question?.type === "choice") {
    const { lines, cursor } = choiceShown(question, face, isDeaf);
    return { lines: [...lines, ...below(hint)], cursor };
  }
  if (question?.type === "line") return lineShown(question.line, { mark: question.label, columns, rows });
  const waiting = queued.map((text) => paint("dim", truncate(printable(texts.queued(text)), columns)));
  const written = lineShown(composer.line, { mark: "› ", columns, rows });
  const offered = composer.offered.length === 0 ? hint : composer.offered.join("  ");
  const lines = written.lines.map((line, row) => (row === 0 ? line.replace("› ", paint("cyan", "› ")) : line));
  return {
    lines: [...waiting, ...lines, ...below(offered)],
    cursor: { ...written.cursor, row: written.cursor.row + waiting.length },
  };
}

/** The choices and their keys, as many per line as fit. */
function choiceShown({ choices, card }: ChoiceQuestion, face: Face, isDeaf: boolean): Shown {
  const { paint } = face;
  const room = roomIn(face);
  const lines: string[] = [...(card?.lines(face) ?? [])];
  let [line, width] = ["", 0];
  for (const { key, label } of choices) {
    const size = textWidth(key) + 1 + textWidth(label);
    const isFirst = width === 0;
    if (!isFirst && width + 3 + size > room) {
      lines.push(line);
      [line, width] = ["", 0];
    }
    const gap = width === 0 ? "" : paint("dim", " · ");
    line += `${gap}${paint(isDeaf ? "dim" : "cyan", key)} ${truncate(label, Math.max(room - textWidth(key) - 1, 4))}`;
    width += (width === 0 ? 0 : 3) + size;
  }
  lines.push(line);
  const column = Math.min(width + 1, room);
  return { lines, cursor: { row: lines.length - 1, column } };
}
