const number = String.raw`(?<![\d.,])(?:\d{1,3}(?:,\d{3}){1,4}|\d{1,20})(?:\.\d{1,20})?(?![\d.,]*\d)`;
const percent = String.raw`(?:(${number})\s{0,3}(?:%|％|percent\b|per cent\b)|百分之\s{0,3}(${number}))`;
const base = String.raw`(?:[€$£¥]\s{0,3})?(${number})(?!\s{0,3}(?:%|％|percent\b|per cent\b))`;
const gap = String.raw`\s{0,3}`;

/** What is told in percent, as a formula and as the number that it comes to. */
export interface Percentage {
  readonly said: string;
  readonly formula: string;
  readonly value: string;
}

type Share = readonly [formula: (rate: string, of: string) => string, value: (rate: number, of: number) => number];

const part: Share = [(rate, of) => `${of} * ${rate} / 100`, (rate, of) => (of * rate) / 100];
const more: Share = [(rate, of) => `${of} * (100 + ${rate}) / 100`, (rate, of) => (of * (100 + rate)) / 100];
const less: Share = [(rate, of) => `${of} * (100 - ${rate}) / 100`, (rate, of) => (of * (100 - rate)) / 100];

interface Rule {
  readonly pattern: RegExp;
  readonly share: Share;
  readonly isRateFirst: boolean;
}

const rateFirst = (words: string, share: Share): Rule => ({
  pattern: new RegExp(`${percent}${gap}${words}${gap}${base}`, "giu"),
  share,
  isRateFirst: true,
});
const baseFirst = (words: string, share: Share): Rule => ({
  pattern: new RegExp(`${base}${gap}(?:元|块)?${gap}${words}${gap}${percent}`, "giu"),
  share,
  isRateFirst: false,
});

const rules: readonly Rule[] = [
  rateFirst(String.raw`(?:off|discount on|discount off)(?:\s{1,3}of)?`, less),
  rateFirst(String.raw`(?:(?:tip|tax|interest|share|commission|vat)\s{1,3})?(?:of|on|from|的)`, part),
  baseFirst(String.raw`(?:plus|\+|加上?|增加|上涨)`, more),
  baseFirst(String.raw`(?:minus|less|-|减去?|减少|下降)`, less),
  baseFirst("的", part),
];

/** A text in which what is told in percent is a formula, and what was said in its place: "15% of 200" is 200 * 15 / 100. */
export function withoutPercentages(text: string): { readonly text: string; readonly found: readonly Percentage[] } {
  const found: Percentage[] = [];
  const plain = (figures: string): string => figures.replaceAll(",", "");
  const twice = [...rules, ...rules]; // half of ten percent of it
  const rest = twice.reduce(
    (before, { pattern, share: [formulaOf, valueOf], isRateFirst }) =>
      before.replaceAll(pattern, (said: string, ...groups: readonly (string | undefined)[]) => {
        const [one = "", two = "", three = ""] = groups;
        const rate = plain(isRateFirst ? one || two : two || three);
        const of = plain(isRateFirst ? three : one);
        const formula = formulaOf(rate, of);
        found.push({ said, formula, value: String(Number(valueOf(Number(rate), Number(of)).toPrecision(12))) });
        return formula;
      }),
    text,
  );
  return { text: rest, found };
}
