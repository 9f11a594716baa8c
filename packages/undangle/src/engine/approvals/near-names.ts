/** True for names that differ only in case, white space and punctuation: `rm`, `RM`, `r.m`. */
export const isNearly = (one: string, other: string): boolean => letters(one) === letters(other);

const letters = (name: string): string =>
  name
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, "");
