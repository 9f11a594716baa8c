/** The currencies that are known by name, by their codes. */
const currencies: readonly (readonly [code: string, pattern: RegExp])[] = [
  ["EUR", /€|\beuros?\b|\beur\b|欧元/giu],
  ["USD", /\$|\b(?:us )?dollars?\b|\busd\b|美元|美金/giu],
  ["GBP", /£|\bpounds?\b|\bgbp\b|英镑/giu],
  ["JPY", /\byen\b|\bjpy\b|日元/giu],
  ["CNY", /¥|\byuan\b|\brmb\b|\bcny\b|人民币|(?<![欧美日韩])元|块钱/giu],
];

const most = 20;

/** A currency and where a text names it. */
export interface SaidCurrency {
  readonly code: string;
  readonly at: number;
  readonly length: number;
}

/** The currencies that a text names, in its order. */
export const currenciesIn = (text: string): readonly SaidCurrency[] =>
  currencies
    .flatMap(([code, pattern]) =>
      [...text.matchAll(pattern)].slice(0, most).map(({ index: at, 0: said }) => ({ code, at, length: said.length })),
    )
    .sort((one, other) => one.at - other.at);

/** Whether a text is the code of a currency that is known by name. */
export const isCurrency = (text: string): boolean => currencies.some(([code]) => code === text.toUpperCase());
