/** A longer text in a field slows the page down. */
export const longestDraft = 200_000;

/** A number of bytes or characters, in the unit in which people read it. */
export function sizeText(size: number): string {
  if (size < 1000) return `${size} B`;
  return size < 1e6 ? `${Math.round(size / 1000)} kB` : `${(size / 1e6).toFixed(1)} MB`;
}
