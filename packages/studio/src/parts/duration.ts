import type { Language } from "../texts/language.tsx";

/** Milliseconds in a unit, and how it is written. Chinese browsers write 分钟 between two units, where people write 分. */
const units = [
  { size: 86_400_000, en: "d", zh: "天" },
  { size: 3_600_000, en: "h", zh: "小时" },
  { size: 60_000, en: "min", zh: "分" },
  { size: 1_000, en: "s", zh: "秒" },
  { size: 1, en: "ms", zh: "毫秒" },
] as const;

/** A duration in at most two units: "604 ms", "1.2 s", "1 min 39 s", "1 h 59 min". Long waits and short calls are both exact enough. */
export function durationText(ms: number, language: Language): string {
  const written = (value: number, unit: (typeof units)[number]): string =>
    `${value.toLocaleString(language)} ${unit[language]}`;
  const [, , , second, millisecond] = units;
  if (ms < 999.5) return written(Math.round(ms), millisecond);
  if (ms < 59_950) return written(Math.round(ms / 100) / 10, second);
  const seconds = Math.round(ms / 1_000) * 1_000;
  const largest = units.findIndex(({ size }) => seconds >= size);
  const [big = second, small = millisecond] = units.slice(largest, largest + 2);
  const whole = Math.floor(seconds / big.size);
  const rest = Math.floor((seconds % big.size) / small.size);
  if (rest > 0) return `${written(whole, big)} ${written(rest, small)}`;
  // 分 alone is a point of time or of a score
  return language === "zh" && big.zh === "分" ? `${written(whole, big)}钟` : written(whole, big);
}
