import type { Entry, Finding, Journal, Source, Spot } from "#core";

type Change = NonNullable<Parameters<Journal["note"]>[2]>;

/** A journal that delays the edits of a message or part until it is known whether it is kept. */
export interface StandingJournal {
  readonly journal: Journal;
  /** Reports the edits of kept parts. For removed parts, the removal is the only edit. */
  readonly tell: (entries: readonly Entry[]) => void;
}

export function createStandingJournal(journal: Journal, listKey: string): StandingJournal {
  let kept: { readonly at: Spot; readonly finding: Finding; readonly change: Change }[] = [];
  return {
    journal: {
      ...journal,
      note(at, found, change) {
        if (change === undefined || change.type === "remove") {
          journal.note(at, found, change);
          return;
        }
        const finding = { ...found, from: `${listKey}[${at.source.index}]${at.suffix}` };
        journal.report(finding, "left"); // until it is known whether it is kept
        kept.push({ at, finding, change });
      },
    },
    tell(entries) {
      const places = kept.length === 0 ? undefined : placesOf(entries);
      for (const { at, finding, change } of kept) {
        const { source, suffix, part } = at;
        const standing = places?.get(source);
        if (standing === undefined || (part !== undefined && !standing.has(part.place))) continue;
        journal.edit(finding, { source, suffix, ...(part === undefined ? {} : { part }), ...change });
      }
      kept = []; // a list may be read in several parts
    },
  };
}

/** The kept parts and calls, by source message. */
function placesOf(entries: readonly Entry[]): ReadonlyMap<Source, ReadonlySet<number>> {
  const places = new Map<Source, Set<number>>();
  const add = (source: Source | undefined, place?: number): void => {
    if (source === undefined) return;
    const known = places.get(source) ?? new Set();
    places.set(source, known);
    if (place !== undefined) known.add(place);
  };
  for (const entry of entries) {
    add(entry.source, entry.role === "result" ? entry.place : undefined);
    const live = entry.role === "assistant" ? new Set(entry.calls) : undefined;
    for (const { place } of live ?? []) if (entry.parts === undefined) add(entry.source, place);
    for (const { call, place, source } of entry.parts ?? []) {
      if (call === undefined || live?.has(call) === true) add(source ?? entry.source, place);
    }
  }
  return places;
}
