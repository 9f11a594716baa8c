/** OpenAI sends it after the last event. */
export const endMarker = "data: [DONE]\n\n";

/** True for data that is the end marker. */
export const isEndMarker = (data: string): boolean => data.trimStart().startsWith("[DONE]");

/** True for a raw event with an end marker, also without a field name. */
export const isEndMarkerEvent = (raw: string): boolean =>
  raw.includes("[DONE]") && linesOf(raw).some((line) => isEndMarker(line.startsWith("data:") ? line.slice(5) : line));

/** True for a raw event with an end marker in a field `data`, where every client reads it. */
export const hasEndMarkerData = (raw: string): boolean =>
  raw.includes("[DONE]") && linesOf(raw).some((line) => line.startsWith("data:") && isEndMarker(line.slice(5)));

/** True for an end marker that all clients recognise. */
export const isPlainEndMarker = (raw: string): boolean => /^(?:data: ?)?\[DONE\]\r?$/mu.test(raw) && !hasOddBreaks(raw);

/** True for line breaks that not all clients recognise. */
export const hasOddBreaks = (raw: string): boolean => raw.includes("\r") && /\r(?!\n)/u.test(raw);

const linesOf = (raw: string): readonly string[] => raw.split(/\r\n?|\n/u);
