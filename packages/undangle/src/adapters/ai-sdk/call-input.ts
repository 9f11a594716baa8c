import { isRecord, jsonText } from "#core";

/** The input of a call as the JSON text that it has to be. What is malformed stays as it is: nothing is guessed. */
export function inputText(input: unknown, { isText }: { readonly isText: boolean }): string {
  if (input === undefined || input === null) return "{}";
  if (typeof input !== "string") return jsonText(input);
  if (input.trim() === "") return "{}";
  return isText ? input : unwrap(input);
}

/** The text of the object in a JSON text inside a JSON text, as deep as servers have been seen to go. */
function unwrap(input: string): string {
  let text = input;
  for (let depth = 0; depth < 4; depth++) {
    if (!/^\s*(?:"|null\s*$)/u.test(text)) break; // no string: most are not parsed at all
    const value = parse(text);
    if (value === null || (typeof value === "string" && value.trim() === "")) return "{}";
    if (typeof value !== "string") return input;
    text = value;
  }
  return text === input || isRecord(parse(text)) ? text : input;
}

/** True when two texts say the same, whatever the order of their keys. */
export function saySame(one: string, other: string): boolean {
  if (one === other) return true;
  const [a, b] = [inOrder(one), inOrder(other)];
  return a !== undefined && a === b;
}

/** A JSON text with the keys of its objects in alphabetical order; undefined for one that cannot be compared. */
function inOrder(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text, (_, value: unknown) => (isRecord(value) ? sorted(value) : value)));
  } catch {
    return undefined; // not JSON, or too deep for the stack
  }
}

const sorted = (value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // not JSON: no JSON value is undefined
  }
}

/** True for a tool whose input is a text: JSON in there is none of ours. */
export function takesText(tool: unknown): boolean {
  if (!isRecord(tool)) return false;
  if (tool["type"] !== "function") return true; // a tool that the provider defines, in whatever form it likes
  const type = isRecord(tool["inputSchema"]) ? tool["inputSchema"]["type"] : undefined;
  return type === "string" || (Array.isArray(type) && type.includes("string"));
}
