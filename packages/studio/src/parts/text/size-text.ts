import type { Language } from "../../texts/language.tsx";

/** A longer text in a field slows the page down. */
export const longestDraft = 200_000;

/** A number of bytes or characters, in the unit in which people read it. */
export function sizeText(size: number, language: Language): string {
  const [value, unit] =
    size < 1000
      ? ([size, "byte"] as const)
      : size < 1_000_000
        ? ([size / 1000, "kilobyte"] as const)
        : ([size / 1_000_000, "megabyte"] as const);
  const style = { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(language, style).format(value);
}
