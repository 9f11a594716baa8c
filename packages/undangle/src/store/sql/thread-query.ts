import { escapeText } from "../escape-text.ts";
import type { Dialect } from "../schema.ts";
import type { ThreadQuery } from "../store.ts";
import { threadColumns } from "./stored-rows.ts";
import { searchOfEntry } from "./search-text.ts";

/** A statement and its parameters. */
export interface Asked {
  readonly sql: string;
  readonly values: (string | number)[];
}

/** A statement that finds threads. There are few different ones, so each can stay prepared. */
export function threadQuery(query: ThreadQuery, { prefix, position }: Pick<Dialect, "prefix" | "position">): Asked {
  const { parent, search, idPrefix = "", status, isOwned, dueBefore, isDeleted = false, limit, after } = query;
  const most = wholeNumber(limit);
  const conditions: string[] = [isDeleted ? "deleted_at IS NOT NULL" : "deleted_at IS NULL"];
  const values: (string | number)[] = [];
  const add = (condition: string, ...given: (string | number)[]): void => {
    conditions.push(condition);
    values.push(...given);
  };

  if (parent === undefined) add("parent IS NULL");
  else add("parent = ?", escapeText(parent));
  const isActive = isOwned === true || (status !== undefined && status !== "idle");
  if (isActive) add(isInActiveIndex);
  if (status !== undefined) add("status = ?", status);
  if (isOwned !== undefined) add(isOwned ? "owner IS NOT NULL" : "owner IS NULL");
  if (dueBefore !== undefined) add("deadline < ?", dueBefore);
  if (after !== undefined) {
    const { updatedAt, id } = after;
    add("updated_at <= ? AND (updated_at < ? OR id > ?)", updatedAt, updatedAt, escapeText(id));
  }
  if (idPrefix !== "") add(`${position}(id, ?) = 1`, escapeText(idPrefix));
  if (search !== undefined && search !== "") {
    const part = searchOfEntry(search);
    // Not LIKE: the text needs no escaping, and may have any length.
    add(
      `(${position}(search, ?) > 0 OR EXISTS (SELECT 1 FROM ${prefix}undangle_entries AS entry
        WHERE entry.thread = undangle_threads.key AND ${position}(entry.search, ?) > 0))`,
      part,
      part,
    );
  }
  const select = (...more: string[]): string =>
    `SELECT ${threadColumns} FROM ${prefix}undangle_threads WHERE ${[...conditions, ...more].join(" AND ")}`;
  if (parent !== undefined || isActive || dueBefore !== undefined || isDeleted) {
    // Few threads are found by their small index and then sorted. The plus prevents the database from reading all threads.
    return { sql: `${select()} ORDER BY +updated_at DESC, id LIMIT ?`, values: [...values, most] };
  }
  // Idle threads without a parent are in order in their index, and the few others are merged. Each part returns at most the limit,
  // so that the index is read no further.
  const parts = [select("owner IS NULL"), select("owner IS NOT NULL", isInActiveIndex)];
  const sorted = parts.map((part, number) => `SELECT * FROM (${part} ${newestFirst}) AS part_${number}`);
  return {
    sql: `${sorted.join(" UNION ALL ")} ${newestFirst}`,
    values: [...values, most, ...values, most, most],
  };
}

const newestFirst = "ORDER BY updated_at DESC, id LIMIT ?";

/** The exact condition of the index, which is required to use it. */
const isInActiveIndex = "(owner IS NOT NULL OR status <> 'idle')";

/** A limit; without one, the maximum. */
export function wholeNumber(value = Number.MAX_SAFE_INTEGER): number {
  return Math.min(Math.max(0, Math.trunc(value)), Number.MAX_SAFE_INTEGER);
}
