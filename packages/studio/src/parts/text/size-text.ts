import type { Language } from "../../texts/language.tsx";

/** A number of bytes or characters, in the unit in which people read it. */
export function sizeText(size: number, language: Language): string {
  const [value, unit] =
    size < 1000
      ? ([size, "byte"] as const)
      : size < 1_000_000
        ? ([size / 1000, "kilobyte"] as const)
        : ([size / 1_000_000, "megabyte"] as const);
  const unitDisplay = unit === "byte" ? "long" : "short"; // the short form has no plural: "446 byte"
  const style = { style: "unit", unit, unitDisplay, maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(language, style).format(value);
}
