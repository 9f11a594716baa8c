import { isRecord } from "#core";
import type { Todo, TodoStatus } from "#middleware";

import type { Look } from "../../terminal/palette.ts";
import { printable } from "../../terminal/printable.ts";
import { truncate } from "../../terminal/text-width.ts";
import { measureIn } from "./face.ts";
import type { Face } from "./face.ts";

/** The list that a call of `write_todos` writes. Undefined for other calls, and while its arguments are incomplete. */
export function todosOf({
  name,
  arguments: args,
}: {
  readonly name: string;
  readonly arguments: unknown;
}): readonly Todo[] | undefined {
  if (name !== "write_todos" || !isRecord(args) || !Array.isArray(args["todos"])) return undefined;
  const items = args["todos"] as readonly unknown[];
  return items.every(isTodo) ? items : undefined;
}

const isTodo = (item: unknown): item is Todo =>
  isRecord(item) &&
  typeof item["content"] === "string" &&
  typeof item["status"] === "string" &&
  Object.hasOwn(marks, item["status"]);

export const doneOf = (items: readonly Todo[]): number => items.filter(({ status }) => status === "completed").length;

const marks: Readonly<Record<TodoStatus, readonly [mark: string, look: Look | undefined]>> = {
  completed: ["✓", "dim"],
  in_progress: ["▸", "cyan"],
  pending: ["○", undefined],
};

/** A longer list is cut. `/show` shows all of it. */
const mostItems = 12;

/** A line for each entry. */
export function todoLines(items: readonly Todo[], face: Face): readonly string[] {
  const room = measureIn(face) - 6;
  const lines = items.slice(0, mostItems).map(({ content, status }) => {
    const [mark, look] = marks[status];
    const line = `${mark} ${truncate(printable(content.trim().replaceAll(/\s+/gu, " ")), room)}`;
    return look === undefined ? line : face.paint(look, line);
  });
  return items.length > mostItems ? [...lines, face.paint("dim", "…")] : lines;
}
