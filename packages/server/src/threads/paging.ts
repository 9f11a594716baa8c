import { bad } from "../chat/fields.ts";
import type { ListedThread, ProjectQuery } from "../projects/project-threads.ts";

/** The paging parameters of a request. */
export interface Paging {
  readonly limit?: string;
  readonly cursor?: string;
}

type Page = Required<Pick<ProjectQuery, "limit">> & Pick<ProjectQuery, "after">;

/** The page size and the position after which it starts. */
export function readPage({ limit, cursor }: Paging, usual: number): Page {
  const after = cursor === undefined ? undefined : readCursor(cursor);
  if (cursor !== undefined && after === undefined) throw bad("cursor", "the next_cursor of an earlier page", cursor);
  return { limit: limit === undefined ? usual : Number(limit), ...(after !== undefined && { after }) };
}

/** The cursor of the next page; null on the last page. */
export function nextCursor(entries: readonly ListedThread[], { limit }: Page): string | null {
  const last = entries.length === limit ? entries.at(-1) : undefined;
  return last === undefined ? null : cursorOf(last);
}

/** The start of the next page as an opaque string. */
const cursorOf = ({ found }: ListedThread): string =>
  Buffer.from(JSON.stringify([found.updatedAt, found.id])).toString("base64url");

/** The position in a cursor; undefined for an invalid cursor. */
function readCursor(text: string): { readonly updatedAt: number; readonly id: string } | undefined {
  try {
    const read: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
    if (!Array.isArray(read)) return undefined;
    const [updatedAt, id] = read as readonly unknown[];
    const isPlace = Number.isSafeInteger(updatedAt) && typeof id === "string" && id.isWellFormed();
    return isPlace ? { updatedAt: Number(updatedAt), id } : undefined;
  } catch {
    return undefined; // the caller reports it
  }
}
