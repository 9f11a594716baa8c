/** True for names that differ in case, blanks and punctuation only: `rm`, `RM`, `r.m`. */
export const isNearly = (one: string, other: string): boolean => letters(one) === letters(other);

const letters = (name: string): string =>
  name
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, "");
