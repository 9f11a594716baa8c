/** A day that a text names, and how. */
export interface SaidDate {
  readonly said: string;
  /** As 2026-05-03. */
  readonly date: string;
}

const day = 24 * 60 * 60 * 1000;

const relative: readonly (readonly [RegExp, number])[] = [
  [/day after tomorrow|后天/iu, 2],
  [/day before yesterday|前天/iu, -2],
  [/\btomorrow\b|明天|明日/iu, 1],
  [/\byesterday\b|昨天/iu, -1],
  [/\btoday\b|\btonight\b|今天|今晚|今日/iu, 0],
];

/** The days that a text names, in figures or as seen from today. */
export function datesIn(text: string, now: number): readonly SaidDate[] {
  const written = [
    ...text.matchAll(/(?<!\d)(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)/gu),
    ...text.matchAll(/(?<!\d)(\d{4})[/.](\d{1,2})[/.](\d{1,2})(?!\d)/gu),
    ...text.matchAll(/(\d{4})\s*年\s*(\d{1,2})\s*月\s*(\d{1,2})\s*[日号]/gu),
  ].flatMap(([said, year, month, date]) => dateOf(said, [year, month, date].map(Number)));
  const seen = relative.flatMap(([words, days]) => {
    const said = words.exec(text)?.[0];
    return said === undefined ? [] : [{ said, date: dayOf(now + days * day) }];
  });
  return [...written, ...seen];
}

/** The date of a time, in UTC: it is the same on every machine. */
export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

function dateOf(said: string, [year = 0, month = 0, date = 0]: readonly number[]): readonly SaidDate[] {
  const time = new Date(Date.UTC(year, month - 1, date));
  const isReal = time.getUTCMonth() === month - 1 && time.getUTCDate() === date;
  return isReal ? [{ said, date: dayOf(time.getTime()) }] : [];
}

/** The times of day that a text names, as 19:30. */
export function timesIn(text: string): readonly { readonly said: string; readonly time: string }[] {
  const found = [
    ...[...text.matchAll(/(?<![\d:])([01]?\d|2[0-3]):([0-5]\d)(?![\d:])\s*([ap]m\b)?/giu)].map(
      ([said, hours, minutes, half]) => ({ said, time: clock(Number(hours), Number(minutes), half) }),
    ),
    ...[...text.matchAll(/(?<!\d)(1[0-2]|[1-9])\s*([ap]m)\b/giu)].map(([said, hours, half]) => ({
      said,
      time: clock(Number(hours), 0, half),
    })),
    ...[...text.matchAll(/(上午|早上|中午|下午|晚上|今晚)?\s*(\d{1,2})\s*[点时](半|(\d{1,2})分)?/gu)].map(
      ([said, half, hours, part, minutes]) => ({
        said,
        time: clock(Number(hours), part === "半" ? 30 : Number(minutes ?? 0), half),
      }),
    ),
  ];
  return found.filter(({ time }) => /^(?:[01]\d|2[0-3]):[0-5]\d$/u.test(time));
}

function clock(hours: number, minutes: number, half = ""): string {
  const isLate = /pm|下午|晚上|今晚/iu.test(half) && hours < 12;
  const isMidnight = /am/iu.test(half) && hours === 12;
  const hour = isLate ? hours + 12 : isMidnight ? 0 : hours;
  return `${String(hour).padStart(2, "0")}:${String(minutes).padStart(2, "0")}`;
}
