/** How a body is cut into events: at blank lines, at the end of each line, or at the objects of a list. */
export type Framing = "events" | "lines" | "list";

/** The index behind the event that begins before an index, or behind its line; -1 where its end has not come yet. */
export type EndOfEvent = (bytes: Uint8Array, from: number) => number;

export const endOfLine: EndOfEvent = (bytes, from) => bytes.indexOf(feed, from) + 1 || -1;

/** Behind the first blank line, whichever way lines end. */
export function endOfEvent(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    const code = bytes[at] ?? 0;
    if (code > back) continue;
    if (code === back) return endWithReturns(bytes, Math.max(0, from - 1));
    if (code === feed && bytes[at + 1] === feed) return at + 2;
  }
  return -1;
}

/** The same where lines do not end with feeds alone. */
function endWithReturns(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    const length = blankLineAt(bytes, at);
    if (length > 0) return bytes[at] === feed && at + 2 === bytes.length && bytes[at + 1] === back ? -1 : at + length; // a line feed may follow
  }
  return -1;
}

/** How many bytes the end of a line and that of a blank one behind it are; 0 where they do not stand there. */
function blankLineAt(bytes: Uint8Array, at: number): number {
  const [first, second, third] = [bytes[at], bytes[at + 1], bytes[at + 2]];
  if (first === feed) return second === feed ? 2 : second === back ? (third === feed ? 3 : 2) : 0;
  if (first !== back) return 0;
  if (second === back) return third === feed ? 0 : 2;
  if (second !== feed) return 0;
  return third === feed ? 3 : third === back && bytes[at + 3] === feed ? 4 : 0;
}

const feed = 0x0a;
const back = 0x0d;
