import type { Entry, Finding, Journal, Source, Spot } from "#core";

type Change = NonNullable<Parameters<Journal["note"]>[2]>;

/** A journal that keeps back what was done to a message or a call of it until it is known whether that still stands. */
export interface StandingJournal {
  readonly journal: Journal;
  /** Tells the edits of what stands in these entries; of what is gone, the edit that took it away tells all. */
  readonly tell: (entries: readonly Entry[]) => void;
}

export function createStandingJournal(journal: Journal): StandingJournal {
  let kept: { readonly at: Spot; readonly finding: Finding; readonly change: Change }[] = [];
  return {
    journal: {
      ...journal,
      note(at, found, change) {
        if (change === undefined || change.type === "remove") {
          journal.note(at, found, change);
          return;
        }
        const finding = { ...found, from: `messages[${at.source.index}]${at.suffix}` };
        journal.report(finding, "left"); // until it is known whether it stands
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
      kept = []; // a list may be read in several pieces
    },
  };
}

/** The calls that stand, by the message that they were read from. */
function placesOf(entries: readonly Entry[]): ReadonlyMap<Source, ReadonlySet<number>> {
  const places = new Map<Source, ReadonlySet<number>>();
  for (const entry of entries) {
    if (entry.source === undefined) continue;
    const calls = entry.role === "assistant" ? entry.calls : [];
    places.set(entry.source, new Set(calls.map(({ place }) => place)));
  }
  return places;
}
