/** What an endpoint makes of a history. */
export interface HistoryResponse extends Readonly<Record<string, unknown>> {
  readonly problems: readonly { readonly rule: string; readonly path: string }[];
  readonly edits?: readonly { readonly rule: string; readonly type: string }[];
  readonly losses?: readonly { readonly path: string; readonly what: string }[];
}

/** A body whose numbers JavaScript does not write as they are written: `12345678901234567890`, `1.0`, `1e999`. */
export interface MaskedBody {
  /** The body with placeholder numbers, which JavaScript preserves. */
  readonly body: unknown;
  /** Puts the numbers in the place of their placeholders, also inside strings. */
  readonly unmask: (text: string) => string;
  /** The numbers, and what JavaScript makes of them. */
  readonly numbers: readonly { readonly written: string; readonly read: string }[];
}

/** Masks the numbers of a body. Undefined if it has no such numbers. */
export function maskNumbers(text: string): MaskedBody | undefined {
  if (!mayChange.test(text)) return undefined;
  const prefix = unusedIn(text);
  const masks = new Map<string, string>();
  const written = new Map<string, string>();
  const body = parseWith(text, (_key, value, { source }) => {
    if (typeof value !== "number" || source === undefined || JSON.stringify(value) === source) return value;
    const mask = masks.get(source) ?? `${prefix}${String(masks.size).padStart(7, "0")}`;
    masks.set(source, mask);
    written.set(mask, source);
    return Number(mask);
  });
  if (masks.size === 0) return undefined;
  const isMask = new RegExp(`${prefix}\\d{7}`, "gu");
  return {
    body,
    unmask: (made) => made.replace(isMask, (mask) => written.get(mask) ?? mask),
    numbers: [...masks.keys()].map((each) => ({ written: each, read: JSON.stringify(Number(each)) })),
  };
}

/** True if a placeholder had no influence: a rule may depend on the value of a number. */
export function isSameWork(one: HistoryResponse, other: HistoryResponse): boolean {
  return workOf(one) === workOf(other);
}

const workOf = ({ edits = [], losses = [], problems }: HistoryResponse): string =>
  JSON.stringify([
    edits.map(({ rule, type }) => [rule, type]),
    losses.map(({ path }) => path),
    problems.map(({ rule, path }) => [rule, path]),
  ]);

/** Digits that may be rounded, a fraction, an exponent, or a negative zero. */
const mayChange = /\d{16}|\d\.\d|\d[eE][-+]?\d|-0/u;

/** Nine digits that the text does not contain. With seven more they form an integer that JavaScript preserves. */
function unusedIn(text: string): number {
  let digits = 700_000_003;
  while (text.includes(String(digits))) digits += 7919;
  return digits;
}

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

/** The types of TypeScript lack the third argument of a reviver, which every supported Node passes. */
const parseWith = JSON.parse as (text: string, reviver: Reviver) => unknown;
