import { wordsForChoice } from "../facts/choice-words.ts";
import { currenciesIn, isCurrency } from "../facts/currencies.ts";
import { knownValue } from "../facts/known-values.ts";
import { remembered } from "./earlier.ts";
import type { Filler, Wanted } from "./filler.ts";
import { roleBefore, roleOf } from "./parameter.ts";
import type { Role } from "./parameter.ts";
import type { Schema } from "./read-schema.ts";

/** A value of a list: the one that the wish names, one of before, the default, or the first. */
export function fillChoice(values: readonly unknown[], schema: Schema, filler: Filler, wanted: Wanted): unknown {
  const { name, root, isRequired } = wanted;
  const { wish, around, known, spent } = filler.gathered;
  const role = roleOf(name);
  const said = placesOf(values, wish.text);
  const named =
    chosen(
      said.filter(({ at }) => !spent.has(at)),
      role,
      wish.text,
    ) ?? (role === undefined ? said[0] : undefined);
  if (named !== undefined) {
    spent.add(named.at);
    return named.value;
  }
  for (const { text } of around) {
    const elsewhere = chosen(placesOf(values, text), role, text);
    if (elsewhere !== undefined) return elsewhere.value;
  }
  const foreign = foreignCurrency(values, wish.text);
  if (foreign !== undefined) {
    filler.failed ??= { name: root, said: foreign }; // another currency is not what was asked for
    return undefined;
  }
  const value = knownValue(known, name);
  if (value !== undefined && values.includes(value)) return value;
  if (!isRequired) return undefined;
  const before = remembered(filler, wanted, (each) => values.includes(each));
  if (before !== undefined) return before;
  if ("default" in schema) return schema["default"];
  if (values.length > 1) filler.madeUp.add(root);
  return role === "to" ? (values[1] ?? values[0]) : values[0];
}

/** Where a text names a choice. */
interface NamedChoice {
  readonly value: unknown;
  readonly at: number;
  readonly length: number;
  /** How little is said for it: the choice itself comes before other words for it. */
  readonly rank: number;
}

/** The choices that a text names, in its order; of two in one place the longer one is meant. */
function placesOf(values: readonly unknown[], text: string): readonly NamedChoice[] {
  const found = values
    .slice(0, mostValues)
    .flatMap((value) => (typeof value === "string" || typeof value === "number" ? placesOfOne(value, text) : []));
  const isInside = (one: NamedChoice, other: NamedChoice): boolean =>
    one.length < other.length && one.at >= other.at && one.at + one.length <= other.at + other.length;
  return found
    .filter((one) => !found.some((other) => isInside(one, other)))
    .sort((one, other) => one.at - other.at || one.rank - other.rank);
}

const mostValues = 200;

function placesOfOne(value: string | number, text: string): readonly NamedChoice[] {
  if (typeof value === "string" && isCurrency(value)) {
    return currenciesIn(text).flatMap(({ code, ...place }) =>
      code === value.toUpperCase() ? [{ value, ...place, rank: 0 }] : [],
    );
  }
  return wordsForChoice(String(value)).flatMap((word, rank) => {
    const pattern = patternOf(word);
    const found = pattern === undefined ? [] : [...text.matchAll(pattern)].slice(0, 20);
    return found.map(({ index: at, 0: said }) => ({ value, at, length: said.length, rank: Math.min(rank, 1) }));
  });
}

/** A word in whatever way it is joined; what a single Chinese character means depends on those beside it. */
function patternOf(word: string): RegExp | undefined {
  if (word === "") return undefined;
  const bare = word.replaceAll(/[$()*+.?[\\\]^{|}]/gu, String.raw`\$&`).replaceAll(" ", "[ _-]?");
  if (!/\p{Script=Han}/u.test(word)) return new RegExp(`(?<![\\w])${bare}(?![\\w])`, "giu");
  return new RegExp(otherMeanings[word] ?? bare, "gu");
}

const otherMeanings: Readonly<Record<string, string>> = {
  开: "(?<![离公展召])开(?!始|会|车|发|心|户|门见)",
  关: "关(?!于|系|注|心|键|税|联)",
  高: "高(?=优先|级|$|[，。])",
  低: "低(?=优先|级|$|[，。])",
};

/** The one that the words before it lead to; "to CNY" is not where one comes from. */
function chosen(places: readonly NamedChoice[], role: Role | undefined, text: string): NamedChoice | undefined {
  if (role === undefined) return places[0];
  const ledTo = places.find(({ at }) => roleBefore(text, at) === role);
  return ledTo ?? places.find(({ at }) => roleBefore(text, at) === undefined);
}

/** A currency that a text names and that is none of the choices, where these are currencies. */
const foreignCurrency = (values: readonly unknown[], text: string): string | undefined =>
  values.some((value) => typeof value === "string" && isCurrency(value))
    ? currenciesIn(text).find(({ code }) => !values.some((value) => String(value).toUpperCase() === code))?.code
    : undefined;
