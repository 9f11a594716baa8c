import { isRecord } from "../../parts/json-record.ts";
import { memberPath, ownValue, withoutNull } from "./schema-fields.ts";
import type { JsonSchema } from "./schema-fields.ts";

/** What is wrong with a value, for the texts of the card. */
export type Fault =
  | { readonly type: "missing" }
  /** `isRefused`: the schema permits no other keys. Otherwise the tool may ignore it. */
  | { readonly type: "unknown-key"; readonly isRefused: boolean }
  | { readonly type: "wrong-type"; readonly expected: readonly string[] }
  | { readonly type: "not-listed"; readonly allowed: readonly unknown[] }
  | { readonly type: "limit"; readonly limit: Limit; readonly bound: number }
  | { readonly type: "format"; readonly format: "date" | "date-time" }
  | { readonly type: "no-alternative" };

export type Limit =
  | "minimum"
  | "maximum"
  | "exclusiveMinimum"
  | "exclusiveMaximum"
  | "multipleOf"
  | "minLength"
  | "maxLength"
  | "minItems"
  | "maxItems";

interface ArgumentProblem {
  /** Where: `items[2].name`. Empty for the arguments as a whole. */
  readonly path: string;
  readonly fault: Fault;
}

/** True for a problem because of which the server refuses the arguments. */
export const isRefused = ({ fault }: ArgumentProblem): boolean => fault.type !== "unknown-key" || fault.isRefused;

const mostProblems = 20;

/**
 * Checks arguments while a person types. It finds the common problems; the server checks the whole schema. Patterns are
 * left to the server, because a pattern of an untrusted schema can occupy the page forever.
 */
export function checkArguments(schema: JsonSchema | undefined, value: unknown): readonly ArgumentProblem[] {
  const problems: ArgumentProblem[] = [];
  check({ schema, value, path: "", depth: 0 }, { root: schema, problems });
  return problems;
}

interface Place {
  readonly schema: unknown;
  readonly value: unknown;
  readonly path: string;
  readonly depth: number;
}

interface Checking {
  readonly root: JsonSchema | undefined;
  readonly problems: ArgumentProblem[];
}

function check({ schema: given, value, path, depth }: Place, checking: Checking): void {
  const { root, problems } = checking;
  if (problems.length >= mostProblems || depth > 30) return;
  const { schema, isNullable } = withoutNull(given, root);
  if (isNullable && value === null) return;
  const report = (fault: Fault): void => void problems.push({ path, fault });
  const types = (Array.isArray(schema["type"]) ? schema["type"] : [schema["type"]]).filter(
    (type) => typeof type === "string",
  );
  if (types.length > 0 && !types.some((type) => isOfType(value, type)))
    return report({ type: "wrong-type", expected: types });
  const { enum: listed, const: only } = schema;
  const allowed: readonly unknown[] | undefined = Array.isArray(listed)
    ? listed
    : only === undefined
      ? undefined
      : [only];
  if (allowed !== undefined && !allowed.some((each) => isEqual(each, value)))
    return report({ type: "not-listed", allowed });
  const { format } = schema;
  if ((format === "date" || format === "date-time") && typeof value === "string" && !formats[format](value))
    report({ type: "format", format });
  for (const [limit, isBroken] of limits) {
    const bound = schema[limit];
    if (typeof bound === "number" && isBroken(value, bound)) report({ type: "limit", limit, bound });
  }
  if (isRecord(value)) checkKeys({ schema, value, path, depth }, checking);
  if (Array.isArray(value) && isRecord(schema["items"]))
    value.forEach((item: unknown, i) =>
      check({ schema: schema["items"], value: item, path: `${path}[${i}]`, depth: depth + 1 }, checking),
    );
  checkAlternatives({ schema, value, path, depth }, checking);
}

function checkKeys({ schema: given, value, path, depth }: Place, checking: Checking): void {
  if (!isRecord(given) || !isRecord(value)) return;
  const { properties, required, additionalProperties: others, patternProperties } = given;
  const named = isRecord(properties) ? properties : {};
  const placeOf = (key: string): string => memberPath(path, key);
  for (const key of Array.isArray(required) ? required : [])
    if (typeof key === "string" && ownValue(value, key) === undefined)
      checking.problems.push({ path: placeOf(key), fault: { type: "missing" } });
  for (const [key, each] of Object.entries(value)) {
    if (checking.problems.length >= mostProblems) return;
    if (each === undefined) continue;
    if (Object.hasOwn(named, key))
      check({ schema: named[key], value: each, path: placeOf(key), depth: depth + 1 }, checking);
    else if (isRecord(others)) check({ schema: others, value: each, path: placeOf(key), depth: depth + 1 }, checking);
    else if (others !== true && isRecord(properties) && patternProperties === undefined)
      checking.problems.push({ path: placeOf(key), fault: { type: "unknown-key", isRefused: others === false } });
  }
}

function checkAlternatives({ schema, value, path, depth }: Place, { root, problems }: Checking): void {
  if (!isRecord(schema)) return;
  const problemsWith = (each: unknown): readonly ArgumentProblem[] => {
    const found: ArgumentProblem[] = [];
    check({ schema: each, value, path, depth: depth + 1 }, { root, problems: found });
    return found.filter(isRefused); // a key that is unknown here may be named elsewhere
  };
  const isRight = (each: unknown): boolean => problemsWith(each).length === 0;
  for (const choice of [schema["anyOf"], schema["oneOf"]])
    if (Array.isArray(choice) && !choice.some(isRight)) problems.push({ path, fault: { type: "no-alternative" } });
  const { allOf } = schema;
  for (const each of Array.isArray(allOf) ? allOf : []) problems.push(...problemsWith(each));
}

function isOfType(value: unknown, type: string): boolean {
  if (type === "integer") return Number.isInteger(value);
  if (type === "array") return Array.isArray(value);
  if (type === "null") return value === null;
  return type === "object" ? isRecord(value) : typeof value === type;
}

/** The same as on the server: a time needs seconds and a time zone. */
const formats = {
  date: (text: string) => isDay(text),
  "date-time": (text: string) =>
    isDay(text.slice(0, 10)) && /^[t\s]\d\d:\d\d:\d\d(?:\.\d+)?(?:z|[+-]\d\d:\d\d)$/iu.test(text.slice(10)),
} as const;

/** True for a day of the calendar, which 30 February is not. */
function isDay(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/u.test(text) ? Date.parse(`${text}T00:00:00Z`) : NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

const ofNumber = (isBroken: (value: number, bound: number) => boolean) => (value: unknown, bound: number) =>
  typeof value === "number" && isBroken(value, bound);
const ofText = (isBroken: (length: number, bound: number) => boolean) => (value: unknown, bound: number) =>
  typeof value === "string" && isBroken(Array.from(value).length, bound);
const ofList = (isBroken: (length: number, bound: number) => boolean) => (value: unknown, bound: number) =>
  Array.isArray(value) && isBroken(value.length, bound);

/** Decimal fractions are not exact in binary. What is lost grows with the quotient. */
function isNoMultiple(value: number, bound: number): boolean {
  const quotient = value / bound;
  return Math.abs(quotient - Math.round(quotient)) > Math.max(1e-9, Math.abs(quotient) * 4 * Number.EPSILON);
}

const limits: readonly (readonly [Limit, (value: unknown, bound: number) => boolean])[] = [
  ["minimum", ofNumber((value, bound) => value < bound)],
  ["maximum", ofNumber((value, bound) => value > bound)],
  ["exclusiveMinimum", ofNumber((value, bound) => value <= bound)],
  ["exclusiveMaximum", ofNumber((value, bound) => value >= bound)],
  ["multipleOf", ofNumber(isNoMultiple)],
  ["minLength", ofText((length, bound) => length < bound)],
  ["maxLength", ofText((length, bound) => length > bound)],
  ["minItems", ofList((length, bound) => length < bound)],
  ["maxItems", ofList((length, bound) => length > bound)],
];

/** True for equal JSON values. */
export const isEqual = (one: unknown, other: unknown): boolean =>
  one === other || (typeof one === "object" && typeof other === "object" && canonical(one) === canonical(other));

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, each: unknown) =>
    isRecord(each) ? Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1))) : each,
  );
