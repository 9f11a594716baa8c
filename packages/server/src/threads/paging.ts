import { bad } from "../chat/fields.ts";
import type { DeskEntry, DeskQuery } from "../desk/desk.ts";

/** What a request for a page of a list says. */
export interface Paging {
  readonly limit?: string;
  readonly cursor?: string;
}

type Page = Required<Pick<DeskQuery, "limit">> & Pick<DeskQuery, "after">;

/** How many are wanted, and behind which. */
export function readPage({ limit, cursor }: Paging, usual: number): Page {
  const after = cursor === undefined ? undefined : readCursor(cursor);
  if (cursor !== undefined && after === undefined) throw bad("cursor", "the next_cursor of an earlier page", cursor);
  return { limit: limit === undefined ? usual : Number(limit), ...(after !== undefined && { after }) };
}

/** The cursor of the page behind these; null when there is none. */
export function nextCursor(entries: readonly DeskEntry[], { limit }: Page): string | null {
  const last = entries.length === limit ? entries.at(-1) : undefined;
  return last === undefined ? null : cursorOf(last);
}

/** Where the next page begins, as a text that nobody has to understand. */
const cursorOf = ({ found }: DeskEntry): string =>
  Buffer.from(JSON.stringify([found.updatedAt, found.id])).toString("base64url");

/** What such a text says; undefined for one that says nothing. */
function readCursor(text: string): { readonly updatedAt: number; readonly id: string } | undefined {
  try {
    const read: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
    if (!Array.isArray(read)) return undefined;
    const [updatedAt, id] = read as readonly unknown[];
    const isPlace = Number.isSafeInteger(updatedAt) && typeof id === "string" && id.isWellFormed();
    return isPlace ? { updatedAt: Number(updatedAt), id } : undefined;
  } catch {
    return undefined; // the caller says so
  }
}
