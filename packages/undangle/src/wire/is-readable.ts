import type { StreamFormat } from "#codecs";

/** True for a piece that every client of a format reads in the same way. */
export function isReadable(raw: string, frames: number, format: StreamFormat): boolean {
  if (format === "ollama") return frames === 1 && /^ *\{[^\n]*\n$/u.test(raw);
  if (format !== "gemini" || !isCanonical(raw, frames)) return isCanonical(raw, frames);
  // Google's SDK knows no fields but data, and no mark of the end.
  return frames === 1 ? /^(?:\r?\n)*data:[^\n]*\n\r?\n$/u.test(raw) : !raw.includes("data:");
}

/**
 * True for a piece that every parser of events reads in the same way: one event, a comment or the mark of the end, with line
 * breaks that all know, and a blank line behind it.
 */
function isCanonical(raw: string, frames: number): boolean {
  if (frames > 1 || raw.startsWith("\ufeff") || (raw !== "" && !raw.endsWith("\n"))) return false;
  if (raw.includes("\r") && /\r(?!\n)/u.test(raw)) return false;
  if (frames === 1)
    return raw.indexOf("\n") < raw.length - 1 && hasData(raw) && !(raw.includes("[DONE]") && hasMark.test(raw));
  return isSilent.test(raw);
}

/** Comments, blank lines and the mark of the end: no sign may be taken in two ways, or every line would take twice as long. */
const isSilent = /^(?:(?::[^\r\n]*)?\r?\n)*(?:data: ?\[DONE\]\r?\n\r?\n)?$/u;

/** False for a value that stands in no event: clients read over it. */
const hasData = (raw: string): boolean => raw.startsWith("data:") || raw.includes("\ndata:");

/** The mark of the end in the event of a frame, of which it is a line for all parsers. */
const hasMark = /^data: *\[DONE\]/mu;
