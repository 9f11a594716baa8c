import { formatPath, joinPaths } from "#report";
import type { Change, DiffRow, DiffSection } from "../json/diff-json.ts";
import type { Texts } from "../texts/texts.ts";
import type { Look, Paint } from "./palette.ts";
import { preview, quoted } from "./preview.ts";
import { printable } from "./printable.ts";
import { pad, textWidth, wrap } from "./text-width.ts";

export interface DiffView {
  readonly paint: Paint;
  readonly columns: number;
  readonly texts: Texts;
}

/** The diff for a terminal: red for removed, green for added, dim for unchanged items, each with its index. */
export function renderDiff(sections: readonly DiffSection[], view: DiffView): readonly string[] {
  return sections.flatMap(({ name, rows }) => {
    const widest = rows.reduce((width, row) => Math.max(width, textWidth(indexOf(row))), 0);
    const gutter = widest === 0 ? 0 : widest + 1;
    const lines = rows.flatMap((row) => renderRow(row, gutter, view));
    return name === "" ? lines : [`   ${view.paint("bold", printable(name))}`, ...lines];
  });
}

function renderRow(row: DiffRow, gutter: number, view: DiffView): readonly string[] {
  const { paint, columns, texts } = view;
  const room = columns - gutter - 4;
  const put = ({ sign, look, index = "", text }: { sign: string; look: Look; index?: string; text: string }): string =>
    paint(look, `${sign} ${pad(index, gutter)}${gutter === 0 ? "" : " "}${text}`.trimEnd());
  const index = indexOf(row);
  switch (row.type) {
    case "skipped":
      return [put({ sign: "  ", look: "dim", index: "⋮", text: texts.unchanged(row.count) })];
    case "same":
      return [put({ sign: "  ", look: "dim", index, text: preview(row.value, room) })];
    case "removed": {
      const note = row.movedTo === undefined ? "" : ` (${texts.edits.move})`;
      return [put({ sign: " -", look: "red", index, text: preview(row.value, room - textWidth(note)) + note })];
    }
    case "added": {
      if (row.movedFrom !== undefined) {
        const note = ` (${texts.edits.move})`;
        return [put({ sign: " +", look: "green", index, text: preview(row.value, room - textWidth(note)) + note })];
      }
      return fields("", row.value, room).map((text, line) =>
        put({ sign: " +", look: "green", index: line === 0 ? index : "", text }),
      );
    }
    case "changed": {
      const head = row.before < 0 ? [] : [put({ sign: "  ", look: "dim", index, text: preview(row.value, room) })];
      return [...head, ...row.changes.flatMap((change) => renderChange(change, room).map((line) => put(line)))];
    }
  }
}

function renderChange(change: Change, room: number): readonly { sign: string; look: Look; text: string }[] {
  const lines = (value: unknown): readonly string[] => fields(change.path, value, room);
  return [
    ...("before" in change ? lines(change.before).map((text) => ({ sign: " -", look: "red" as const, text })) : []),
    ...("after" in change ? lines(change.after).map((text) => ({ sign: " +", look: "green" as const, text })) : []),
  ];
}

/** A value as `path: value` lines. Containers that fit are on one line, others have a line per member. */
function fields(path: string, value: unknown, room: number): readonly string[] {
  const label = path === "" ? "" : `${printable(path)}: `;
  if (typeof value === "string") {
    return wrap(label + quoted(value, 400), room, { hanging: Math.min(textWidth(label), 12) });
  }
  const line = label + preview(value, Math.max(room, 8));
  const isWhole = textWidth(line) <= room && !line.includes("…");
  if (typeof value !== "object" || value === null || (isWhole && path !== "")) return [line];
  const inner = Object.entries(value).slice(0, mostFields);
  const lines = inner.flatMap(([key, one]) => fields(innerPath(path, key, value), one, room));
  const hidden = Object.keys(value).length - inner.length;
  return hidden === 0 ? lines : [...lines, "…"];
}

/** The number of members that are written per container. */
const mostFields = 20;

const innerPath = (path: string, key: string, holder: object): string =>
  Array.isArray(holder) ? `${path}[${key}]` : joinPaths(path, formatPath([key]));

function indexOf(row: DiffRow): string {
  switch (row.type) {
    case "skipped":
      return "⋮";
    case "added":
      return `[${row.after}]`;
    case "removed":
      return `[${row.before}]`;
    case "same":
    case "changed":
      if (row.before < 0) return "";
      return row.before === row.after ? `[${row.after}]` : `[${row.before}→${row.after}]`;
  }
}
