import type { StoredThread } from "#store";

import { grouped } from "../terminal/grouped.ts";
import type { Paint } from "../terminal/palette.ts";
import { printable } from "../terminal/printable.ts";
import { pad, textWidth, truncate, wrap } from "../terminal/text-width.ts";
import { commandAbout } from "./again.ts";
import type { Desk } from "./desk.ts";

/** `undangle threads list`: a table at a terminal, one line per thread in a pipe. */
export async function listThreads(desk: Desk): Promise<number> {
  const { options, texts, session, store, io } = desk;
  const limit = Number(options.limit ?? 50);
  if (!Number.isSafeInteger(limit) || limit < 1) return await desk.refuse(texts.notCount(options.limit ?? ""));
  const { search, status, deleted } = options;
  const query = {
    ...(search !== undefined && { search }),
    ...(status !== undefined && { status }),
    isDeleted: deleted === true,
  };
  const found = await store.list({ ...query, limit: limit + 1 });
  const threads = await Promise.all(found.slice(0, limit).map((thread) => describeThread(thread, desk)));
  if (options.json === true) await session.out.write(`${JSON.stringify(threads)}\n`);
  else if (io.stdout.isTTY && threads.length > 0) await session.out.write(tableOf(threads, desk));
  else for (const thread of threads) await session.out.write(`${plainLine(thread)}\n`);
  const room = io.stderr.isTTY ? io.stderr.columns - 1 : Infinity;
  const remark = (text: string): Promise<void> => session.remark(`${wrap(text, room).join("\n")}\n`);
  if (found.length === 0) await remark(await noneText(desk));
  if (found.length > limit) await remark(texts.more(limit));
  return 0;
}

/** The reason why the list is empty. */
async function noneText({ store, texts, options }: Desk): Promise<string> {
  if ((await store.list({ limit: 1 })).length > 0) return texts.noneFound;
  const isDeleted = (await store.list({ limit: 1, isDeleted: true })).length > 0;
  if (!isDeleted) return texts.none;
  return options.deleted === true ? texts.noneFound : texts.noneLeft(commandAbout("list", [], options, ["--deleted"]));
}

export interface ThreadFacts {
  readonly id: string;
  readonly status: StoredThread["status"];
  readonly title?: string;
  readonly entries: number;
  /** The number of pending calls. */
  readonly pending: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly deletedAt?: string;
}

export async function describeThread(thread: StoredThread, { reader }: Pick<Desk, "reader">): Promise<ThreadFacts> {
  const { id, status, title, entries, createdAt, updatedAt, deletedAt } = thread;
  const canWait = status !== "idle" && deletedAt === undefined;
  return {
    id,
    status,
    ...(title !== undefined && { title }),
    entries,
    pending: canWait ? (await reader.thread(id).pending()).length : 0,
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
    ...(deletedAt !== undefined && { deletedAt: new Date(deletedAt).toISOString() }),
  };
}

function plainLine({ id, status, title = "", entries, pending, updatedAt, deletedAt }: ThreadFacts): string {
  return [
    printable(id),
    deletedAt === undefined ? status : "deleted",
    updatedAt,
    entries,
    pending,
    printable(title),
  ].join("\t");
}

type Column = keyof Desk["texts"]["columns"];

type Row = Readonly<Record<Column, string>> & { readonly isWaiting?: boolean };

/**
 * A table that fits the window. Ids are never cut, so that they can be copied. Other columns are dropped, or moved
 * below.
 */
function tableOf(threads: readonly ThreadFacts[], { texts, session: { paint }, io }: Desk): string {
  const rows = threads.map((thread) => rowOf(thread, texts));
  const room = io.stdout.columns - 1;
  const widths = (columns: readonly Column[]): readonly number[] =>
    columns.map((column) => Math.max(...[texts.columns, ...rows].map((row) => textWidth(row[column]))));
  const takes = (columns: readonly Column[]): number => widths(columns).reduce((sum, width) => sum + width + 2, 0);
  const columns = layouts.find((layout) => room - takes(layout) >= shortestTitle);
  if (columns === undefined) return rows.map((row) => stacked(row, room, paint)).join("");
  const line = (row: Row, dress: (column: Column, text: string) => string): string =>
    [
      ...widths(columns).map((width, i) => dress(columns[i] ?? "id", pad(row[columns[i] ?? "id"], width))),
      truncate(row.title, room - takes(columns)),
    ].join("  ");
  const head = line(texts.columns, (_, text) => text).trimEnd();
  return [paint("dim", head), ...rows.map((row) => line(row, dressed(row, paint)).trimEnd())]
    .map((text) => `${text}\n`)
    .join("");
}

const layouts: readonly (readonly Column[])[] = [
  ["id", "status", "changed", "entries"],
  ["id", "status", "changed"],
  ["id", "status"],
];

const shortestTitle = 16;

function stacked(row: Row, room: number, paint: Paint): string {
  const state = dressed(row, paint)("status", row.status);
  const title = row.title === "" ? "" : `  ${truncate(row.title, Math.max(8, room - 2))}\n`;
  return `${paint("bold", row.id)}\n  ${state} ${paint("dim", `· ${row.changed}`)}\n${title}`;
}

function rowOf(thread: ThreadFacts, texts: Desk["texts"]): Row {
  const { id, status, title = "", entries, pending, updatedAt, deletedAt } = thread;
  const state = texts.statuses[deletedAt === undefined ? status : "deleted"];
  return {
    id: printable(id),
    status: pending === 0 ? state : `${state} (${grouped(pending)})`,
    changed: texts.ago(Date.now() - Date.parse(updatedAt)),
    entries: grouped(entries),
    title: printable(title),
    isWaiting: pending > 0,
  };
}

const dressed =
  ({ isWaiting = false }: Row, paint: Paint) =>
  (column: Column, text: string): string => {
    if (column === "id") return paint("bold", text);
    if (column === "status") return isWaiting ? paint("yellow", text) : text;
    return paint("dim", text);
  };
