import type { ResultEntry, Source } from "#core";

import type { Extra } from "./message.ts";

/** A part of the tool messages after a turn. */
export interface Item {
  readonly result: ResultEntry | undefined;
  readonly wire: unknown;
  readonly source: Source | undefined;
  readonly place: number;
}

/** The parts of a block in writing order: their own order, unless that would reorder the results. */
export function blockItems(results: readonly ResultEntry[], extras: readonly Extra[]): readonly Item[] {
  const items: readonly Item[] = results.map((result) => ({ result, ...result }));
  const others: readonly Item[] = extras.map((extra) => ({ result: undefined, ...extra }));
  if (others.length === 0) return items;
  if (!isInOrder(items)) return [...others, ...items];
  return [...others, ...items].sort(compare);
}

/** The parts in input order. Added parts come last. */
export function inReadOrder(items: readonly Item[]): readonly Item[] {
  const added = items.filter(({ source }) => source === undefined);
  return [...items.filter(({ source }) => source !== undefined).sort(compare), ...added];
}

const compare = (a: Item, b: Item): number => (a.source?.index ?? -1) - (b.source?.index ?? -1) || a.place - b.place;

function isInOrder(items: readonly Item[]): boolean {
  return items.every((item, i) => {
    const before = items[i - 1];
    return item.source !== undefined && (before === undefined || compare(before, item) < 0);
  });
}
