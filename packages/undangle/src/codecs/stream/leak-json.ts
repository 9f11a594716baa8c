import { isRecord, jsonText } from "#core";

/** A call as a model wrote it in its text: its name, and its arguments as text. */
export interface LeakedCall {
  readonly name: string;
  readonly arguments: string;
}

/** The calls in a text that is JSON and nothing else: objects one after the other, or lists of them. */
export function callsInJson(text: string): readonly LeakedCall[] | undefined {
  const values = jsonValues(text)?.flatMap((value) => (Array.isArray(value) ? (value as readonly unknown[]) : [value]));
  const calls = values?.flatMap((value) => callsIn(value));
  return calls !== undefined && calls.length > 0 && calls.every((call) => call !== undefined) ? calls : undefined;
}

function callsIn(value: unknown): readonly (LeakedCall | undefined)[] {
  if (!isRecord(value)) return [undefined];
  if (Array.isArray(value["tool_calls"])) return value["tool_calls"].flatMap(callsIn);
  const inner = isRecord(value["function"]) ? value["function"] : value;
  const { name } = inner;
  const args = inner["arguments"] ?? inner["parameters"] ?? inner["args"] ?? {};
  if (typeof name !== "string" || (!isRecord(args) && typeof args !== "string")) return [undefined];
  return [{ name, arguments: typeof args === "string" ? args : jsonText(args) }];
}

/** The values of a text; undefined when there is anything but JSON in it, and commas between. */
function jsonValues(text: string): readonly unknown[] | undefined {
  const values: unknown[] = [];
  for (let at = nextSign(text, 0); at < text.length;) {
    const end = jsonEnd(text, at);
    if (end === undefined) return undefined;
    try {
      values.push(JSON.parse(text.slice(at, end)));
    } catch {
      return undefined; // not JSON, which is the question
    }
    at = nextSign(text, end);
  }
  return values;
}

/** The index of the next sign that says something. */
function nextSign(text: string, from: number): number {
  const blanks = /[\s,;]*/uy;
  blanks.lastIndex = from;
  blanks.test(text);
  return blanks.lastIndex;
}

/** The index behind the object or list that begins at `start`; undefined while its brackets are open, or there is none. */
export function jsonEnd(text: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const sign = text[at];
    if (sign === '"') at = stringEnd(text, at);
    else if (sign === "{" || sign === "[") depth++;
    else if ((sign === "}" || sign === "]") && --depth === 0) return at + 1;
    if (depth === 0) return undefined;
  }
  return undefined;
}

/** The index behind the closing text, which does not count inside the strings of JSON. */
export function closerEnd(text: string, closer: string, from: number): number | undefined {
  if (!/[[{]/u.test(text[nextSign(text, from)] ?? "")) {
    const found = text.indexOf(closer, from);
    return found < 0 ? undefined : found + closer.length;
  }
  for (let at = from; at < text.length; at++) {
    if (text[at] === '"') at = stringEnd(text, at);
    else if (text.startsWith(closer, at)) return at + closer.length;
  }
  return undefined;
}

/** The index of the quote that closes the string at `start`, or the end of the text. */
function stringEnd(text: string, start: number): number {
  let at = start + 1;
  for (; at < text.length && text[at] !== '"'; at++) if (text[at] === "\\") at++;
  return at;
}

/** Parameters as the text of an object. A value that is JSON is that value, unless it is known to be text. */
export function objectText(entries: Iterable<readonly [key: string, value: string, isText: boolean]>): string {
  const values = Array.from(entries, ([key, value, isText]): [string, unknown] => [
    key.trim(),
    isText ? value : valueOf(value),
  ]);
  return jsonText(Object.fromEntries(values));
}

function valueOf(text: string): unknown {
  if (!/^\s*(?:[[{]|-?\d|true\s*$|false\s*$|null\s*$)/u.test(text)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text; // it only looked like JSON
  }
}
