import { lookUp, parsePath } from "./json-path.ts";
import { isObject, locate, members } from "./scan-json.ts";
import type { Range } from "./scan-json.ts";

/**
 * Creates a function that returns the line of a path of `value` in `text`. The text is scanned once, on the first call.
 */
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

/** The line and column of an offset; both start at 1. */
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

/** The line of an offset, by bisection. */
function lineAt(breaks: readonly number[], offset: number): number {
  let [low, high] = [0, breaks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((breaks[middle] ?? Infinity) < offset) low = middle + 1;
    else high = middle;
  }
  return low + 1;
}
