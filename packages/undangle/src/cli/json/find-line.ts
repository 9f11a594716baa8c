import { lookUp, parsePath } from "./json-path.ts";
import { isObject, locate, members } from "./scan-json.ts";
import type { Range } from "./scan-json.ts";

/** Makes a function that tells in which line of `text` a path of `value` stands. The text is read once, for the first question. */
export function lineFinder(text: string, value: unknown): (path: string) => number {
  let places: ReadonlyMap<object, Range> | undefined;
  let breaks: readonly number[] | undefined;
  return (path) => {
    breaks ??= lineBreaks(text);
    if (breaks.length === 0) return 1;
    places ??= locate(text, value);
    return lineAt(breaks, offsetOf(text, value, { path, places }));
  };
}

/** Line and column, both from 1, of an offset in a text. */
export function positionAt(text: string, offset: number): { readonly line: number; readonly column: number } {
  const breaks = lineBreaks(text.slice(0, offset));
  return { line: breaks.length + 1, column: offset - (breaks.at(-1) ?? -1) };
}

function offsetOf(
  text: string,
  value: unknown,
  { path, places }: { readonly path: string; readonly places: ReadonlyMap<object, Range> },
): number {
  const steps = parsePath(path) ?? [];
  const reached = lookUp(value, steps);
  const direct = isObject(reached.value) ? places.get(reached.value) : undefined;
  if (direct !== undefined) return direct.start;
  const holder = lookUp(value, steps.slice(0, reached.depth - 1)).value;
  const range = isObject(holder) ? places.get(holder) : undefined;
  if (range === undefined) return 0;
  const step = steps[reached.depth - 1];
  const written = members(text, range.start);
  const member = typeof step === "number" ? written[step] : written.findLast(({ key }) => key === step);
  return member?.lead ?? range.start;
}

function lineBreaks(text: string): readonly number[] {
  const breaks: number[] = [];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) breaks.push(at);
  return breaks;
}

/** How many breaks stand before the offset, plus one, by bisection. */
function lineAt(breaks: readonly number[], offset: number): number {
  let [low, high] = [0, breaks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((breaks[middle] ?? Infinity) < offset) low = middle + 1;
    else high = middle;
  }
  return low + 1;
}
