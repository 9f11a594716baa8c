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

/** The calls in a value; undefined for one with anything that is not known: it may be what the call was made with. */
function callsIn(value: unknown, isInList = false): readonly (LeakedCall | undefined)[] {
  if (!isRecord(value)) return [undefined];
  const { tool_calls: list, function: inner, ...rest } = value;
  if (Array.isArray(list) && !isInList && !hasOther(value, ["tool_calls"]))
    return list.flatMap((each) => callsIn(each, true));
  if (isRecord(inner)) return hasOther(rest, callKeys) ? [undefined] : [callIn(inner)];
  return [callIn(value)];
}

function callIn(value: Readonly<Record<string, unknown>>): LeakedCall | undefined {
  const { name } = value;
  const given = argumentKeys.filter((key) => (value[key] ?? undefined) !== undefined);
  const args = value[given[0] ?? ""] ?? {};
  if (typeof name !== "string" || given.length > 1 || hasOther(value, ["name", ...callKeys, ...argumentKeys]))
    return undefined;
  if (typeof args === "string") return { name, arguments: args };
  return isRecord(args) ? { name, arguments: jsonText(args) } : undefined;
}

/** The keys under which models put arguments, and those that say something else of a call. */
const argumentKeys = ["arguments", "parameters", "args", "input"] as const;
const callKeys = ["type", "id", "index", "call_id", "tool_call_id"] as const;

const hasOther = (value: Readonly<Record<string, unknown>>, known: readonly string[]): boolean =>
  Object.keys(value).some((key) => !known.includes(key));

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

/** A parameter of a call. A value of any kind is JSON where it reads as such, else text. */
export interface Parameter {
  readonly key: string;
  readonly value: string;
  readonly kind: "text" | "json" | "any";
}

/** Parameters as the text of an object; undefined where two have one name, of which one would be lost. */
export function objectText(parameters: readonly Parameter[]): string | undefined {
  if (new Set(parameters.map(({ key }) => key)).size < parameters.length) return undefined;
  return `{${parameters.map((each) => `${JSON.stringify(each.key)}:${valueText(each)}`).join(",")}}`;
}

/** The value of a parameter as JSON, with numbers as they were written. */
export const valueText = ({ value, kind }: Parameter): string =>
  kind === "json" || (kind === "any" && isJson(value)) ? value.trim() : JSON.stringify(value);

function isJson(text: string): boolean {
  if (!/^\s*(?:[[{]|-?\d|true\s*$|false\s*$|null\s*$)/u.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false; // it only looked like JSON
  }
}
