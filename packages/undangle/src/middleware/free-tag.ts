/**
 * A tag that a text does not contain, so that the text can be inserted as it is and cannot close the tag: `name`, or
 * `name_2`, `name_3` and so on. The same text gives the same tag.
 */
export function freeTag(name: string, text: string): string {
  const found = [...text.matchAll(new RegExp(`${name}(?:_(\\d+))?`, "giu"))];
  if (found.length === 0) return name;
  const taken = new Set(found.map(([, number]) => Number(number ?? 1)));
  let free = 2;
  while (taken.has(free)) free++;
  return `${name}_${free}`;
}
