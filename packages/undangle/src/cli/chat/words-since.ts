import type { Entry } from "#engine";
import type { Store } from "#store";

/** The user messages of a thread from an entry on, and the index of the next entry. */
export async function wordsSince(
  store: Store,
  thread: string,
  first: number,
): Promise<{ readonly texts: readonly string[]; readonly next: number }> {
  const stored = await store.entries(thread, { from: first });
  const texts = stored.flatMap(({ value }) => wordsIn(value as Entry)); // the engine writes this type
  return { texts, next: first + stored.length };
}

function wordsIn(entry: Entry): readonly string[] {
  if (entry.type !== "input" || entry.by !== undefined) return [];
  return [entry.parts.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("")];
}
