/** Numbers in a JSON text that JavaScript does not preserve: `12345678901234567890`, `1e400`, `1.0`. */
export interface NumberLiterals {
  /** The text with placeholder numbers, which JavaScript preserves. */
  readonly masked: string;
  /** Puts the literals into the output made from `masked`. Gives `made` if the two outputs differ in anything else. */
  readonly restore: (again: string, made: string) => string;
}

/** The number literals of a text that a rewrite would change. Undefined if there are none. */
export function numberLiteralsIn(text: string): NumberLiterals | undefined {
  const masks = new Map<string, string>();
  const numbers = new Map<string, string>();
  const prefix = unusedIn(text);
  const masked = text.replace(number, (found, before: string, written: string) => {
    if (kept(written) === written) return found;
    const mask = masks.get(written) ?? `${prefix}${String(masks.size).padStart(7, "0")}`;
    masks.set(written, mask); // equal literals get equal placeholders
    numbers.set(mask, written);
    return before + mask;
  });
  if (masks.size === 0) return undefined;
  const isMask = new RegExp(`${prefix}\\d{7}`, "gu");
  return {
    masked,
    restore(again, made) {
      const exact = withIdsOf(
        made,
        again.replace(isMask, (mask) => numbers.get(mask) ?? mask),
      );
      return withKept(exact) === withKept(made) ? exact : made;
    },
  };
}

/** A number in JSON, also in JSON inside a string. */
const number = /([:,[](?:\s|\\[nrt])*)(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?=(?:\s|\\[nrt])*[,}\]])/gu;

/** A number as JavaScript writes it. */
const kept = (written: string): string => JSON.stringify(Number(written));

const withKept = (text: string): string =>
  text.replace(number, (_, before: string, written: string) => before + kept(written));

/** A text with the ids of another output: generated ids depend on the input text. */
function withIdsOf(made: string, text: string): string {
  const [own, others] = [wordsOf(text), wordsOf(made)];
  const ids = new Map(own.map((id, i) => [id, others[i] ?? id] as const).filter(([id, other]) => id !== other));
  return ids.size === 0 ? text : text.replace(word, (id) => ids.get(id) ?? id);
}

const word = /[\w-]+/gu;

const wordsOf = (text: string): readonly string[] => withKept(text).match(word) ?? [];

/** Nine digits that the text does not contain. With seven more they form an integer that JavaScript preserves. */
function unusedIn(text: string): number {
  let digits = 700_000_003;
  while (text.includes(String(digits))) digits += 7919;
  return digits;
}
