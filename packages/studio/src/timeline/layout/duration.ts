import type { Language } from "../../texts/language.tsx";

const units = [
  { unit: "day", size: 86_400_000 },
  { unit: "hour", size: 3_600_000 },
  { unit: "minute", size: 60_000 },
  { unit: "second", size: 1_000 },
] as const;

const text = (value: number, unit: string, language: Language): string =>
  new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "narrow" }).format(value);

/** A duration in at most two units: "350ms", "2.4s", "1h 59m". Waits of hours and calls of milliseconds are both exact enough. */
export function exactDuration(ms: number, language: Language): string {
  if (ms < 999.5) return text(Math.round(ms), "millisecond", language);
  if (ms < 59_950) return text(Math.round(ms / 100) / 10, "second", language);
  const seconds = Math.round(ms / 1_000) * 1_000;
  const largest = units.findIndex(({ size }) => seconds >= size);
  const [big, small] = units.slice(largest, largest + 2);
  if (big === undefined || small === undefined) return text(seconds / 1_000, "second", language);
  const rest = Math.floor((seconds % big.size) / small.size);
  const whole = text(Math.floor(seconds / big.size), big.unit, language);
  return rest === 0 ? whole : `${whole} ${text(rest, small.unit, language)}`;
}
