/** A longer text in a field slows the page down: it stays outside the field. In characters. */
export const longestDraft = 200_000;
