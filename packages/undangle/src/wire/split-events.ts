/** The index behind the event that begins before an index, or behind its line; -1 where its end has not come yet. */
export type EndOfEvent = (text: string, from: number) => number;

export const endOfLine: EndOfEvent = (text, from) => text.indexOf("\n", from) + 1 || -1;

/** Behind the first blank line, whichever way lines end. */
export function endOfEvent(text: string, from: number): number {
  const first = text.indexOf("\n", from);
  // Where lines end in two signs there may be no two feeds in all of the text.
  const hasBack = first > from && text.charCodeAt(first - 1) === 0x0d;
  const feed = hasBack ? first : text.indexOf("\n\n", from);
  const event = feed < 0 ? text.slice(from) : text.slice(from, feed);
  if (!event.includes("\r")) return feed < 0 ? -1 : feed + 2;
  const match = /\r\n\r\n|\r\r(?!\n)|\n\n|\n\r\n?|\r\n\n/gu;
  match.lastIndex = Math.max(0, from - 1);
  const found = match.exec(text);
  if (found === null) return -1;
  const end = found.index + found[0].length;
  return end === text.length && found[0] === "\n\r" ? -1 : end; // a line feed may follow
}
