import { chineseDigits, smallNumber } from "./chinese-numerals.ts";

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
  return [...written, ...seen, ...weekdaysIn(text, now)];
}

const weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

/** A day of the week is the next one of its name; in Chinese one of next week may be told. */
function weekdaysIn(text: string, now: number): readonly SaidDate[] {
  const today = new Date(now).getUTCDay();
  const english = [...text.matchAll(/\b(?:(?:sun|mon|tues|wednes|thurs|fri|satur)day)\b/giu)].map(([said]) => {
    const ahead = (weekdays.indexOf(said.toLowerCase()) - today + 7) % 7;
    return { said, date: dayOf(now + (ahead === 0 ? 7 : ahead) * day) };
  });
  const chinese = [...text.matchAll(/(下个?)?(?:周|星期|礼拜)([一二三四五六日天])/gu)].map(
    ([said, next, name = ""]) => {
      const wanted = "一二三四五六日".indexOf(name.replace("天", "日"));
      const ahead = wanted - ((today + 6) % 7);
      return { said, date: dayOf(now + (next === undefined ? (ahead + 7) % 7 : ahead + 7) * day) };
    },
  );
  return [...english, ...chinese];
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
    ...[...text.matchAll(/(?<!\d)(1[0-2]|[1-9]) o'?clock\b/giu)].map(([said, hours]) => ({
      said,
      time: clock(Number(hours), 0),
    })),
    ...[...text.matchAll(/\b(?:noon|midday|midnight)\b/giu)].map(([said]) => ({
      said,
      time: said.toLowerCase() === "midnight" ? "00:00" : "12:00",
    })),
    ...[...text.matchAll(chineseTimes)].flatMap(([said, half, hours = "", part, minutes = "0"]) => {
      const isAmount = hours === "一" && half === undefined && !/[钟整半刻分]/u.test(said); // a little
      const past = part === "半" ? 30 : part === "一刻" ? 15 : part === "三刻" ? 45 : smallNumber(minutes);
      return isAmount ? [] : [{ said, time: clock(smallNumber(hours), past, half) }];
    }),
  ];
  return found.filter(({ time }) => /^(?:[01]\d|2[0-3]):[0-5]\d$/u.test(time));
}

const chineseTimes = new RegExp(
  `(凌晨|清晨|早上|早晨|上午|中午|下午|傍晚|晚上|今晚|夜里)?\\s*(\\d{1,2}|[${chineseDigits}]{1,3})\\s*(?:点钟?|(?<=\\d\\s*)时)整?(半|一刻|三刻|(\\d{1,2}|[${chineseDigits}]{1,3})分)?(?!建议|意见|要求|原因|理由)`,
  "gu",
);

function clock(hours: number, minutes: number, half = ""): string {
  const isLate = (/pm|下午|晚上|今晚|傍晚/iu.test(half) && hours < 12) || (half === "中午" && hours < 6);
  const isMidnight = /am|凌晨|夜里/iu.test(half) && hours === 12;
  const hour = isLate ? hours + 12 : isMidnight ? 0 : hours;
  return `${String(hour).padStart(2, "0")}:${String(minutes).padStart(2, "0")}`;
}
