import type { Episode } from "./episode.ts";

/** Counts what happened in many episodes. */
export interface Tally {
  readonly add: (episode: Omit<Episode, "problems">) => void;
  /** A process that stood still and woke up, if it came so far. */
  readonly addStale: (isReached: boolean) => void;
  readonly kills: () => number;
  /** The places where somebody died. */
  readonly places: () => readonly string[];
  /** The counts as lines of text. */
  readonly lines: () => readonly string[];
}

const columns = ["talking", "recovering", "locked", "full", "cut"] as const;

type Column = (typeof columns)[number];

export function createTally(): Tally {
  const places = new Map<string, Map<Column, number>>();
  const outcomes = new Map<string, number>();
  let threads = 0;
  let kills = 0;
  let starts = 0;
  let waits = 0;
  let stale = 0;
  const begin = performance.now();
  return {
    add(episode) {
      threads += episode.threads;
      kills += episode.deaths.length;
      starts += episode.starts;
      waits += episode.waits;
      for (const { place, when, trouble } of episode.deaths) {
        const row = places.get(place) ?? new Map<Column, number>();
        places.set(place, row);
        count(row, when);
        if (trouble !== undefined) count(row, trouble);
      }
      for (const outcome of episode.outcomes) count(outcomes, outcome);
    },
    addStale(isReached) {
      if (isReached) stale++;
    },
    kills: () => kills,
    places: () => [...places.keys()],
    lines: () => [
      `${kills} kills in ${threads} threads, ${((performance.now() - begin) / 1000).toFixed(0)} s`,
      `${starts} starts of tools; the store was waited for ${waits} times`,
      `${stale} processes stood still, and woke up when others had gone on`,
      "",
      line("kills by place", columns),
      ...inOrder(places).map(([place, row]) =>
        line(
          place,
          columns.map((column) => String(row.get(column) ?? "")),
        ),
      ),
      "",
      "calls by outcome",
      ...inOrder(outcomes).map(([outcome, number]) => line(outcome, [String(number)])),
    ],
  };
}

function count<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

const inOrder = <Value>(counts: ReadonlyMap<string, Value>): readonly (readonly [string, Value])[] =>
  [...counts].sort(([one], [other]) => one.localeCompare(other));

const line = (name: string, cells: readonly string[]): string =>
  name.padEnd(18) + cells.map((cell) => cell.padStart(12)).join("");
