import type { Facts } from "../facts/facts.ts";
import { knownValue } from "../facts/known-values.ts";
import type { NumberFact } from "../facts/number-facts.ts";
import { latinWords, stemOf } from "../wishes/words.ts";
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
  const sure = [...sureIn(wish, parameter), ...around.flatMap((facts) => surelyAround(facts, parameter))];
  const found = [
    ...sure.filter(({ text }) => !used.has(text)).map((fact) => fact.value),
    ...(typeof value === "number" ? [value] : []),
    ...results.flatMap((facts) => moneyIn(facts, parameter)),
  ];
  const [first] = found;
  if (first === undefined) return undefined;
  const fitting = found.find((each) => fitsSchema(parameter.schema, each));
  used.add(String(fitting ?? first));
  if (fitting === undefined && sure.length === 0) return undefined; // nobody asked for it
  return { value: fitting ?? first, fits: fitting !== undefined };
}

/** A number of the wish that belongs to nothing else, where one is needed. */
export function likelyNumber({ schema, aspect }: Parameter, { wish, used }: Gathered): number | undefined {
  const free = wish.numbers.filter(({ label, text }) => !used.has(text) && (label === "" || aspect !== "money"));
  const found = [...free]
    .sort((one, other) => Number(one.label !== "") - Number(other.label !== ""))
    .find(({ value }) => fitsSchema(schema, value));
  if (found !== undefined) used.add(found.text);
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
  const isNamed = ({ around, label }: NumberFact): boolean =>
    latinWords(`${around} ${label}`).some((word) => stems.has(stemOf(word))) ||
    labels.some((each) => /\p{Script=Han}/u.test(each) && around.includes(each));
  const byName = numbers.filter(isNamed);
  if (aspect === "money") return [...byName, ...numbers.filter(({ isMoney }) => isMoney)];
  return aspect === "id" ? [...byName, ...numbers.filter(({ label }) => label !== "")] : byName;
}

/** Elsewhere in the message a number belongs to what it stands beside. */
const surelyAround = (facts: Facts, parameter: Parameter): readonly NumberFact[] =>
  parameter.aspect === "id" ? sureIn(facts, { ...parameter, aspect: "other" }) : sureIn(facts, parameter);

const moneyIn = ({ numbers }: Facts, { aspect }: Parameter): readonly number[] =>
  aspect === "money" ? numbers.filter(({ isMoney }) => isMoney).map(({ value }) => value) : [];
