import { isObject } from "./scan-json.ts";

/** A path inside a JSON value: keys and indexes. */
export type JsonPath = readonly (string | number)[];

/** Parses a path such as `request.body`, `messages[3].tool_calls[0]` or `a["b.c"]`; undefined if it is invalid. */
export function parsePath(text: string): JsonPath | undefined {
  const step = /\.?([^.[\]"]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/y;
  const path: (string | number)[] = [];
  while (step.lastIndex < text.length) {
    const found = step.exec(text);
    if (found === null) return undefined;
    const [, key, index, quoted] = found;
    if (quoted !== undefined) path.push(unquote(quoted));
    else path.push(index === undefined ? (key ?? "") : Number(index));
  }
  return path;
}

/** Formats a path for `parsePath`. */
export function formatPath(path: JsonPath): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else if (/^[^.[\]"\s]+$/.test(step)) text += text === "" ? step : `.${step}`;
    else text += `[${JSON.stringify(step)}]`;
  }
  return text;
}

export function joinPaths(outer: string, inner: string): string {
  return outer === "" || inner === "" || inner.startsWith("[") ? outer + inner : `${outer}.${inner}`;
}

/** The value at a path, or the deepest existing value; `depth` steps of the path exist. */
export function lookUp(root: unknown, path: JsonPath): { readonly value: unknown; readonly depth: number } {
  let value = root;
  for (const [depth, step] of path.entries()) {
    if (!isObject(value) || !Object.hasOwn(value, step) || (Array.isArray(value) && typeof step !== "number")) {
      return { value, depth };
    }
    value = (value as Readonly<Record<string | number, unknown>>)[step]; // an own property of a parsed JSON value
  }
  return { value, depth: path.length };
}

/** A copy with another value at an existing path. Everything beside the path is kept by reference. */
export function replaceAt(root: unknown, path: JsonPath, value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (Array.isArray(root)) {
    const items = root as readonly unknown[];
    return items.map((item, index) => (index === step ? replaceAt(item, rest, value) : item));
  }
  if (!isObject(root)) return root;
  return Object.fromEntries(
    Object.entries(root).map(([key, inner]) => [
      key,
      key === step ? replaceAt(inner, rest, value) : (inner as unknown),
    ]),
  );
}

function unquote(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return text.slice(1, -1); // an unknown escape stays as it is
    throw error;
  }
}
