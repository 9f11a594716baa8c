import { escapeText, foldCase } from "../escape-text.ts";

/** Separates the id from the title. No escaped text contains it, so no search matches across both. */
const border = "\u001a\u001a";

/** The search text of a thread besides its messages. */
export function searchOfThread(id: string, title: string | undefined): string {
  return searchOfEntry(id) + border + searchOfEntry(title ?? "");
}

/** A text in the form of the search index. */
export function searchOfEntry(text: string): string {
  return foldCase(escapeText(text));
}
