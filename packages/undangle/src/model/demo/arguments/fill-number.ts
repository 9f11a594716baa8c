import type { Facts } from "../facts/facts.ts";
import { knownValue } from "../facts/known-values.ts";
import type { NumberFact } from "../facts/number-facts.ts";
import { kindOf } from "../wishes/lexicon.ts";
import { conceptOf, latinWords, stemOf, wordsOf } from "../wishes/words.ts";
import { fitsSchema } from "./fits-schema.ts";
import type { Gathered } from "./gathered.ts";
import type { Parameter } from "./parameter.ts";
import type { Schema } from "./read-schema.ts";

/** A number that somebody said for an argument; one that does not fit is not replaced by another. */
export interface SaidNumber {
  readonly value: number;
  readonly fits: boolean;
}

/** The number that is meant; undefined when nobody said one. */
export function saidNumber(parameter: Parameter, gathered: Gathered): SaidNumber | undefined {
  const { wish, around, results, known, used } = gathered;
  const value = knownValue(known, parameter.name);
  const own = sureIn(wish, parameter).filter((fact) => isFree(fact, gathered));
  const isTold = wish.numbers.some((fact) => fact.label === "" && isFree(fact, gathered)); // what is said now counts more
  const others = around.flatMap((facts) => surelyAround(facts, parameter)).filter(({ text }) => !used.has(text));
  const found: readonly { readonly value: number; readonly fact?: NumberFact }[] = [
    ...own.map((fact) => ({ value: inUnit(fact, parameter), fact })),
    ...others.map((fact) => ({ value: inUnit(fact, parameter) })),
    ...(typeof value === "number" && !isTold ? [{ value }] : []),
    ...results.flatMap((facts) => moneyIn(facts, parameter)).map((each) => ({ value: each })),
  ];
  const [first] = found;
  if (first === undefined) return undefined;
  const fitting = found.find((each) => fitsSchema(parameter.schema, each.value));
  const { value: taken, fact } = fitting ?? first;
  if (fact === undefined) used.add(String(taken));
  else spend(fact, gathered);
  if (fitting === undefined && own.length + others.length === 0) return undefined; // nobody asked for it
  return { value: taken, fits: fitting !== undefined };
}

/** Each number of the wish is one argument; the same number may be said for two. */
const isFree = ({ at, text }: NumberFact, { wish, used, spent }: Gathered): boolean =>
  !spent.has(at) && (!used.has(text) || wish.numbers.some((other) => other.text === text && spent.has(other.at)));

function spend({ at, text }: NumberFact, { used, spent }: Gathered): void {
  spent.add(at);
  used.add(text);
}

/** A number of the wish that belongs to nothing else, where one is needed. */
export function likelyNumber({ schema, aspect }: Parameter, gathered: Gathered): number | undefined {
  const free = gathered.wish.numbers.filter(
    (fact) => isFree(fact, gathered) && (fact.label === "" || aspect !== "money"),
  );
  const found = [...free]
    .sort((one, other) => Number(one.label !== "") - Number(other.label !== ""))
    .find(({ value }) => fitsSchema(schema, value));
  if (found !== undefined) spend(found, gathered);
  return found?.value;
}

/** The smallest harmless number that a schema takes. */
export function sampleNumber(schema: Schema): number | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const numbers = [minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf].filter(
    (each) => typeof each === "number",
  );
  const step = typeof multipleOf === "number" && multipleOf > 0 ? multipleOf : 1;
  const near = numbers.flatMap((each) => {
    const up = Math.ceil(each / step) * step;
    const down = Math.floor(each / step) * step;
    return [each, up, down, up + step, down - step, each + step / 2, each - step / 2];
  });
  const middle = numbers.length > 1 ? [(Math.min(...numbers) + Math.max(...numbers)) / 2] : [];
  return [1, 0, step, ...near, ...middle].find((each) => fitsSchema(schema, each));
}

/** Numbers that the words beside them, or a sign of money, give to this argument. */
function sureIn({ numbers }: Facts, { aspect, stems, labels }: Parameter): readonly NumberFact[] {
  const things = new Set([...stems].map(conceptOf).filter((each) => each !== undefined && kindOf(each) === "thing"));
  const isNamed = ({ around, label }: NumberFact): boolean =>
    latinWords(`${around} ${label}`).some((word) => stems.has(stemOf(word))) ||
    labels.some((each) => /\p{Script=Han}/u.test(each) && around.includes(each)) ||
    [...wordsOf(label).concepts].some((each) => things.has(each)); // 发票 12, for an argument that is called invoice
  const byName = numbers.filter((fact) => isNamed(fact) || isOtherUnit(fact, stems));
  if (aspect === "money") return [...byName, ...numbers.filter(({ isMoney }) => isMoney)];
  return aspect === "id" ? [...byName, ...numbers.filter(({ label }) => label !== "")] : byName;
}

const units = { second: 1, minute: 60, hour: 3600, day: 86_400 } as const;
const unitWords: Readonly<Record<keyof typeof units, RegExp>> = {
  second: /\bsec(?:ond)?s?\b|秒/iu,
  minute: /\bmin(?:ute)?s?\b|分钟/iu,
  hour: /\bh(?:ou)?rs?\b|小时/iu,
  day: /\bdays?\b|天/iu,
};
const unitNames = Object.keys(units) as readonly (keyof typeof units)[]; // its own keys

const unitOf = (stems: ReadonlySet<string>): keyof typeof units | undefined =>
  unitNames.find((name) => stems.has(stemOf(name)));

const saidUnit = ({ around }: NumberFact): keyof typeof units | undefined =>
  unitNames.find((name) => unitWords[name].test(around));

/** A time that is said in hours where it is asked for in minutes. */
const isOtherUnit = (fact: NumberFact, stems: ReadonlySet<string>): boolean =>
  unitOf(stems) !== undefined && saidUnit(fact) !== undefined;

function inUnit(fact: NumberFact, { stems }: Parameter): number {
  const [wanted, said] = [unitOf(stems), saidUnit(fact)];
  return wanted === undefined || said === undefined ? fact.value : (fact.value * units[said]) / units[wanted];
}

/** Elsewhere in the message a number belongs to what it stands beside. */
const surelyAround = (facts: Facts, parameter: Parameter): readonly NumberFact[] =>
  parameter.aspect === "id" ? sureIn(facts, { ...parameter, aspect: "other" }) : sureIn(facts, parameter);

const moneyIn = ({ numbers }: Facts, { aspect }: Parameter): readonly number[] =>
  aspect === "money" ? numbers.filter(({ isMoney }) => isMoney).map(({ value }) => value) : [];
