import { isRecord, parseJson } from "#core";

/**
 * Receives an event of a stream: its data, its name if any, and text after unterminated data that belongs to no field.
 */
export type TakeEvent = (data: string, event: string | undefined, rest?: string) => void;

/** Splits chunked text into events: server-sent events in any variant, and consecutive JSON values. */
interface EventReader {
  readonly add: (text: string) => void;
  /** True inside an incomplete value. JSON outside events may span several lines. */
  readonly isOpen: () => boolean;
  /** Ends the text. The remaining text is an event too. */
  readonly end: () => void;
}

export function createEventReader(take: TakeEvent): EventReader {
  let chunks: string[] = []; // the start of an incomplete line
  let isAfterReturn = false; // a chunk may end inside a line break
  let data: string[] = [];
  let event: string | undefined;
  let rest = "";
  let json: JsonScan | undefined;
  let isFirst = true;

  const dispatch = (): void => {
    if (data.length === 1) take(data[0] ?? "", event, rest);
    else if (data.length > 1) for (const each of joined(data)) take(each, event, rest);
    data = [];
    event = undefined;
    rest = "";
  };

  const field = (line: string): void => {
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line.charCodeAt(colon + 1) === 0x20 ? colon + 2 : colon + 1);
    if (name === "data") data.push(value);
    else if (name === "event") event = value;
    else if (name === "error") take(value, "error");
    else if (isNearlyData.test(name) && isJsonStart(value)) data.push(value);
    else if (isHalfJson(data.at(-1))) rest += line;
  };

  const line = (text: string): void => {
    if (json !== undefined) {
      if (json.depth > 0 ? !beginsEvent(text) : !isField(text)) {
        moreJson(json, text, take);
        return;
      }
      endJson(json, take);
      json = undefined; // JSON before events: a proxy sent a notice first
    }
    if (text === "") dispatch();
    else if (text.startsWith("data: ") && data.length === 0) data.push(text.slice(6));
    else if (isJsonStart(text)) {
      dispatch();
      json = { text: [], depth: 0, inString: false, isEscaped: false };
      moreJson(json, text, take);
    } else if (text.charCodeAt(0) !== 0x3a) field(text);
  };

  return {
    add(given) {
      let text = given;
      if (isFirst && text !== "") {
        if (text.charCodeAt(0) === 0xfeff) text = text.slice(1);
        isFirst = false;
      }
      let at = isAfterReturn && text.charCodeAt(0) === 0x0a ? 1 : 0;
      if (text !== "") isAfterReturn = false;
      let back = text.indexOf("\r", at);
      let feed = text.indexOf("\n", at);
      for (;;) {
        const isBetween = chunks.length === 0 && data.length === 0 && event === undefined && json === undefined;
        if (isBetween && back < 0) at = takeWhole(text, at, take);
        if (at === text.length) break;
        // Each character is searched only after its last position, so that the text is read once.
        if (back >= 0 && back < at) back = text.indexOf("\r", at);
        if (feed >= 0 && feed < at) feed = text.indexOf("\n", at);
        const end = back < 0 || (feed >= 0 && feed < back) ? feed : back;
        if (end < 0) break;
        const rest = text.slice(at, end);
        if (chunks.length === 0) line(rest);
        else {
          chunks.push(rest);
          const whole = chunks.join("");
          chunks = [];
          line(whole);
        }
        at = end + 1;
        if (end !== back) continue;
        if (at === text.length) isAfterReturn = true;
        else if (text.charCodeAt(at) === 0x0a) at++;
      }
      if (at < text.length) chunks.push(at === 0 ? text : text.slice(at));
    },
    isOpen: () => json !== undefined && json.depth > 0,
    end() {
      const rest = chunks.join("");
      chunks = [];
      if (rest !== "") line(rest);
      dispatch();
      if (json !== undefined) endJson(json, take);
      json = undefined;
    },
  };
}

/** Reads complete events in the most common notation. Returns the index after them. */
function takeWhole(text: string, from: number, take: TakeEvent): number {
  for (let at = from; ;) {
    let start = at;
    let event: string | undefined;
    if (text.startsWith("event: ", at)) {
      start = text.indexOf("\n", at) + 1;
      if (start === 0) return at;
      event = text.slice(at + 7, start - 1);
    }
    if (!text.startsWith("data: ", start)) return at;
    const end = text.indexOf("\n", start);
    if (end < 0 || text.charCodeAt(end + 1) !== 0x0a) return at;
    take(text.slice(start + 6, end), event);
    at = end + 2;
  }
}

/** A field name that clients ignore, but that can only mean `data`. */
const isNearlyData = /^\s*data\s*$/iu;

/** Joins the data lines of one event. Tolerates servers that omit the blank line between events. */
function joined(lines: readonly string[]): readonly string[] {
  const whole = lines.join("\n");
  return isJson(whole) || !lines.some((line) => isEndMarker(line) || (isJsonStart(line) && isJson(line)))
    ? [whole]
    : lines;
}

const isJson = (text: string): boolean => parseJson(text) !== undefined;

/** The bracket scan of a stream of bare JSON. */
interface JsonScan {
  readonly text: string[];
  depth: number;
  inString: boolean;
  isEscaped: boolean;
}

const isJsonStart = (line: string): boolean => /^\s*[[{]/u.test(line);

/** True for a line that cannot occur in JSON. An incomplete value before it is truncated, or not JSON. */
const beginsEvent = (line: string): boolean => /^(?:data|event):/u.test(line);

/** True for an object that does not end on its line. */
const isHalfJson = (line: string | undefined): boolean =>
  line !== undefined && isJsonStart(line) && !line.trimEnd().endsWith("}");

const isField = (line: string): boolean => /^(?:data|event|error)?:/u.test(line);

/** Reads a line of bare JSON. Each entry of a streamed list, as Gemini sends it, is a separate value. */
function moreJson(json: JsonScan, line: string, take: TakeEvent): void {
  const text = line.trim();
  const isWhole = json.depth === 0 && text.startsWith("{") && text.endsWith("}") && isJson(text);
  if (isWhole || isEndMarker(text)) {
    take(text, undefined);
    return;
  }
  let start = json.depth > 0 ? 0 : -1;
  for (let at = 0; at < line.length; at++) {
    const sign = line[at];
    if (json.isEscaped) json.isEscaped = false;
    else if (json.inString) {
      if (sign === "\\") json.isEscaped = true;
      else if (sign === '"') json.inString = false;
    } else if (sign === '"') json.inString = json.depth > 0;
    else if (sign === "{" || (sign === "[" && json.depth > 0)) {
      if (json.depth++ === 0) start = at;
    } else if ((sign === "}" || sign === "]") && json.depth > 0 && --json.depth === 0) {
      json.text.push(line.slice(start, at + 1));
      take(json.text.join("\n"), undefined);
      json.text.length = 0;
      start = -1;
    }
  }
  if (start >= 0) json.text.push(line.slice(start));
}

/**
 * The JSON values in data that is not JSON itself: several events, separated as in a stream or a list, or one value
 * with an end marker. Otherwise undefined.
 */
export function valuesIn(data: string): readonly string[] | undefined {
  const found: string[] = [];
  moreJson({ text: [], depth: 0, inString: false, isEscaped: false }, data, (text) => found.push(text));
  let between = "";
  let at = 0;
  for (const text of found) {
    const start = data.indexOf(text, at);
    between += data.slice(at, start);
    at = start + text.length;
  }
  const isClear = !/[^\s,\0]/u.test(`${between}${data.slice(at)}`.replaceAll("data:", ""));
  return found.length > 0 && isClear && found.every(isJson) ? found : undefined;
}

/** Emits the rest of a truncated value. */
function endJson(json: JsonScan, take: TakeEvent): void {
  if (json.text.length > 0) take(json.text.join("\n"), undefined);
}

/** One event of a stream: its data, and its name if it has one. */
export interface StreamEvent {
  readonly data: string;
  readonly event: string | undefined;
}

/** The events of a complete capture. Empty events are omitted. */
export function streamEvents(text: string): readonly StreamEvent[] {
  const events: StreamEvent[] = [];
  const reader = createEventReader((data, event) => {
    if (!isEndMarker(data) && data.trim() !== "") events.push({ data, event });
  });
  reader.add(text);
  reader.end();
  return events;
}

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

/** Event names that servers use for keep-alives. */
const names: ReadonlySet<string> = new Set(["ping", "heartbeat", "keepalive"]);

/** True for the name of a keep-alive, in any spelling: `keep-alive`, `Heart_beat`. */
export const isKeepAliveName = (name: unknown): boolean =>
  typeof name === "string" && name.length < 40 && names.has(name.toLowerCase().replaceAll(/[\s_-]/gu, ""));

/** True for a keep-alive frame, by its type, or by the event name if it has no type. */
export function isKeepAlive(value: unknown, event: string | undefined): boolean {
  const type = isRecord(value) ? value["type"] : undefined;
  return isKeepAliveName(type ?? event);
}

/** True for a raw event with the name of a keep-alive. */
export const isKeepAliveEvent = (raw: string): boolean => isKeepAliveName(/^event:([^\r\n]*)/mu.exec(raw)?.[1]);
