import { isRecord } from "#core";
import type { PendingCall, Rendered } from "#engine";

import type { Look, Paint } from "../../terminal/palette.ts";
import { printable } from "../../terminal/printable.ts";
import { pad, textWidth, truncate, wrap } from "../../terminal/text-width.ts";
import { setText } from "./text-flow.ts";

/** What a person sees of a call before the decision. */
export interface ShownCall {
  /** The rendering, in colours. Empty without one. */
  readonly lines: readonly string[];
  /** The arguments that the rendering does not show. */
  readonly arguments: unknown;
}

export interface ShownCallOptions {
  readonly paint: Paint;
  readonly columns: number;
  /** The most rows of the rendering. A longer one is cut in the middle; a command is never cut. */
  readonly rows: number;
  /** Says how many lines are left out. */
  readonly note: (lines: number) => string;
}

/** The rendering of a pending call, cut to the window, and its other arguments. */
export function shownCall(
  { render, arguments: args }: Pick<PendingCall, "render" | "arguments">,
  { paint, columns, rows, note }: ShownCallOptions,
): ShownCall {
  if (render === undefined) return { lines: [], arguments: args };
  if (render.type === "command") {
    const lines = setText(render.command, columns - 2).map((line, row) => (row === 0 ? "$ " : "  ") + line);
    return { lines: lines.map((line) => paint("cyan", line)), arguments: without(args, render.command) };
  }
  const { head, blocks } = blocksOf(render, columns);
  const { first, last } = cutBlocks(blocks, rows - head.length);
  const omitted =
    blocks.length - first.length - last.length + (render.type === "diff" ? omittedBefore(render.text) : 0);
  const between = omitted === 0 ? [] : setText(note(omitted), columns).map((line) => paint("dim", line));
  const draw = (each: readonly Block[]): readonly string[] => each.flatMap((block) => painted(block, paint));
  return {
    lines: [...head.map((line) => paint("bold", line)), ...draw(first), ...between, ...draw(last)],
    arguments: render.type === "diff" ? withoutShown(args, render) : args,
  };
}

/** The rows of one line. */
interface Block {
  readonly look: Look | undefined;
  readonly rows: readonly string[];
}

const painted = ({ look, rows }: Block, paint: Paint): readonly string[] =>
  look === undefined ? rows : rows.map((row) => paint(look, row));

function blocksOf(
  render: Exclude<Rendered, { readonly type: "command" }>,
  columns: number,
): { readonly head: readonly string[]; readonly blocks: readonly Block[] } {
  if (render.type === "diff") {
    const lines = diffLines(render.text);
    const blocks = lines.map((line) => ({ look: looks[line[0] ?? ""], rows: diffRows(line, columns) }));
    return { head: wrap(printable(render.path), columns), blocks };
  }
  if (render.type === "markdown") {
    const blocks = render.text.split("\n").map((line) => ({ look: undefined, rows: setText(line, columns) }));
    return { head: [], blocks };
  }
  const [head = "", ...rows] = tableLines([render.columns, ...render.rows], columns);
  return { head: [head], blocks: rows.map((row) => ({ look: undefined, rows: [row] })) };
}

const looks: Readonly<Record<string, Look | undefined>> = { "+": "green", "-": "red", "@": "cyan", " ": "dim" };

const diffRows = (line: string, columns: number): readonly string[] =>
  wrap(printable(line.replaceAll("\t", "    ")), columns, { hanging: 2 });

/** The lines of a diff, without the note of a diff that was cut before. */
function diffLines(text: string): readonly string[] {
  const lines = text === "" ? [] : text.split("\n");
  return omittedBefore(text) === 0 ? lines : lines.slice(0, -1);
}

const omittedBefore = (text: string): number => Number(/\n… (\d+) more lines$/u.exec(text)?.[1] ?? 0);

/** The cells of each row below each other. */
function tableLines(rows: readonly (readonly string[])[], columns: number): readonly string[] {
  const cells = rows.map((row) => row.map(printable));
  const widths = (cells[0] ?? []).map((_, i) => Math.max(...cells.map((row) => textWidth(row[i] ?? ""))));
  return cells.map((row) =>
    truncate(
      row
        .map((cell, i) => pad(cell, widths[i] ?? 0))
        .join("  ")
        .trimEnd(),
      columns,
    ),
  );
}

/** The blocks that fit: all of them, or as many at the beginning as at the end, where a diff has what is added. */
function cutBlocks(
  blocks: readonly Block[],
  rows: number,
): { readonly first: readonly Block[]; readonly last: readonly Block[] } {
  const fitting = (from: readonly Block[], room: number): number => {
    let left = room;
    const end = from.findIndex((block) => (left -= block.rows.length) < 0);
    return end === -1 ? from.length : end;
  };
  if (fitting(blocks, rows) === blocks.length) return { first: blocks, last: [] };
  const count = fitting(blocks.toReversed(), Math.floor(rows / 2));
  return { first: blocks.slice(0, fitting(blocks, Math.ceil(rows / 2))), last: blocks.slice(blocks.length - count) };
}

const without = (args: unknown, shown: string): unknown =>
  isRecord(args) ? Object.fromEntries(Object.entries(args).filter(([, value]) => value !== shown)) : args;

/** The arguments without those that a diff shows: its path, parts of its lines, and the whole new text. */
function withoutShown(args: unknown, { path, text }: Extract<Rendered, { readonly type: "diff" }>): unknown {
  if (!isRecord(args)) return args;
  const lines = diffLines(text).filter((line) => !line.startsWith("@@"));
  const after = lines.filter((line) => !line.startsWith("-")).map((line) => line.slice(1));
  const isShown = (value: string): boolean => {
    if (value === path || `/${value}` === path) return true;
    const own = value.split(/\r\n|\n|\r/u);
    const isPart = own.every((line) => lines.some((shown) => shown.slice(1).includes(line)));
    return isPart || (after.length > 0 && after.every((line) => own.includes(line)));
  };
  const others = Object.entries(args).filter(([, value]) => typeof value !== "string" || !isShown(value));
  return Object.fromEntries(others);
}
