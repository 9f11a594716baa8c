import { align, formatPath, isObject } from "#report";
import type { JsonPath } from "#report";

/** The changes in one list of a value, or (`name` "") outside any list. */
export interface DiffSection {
  readonly name: string;
  readonly rows: readonly DiffRow[];
}

/** The change of a list item, with its index before and after. */
export type DiffRow =
  | { readonly type: "same"; readonly before: number; readonly after: number; readonly value: unknown }
  | { readonly type: "skipped"; readonly count: number }
  | { readonly type: "added"; readonly after: number; readonly value: unknown; readonly movedFrom?: number }
  | { readonly type: "removed"; readonly before: number; readonly value: unknown; readonly movedTo?: number }
  | {
      readonly type: "changed";
      readonly before: number;
      readonly after: number;
      readonly value: unknown;
      readonly changes: readonly Change[];
    };

/** A difference inside an item: the value at the path before and after, absent if there was none. */
export interface Change {
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** Compares two bodies or message lists, item by item, with `context` unchanged items around each change. */
export function diffJson(before: unknown, after: unknown, { context = 1 } = {}): readonly DiffSection[] {
  if (isList(before) && isList(after)) return [{ name: "", rows: diffList(before, after, context) }];
  const sections: DiffSection[] = [];
  const rest: Change[] = [];
  for (const [key, old, value] of pairs(before, after)) {
    if (Object.is(old, value)) continue;
    if (!isList(old) || !isList(value)) {
      rest.push(change([key], old, value));
      continue;
    }
    const rows = diffList(old, value, context);
    if (rows.some(({ type }) => type !== "skipped")) sections.push({ name: key, rows });
  }
  if (rest.length > 0) {
    sections.push({ name: "", rows: [{ type: "changed", before: -1, after: -1, value: after, changes: rest }] });
  }
  return sections;
}

function diffList(before: readonly unknown[], after: readonly unknown[], context: number): readonly DiffRow[] {
  const origins = align(before, after);
  const targets = new Map(origins.map((origin, index) => [origin, index]));
  const still = risingIndexes(origins);
  const rows: DiffRow[] = [];
  let next = 0;
  const stays = (index: number): boolean => still.has(targets.get(index) ?? -1);
  const removeNext = (): void => {
    const movedTo = targets.get(next);
    rows.push({ type: "removed", before: next, value: before[next], ...(movedTo === undefined ? {} : { movedTo }) });
    next++;
  };
  for (const [index, value] of after.entries()) {
    while (next < before.length && !stays(next)) removeNext();
    const origin = origins[index];
    if (origin === undefined || !still.has(index)) {
      rows.push({ type: "added", after: index, value, ...(origin === undefined ? {} : { movedFrom: origin }) });
      continue;
    }
    next = origin + 1;
    const place = { before: origin, after: index, value };
    const changes = diffValue([], before[origin], value);
    rows.push(changes.length === 0 ? { type: "same", ...place } : { type: "changed", ...place, changes });
  }
  while (next < before.length) removeNext();
  return skipSame(rows, context);
}

function diffValue(path: JsonPath, before: unknown, after: unknown): readonly Change[] {
  if (Object.is(before, after)) return [];
  if (isList(before) && isList(after)) {
    return diffList(before, after, 0).flatMap((row): readonly Change[] => {
      if (row.type === "added") return [change([...path, row.after], undefined, row.value)];
      if (row.type === "removed") return [change([...path, row.before], row.value, undefined)];
      if (row.type !== "changed") return [];
      return diffValue([...path, row.after], before[row.before], after[row.after]);
    });
  }
  if (isObject(before) && isObject(after) && !isList(before) && !isList(after)) {
    return pairs(before, after).flatMap(([key, old, value]) => diffValue([...path, key], old, value));
  }
  return [change(path, before, after)];
}

const change = (path: JsonPath, before: unknown, after: unknown): Change => ({
  path: formatPath(path),
  ...(before === undefined ? {} : { before }),
  ...(after === undefined ? {} : { after }),
});

/** The keys of both objects, those of the second first, each with both values. */
function pairs(before: unknown, after: unknown): readonly (readonly [key: string, before: unknown, after: unknown])[] {
  const old = new Map<string, unknown>(isObject(before) ? Object.entries(before) : []);
  const now = new Map<string, unknown>(isObject(after) ? Object.entries(after) : []);
  return [...new Set([...now.keys(), ...old.keys()])].map((key) => [key, old.get(key), now.get(key)]);
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** Replaces unchanged items that are not near a change by their count. */
function skipSame(rows: readonly DiffRow[], context: number): readonly DiffRow[] {
  const near = new Set<number>();
  for (const [index, { type }] of rows.entries()) {
    if (type !== "same") for (let at = index - context; at <= index + context; at++) near.add(at);
  }
  const shown: DiffRow[] = [];
  let count = 0;
  for (const [index, row] of rows.entries()) {
    if (near.has(index)) {
      if (count > 0) shown.push({ type: "skipped", count });
      count = 0;
      shown.push(row);
    } else count++;
  }
  if (count > 0) shown.push({ type: "skipped", count });
  return shown;
}

/** The positions of a longest increasing subsequence of origins. Items on it kept their order; the others moved. */
function risingIndexes(origins: readonly (number | undefined)[]): ReadonlySet<number> {
  const tails: number[] = [];
  const previous = new Map<number, number | undefined>();
  for (const [index, origin] of origins.entries()) {
    if (origin === undefined) continue;
    let [low, high] = [0, tails.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((origins[tails[middle] ?? -1] ?? Infinity) < origin) low = middle + 1;
      else high = middle;
    }
    previous.set(index, tails[low - 1]);
    tails[low] = index;
  }
  const rising = new Set<number>();
  for (let at = tails.at(-1); at !== undefined; at = previous.get(at)) rising.add(at);
  return rising;
}
