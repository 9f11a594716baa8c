import { isObject } from "./scan-json.ts";

/** For every item of `after`, the index of its source in `before`; undefined for a new item. */
export function align(before: readonly unknown[], after: readonly unknown[]): readonly (number | undefined)[] {
  const sources = alignSame(before, after);
  const used = new Set(sources);
  const left = before.keys().filter((index) => !used.has(index));
  alignSimilar({ before, after, sources, left: [...left] });
  return sources;
}

/** Matches equal items: objects by identity, other values by value, each once and in order. */
function alignSame(before: readonly unknown[], after: readonly unknown[]): (number | undefined)[] {
  const places = new Map<unknown, number[]>();
  for (let index = before.length - 1; index >= 0; index--) {
    const known = places.get(before[index]);
    if (known === undefined) places.set(before[index], [index]);
    else known.push(index);
  }
  return after.map((item) => places.get(item)?.pop());
}

interface Leftovers {
  readonly before: readonly unknown[];
  readonly after: readonly unknown[];
  readonly sources: (number | undefined)[];
  /** Indexes of `before` without a match in `after`, in order. */
  readonly left: readonly number[];
}

/** The number of unmatched items to compare with a new item. An edited item is near its source. */
const horizon = 8;

function alignSimilar({ before, after, sources, left }: Leftovers): void {
  let next = 0;
  for (const [index, item] of after.entries()) {
    if (sources[index] !== undefined) continue;
    let best = { at: -1, score: 0.5 };
    for (let at = next; at < Math.min(left.length, next + horizon); at++) {
      const score = similarity(before[left[at] ?? -1], item);
      if (score > best.score || (best.at === -1 && score === best.score)) best = { at, score };
    }
    if (best.at === -1) continue;
    sources[index] = left[best.at];
    next = best.at + 1;
  }
}

/** The similarity of two values from 0 to 1, one level deep. */
function similarity(one: unknown, other: unknown): number {
  if (!isObject(one) || !isObject(other)) return 0;
  if (Array.isArray(one) || Array.isArray(other)) return Array.isArray(one) && Array.isArray(other) ? 0.5 : 0;
  const values = new Map<string, unknown>(Object.entries(one));
  const entries = Object.entries(other);
  let alike = 0;
  for (const [key, value] of entries) {
    if (!values.has(key)) continue;
    const old = values.get(key);
    if (old === value) alike += 1;
    else if (isObject(old) && isObject(value) && Array.isArray(old) === Array.isArray(value)) alike += 0.5;
  }
  return alike / Math.max(values.size, entries.length, 1);
}
