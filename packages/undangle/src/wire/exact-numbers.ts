/** Numbers of a JSON text that JavaScript does not keep as they are written: `12345678901234567890`, `1e400`, `1.0`. */
export interface ExactNumbers {
  /** The text with others in their place, which it keeps. */
  readonly masked: string;
  /** What was made of that text, with the numbers as they were written, where it is otherwise what was made of the first. */
  readonly restore: (again: string, made: string) => string;
}

/** The way to keep the numbers of a text when it is written anew; undefined where none would be lost. */
export function exactNumbersIn(text: string): ExactNumbers | undefined {
  const masks = new Map<string, string>();
  const numbers = new Map<string, string>();
  const prefix = unusedIn(text);
  const masked = text.replace(number, (found, before: string, written: string) => {
    if (kept(written) === written) return found;
    const mask = masks.get(written) ?? `${prefix}${String(masks.size).padStart(7, "0")}`;
    masks.set(written, mask); // what is the same stays so
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

/** A number in JSON, also in JSON that stands in a text. */
const number = /([:,[](?:\s|\\[nrt])*)(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?=(?:\s|\\[nrt])*[,}\]])/gu;

/** A number as it is written when it was read. */
const kept = (written: string): string => JSON.stringify(Number(written));

const withKept = (text: string): string =>
  text.replace(number, (_, before: string, written: string) => before + kept(written));

/** A text with the ids of another one: those that were missing are made of what was sent. */
function withIdsOf(made: string, text: string): string {
  const [own, others] = [wordsOf(text), wordsOf(made)];
  const ids = new Map(own.map((id, i) => [id, others[i] ?? id] as const).filter(([id, other]) => id !== other));
  return ids.size === 0 ? text : text.replace(word, (id) => ids.get(id) ?? id);
}

const word = /[\w-]+/gu;

const wordsOf = (text: string): readonly string[] => withKept(text).match(word) ?? [];

/** Nine digits that a text does not have; with seven more they are a number that is kept. */
function unusedIn(text: string): number {
  let digits = 700_000_003;
  while (text.includes(String(digits))) digits += 7919;
  return digits;
}
