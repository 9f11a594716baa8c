import { escapeText, foldCase } from "../escape-text.ts";

/** Between the id and the title. It is in no text that was escaped, so that no search finds the end of one and the start of the other. */
const border = "\u001a\u001a";

/** What a search finds a thread by, beside what was said in it. */
export function searchOfThread(id: string, title: string | undefined): string {
  return searchOfEntry(id) + border + searchOfEntry(title ?? "");
}

/** A text as it is searched, or searched for. */
export function searchOfEntry(text: string): string {
  return foldCase(escapeText(text));
}
