import type { Entry } from "#core";

/** The number of entries from an index that form their original message. 0 if the message cannot be reused. */
export function wholeMessage(entries: readonly Entry[], start: number): number {
  const source = entries[start]?.source;
  if (source === undefined || entries[start - 1]?.source === source) return 0; // the first of its entries decides
  for (let k = 0; k < source.entries; k++) {
    const entry = entries[start + k];
    if (entry?.source !== source || entry.fresh || entry.content !== undefined) return 0;
    if (entry.role === "result" && entry.regrouped) return 0;
  }
  return entries[start + source.entries]?.source === source ? 0 : source.entries;
}

/** Records that an entry is written unchanged, in the message with this index. */
export function keepEntry(entry: Entry | undefined, at: number): void {
  if (entry === undefined) return;
  entry.at = at;
  if (entry.source !== undefined) entry.source.at = at;
  if (entry.role === "result") entry.slot = entry.place;
}
