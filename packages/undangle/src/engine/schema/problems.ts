import type { OutputUnit, Schema } from "@cfworker/json-schema";
import { isRecord } from "#core";

import { shorten, writePath } from "./path.ts";
import { firstProblems } from "./validation.ts";

/** What the errors of the validator speak of. */
export interface Checked {
  readonly schema: Schema;
  /** The schemas by their address, for references. */
  readonly lookup: Readonly<Record<string, Schema | boolean>>;
  readonly args: unknown;
}

/** The errors of the validator as sentences that say what has to be where, and what is there. */
export function problemsOf(errors: readonly OutputUnit[], checked: Checked): readonly string[] {
  const told = firstProblems(sentencesOf(errors, checked));
  return told.length > 0
    ? told
    : firstProblems(errors.map(({ instanceLocation, error }) => raw(instanceLocation, error)));
}

const raw = (instanceLocation: string, error: string): string => `${nameOf(keysOf(instanceLocation))}: ${error}`;

/** One after the other: of many errors only the first are ever put into words. */
function* sentencesOf(errors: readonly OutputUnit[], checked: Checked): Generator<string> {
  for (let at = 0; at < errors.length; at++) {
    const unit = errors[at];
    if (unit === undefined) break;
    if (unit.keyword === "anyOf" || unit.keyword === "oneOf") {
      const below = errorsBelow(errors, at);
      yield alternatives(unit, below, checked);
      at += below.length;
    } else if (!wrappers.has(unit.keyword)) yield* sentencesFor(unit, errors[at - 1], checked);
  }
}

/** Errors that only say that others follow, which say more. */
const wrappers: ReadonlySet<string> = new Set([
  "$ref",
  "$recursiveRef",
  "allOf",
  "if",
  "properties",
  "patternProperties",
  "additionalProperties",
  "unevaluatedProperties",
  "propertyNames",
  "dependentSchemas",
  "items",
  "prefixItems",
  "additionalItems",
  "unevaluatedItems",
]);

/** The errors of the alternatives of a choice stand right behind it. */
function errorsBelow(errors: readonly OutputUnit[], at: number): readonly OutputUnit[] {
  const start = `${errors[at]?.keywordLocation ?? ""}/`;
  let end = at + 1;
  for (; end < errors.length; end++) {
    const { keyword = "", keywordLocation = "" } = errors[end] ?? {};
    if (keyword !== "false" && !keywordLocation.startsWith(start)) break; // that of `false` has no place of its own
  }
  return errors.slice(at + 1, end);
}

/** One sentence for a choice: the types that it offers where that is all that it asks for, else what each asks for. */
function alternatives(unit: OutputUnit, below: readonly OutputUnit[], checked: Checked): string {
  const { value, keys } = place(unit, checked);
  if (below.length === 0) return `${nameOf(keys)} must fit exactly one of its allowed forms, but it fits several`;
  const isOfType = below.every(
    ({ keyword, instanceLocation }) => keyword === "type" && instanceLocation === unit.instanceLocation,
  );
  if (isOfType) {
    const types = below.flatMap((each) => typesIn(place(each, checked).expected));
    return `${nameOf(keys)} must be ${orList(types.map(typeName))}, but it is ${typeOf(value)}`;
  }
  const groups = new Map<string, OutputUnit[]>();
  for (const each of below) {
    const group =
      /^\/\d+/u.exec(each.keywordLocation.slice(unit.keywordLocation.length))?.[0] ?? [...groups.keys()].at(-1) ?? "";
    const known = groups.get(group);
    if (known === undefined) groups.set(group, [each]);
    else known.push(each);
  }
  const reasons = [...groups.values()].flatMap((group) => [...sentencesOf(group, checked).take(1)]);
  return `${nameOf(keys)} fits none of its allowed forms: ${[...new Set(reasons)].slice(0, 4).join("; or ")}`;
}

interface Place {
  readonly keys: readonly PropertyKey[];
  readonly value: unknown;
  /** What the keyword says. */
  readonly expected: unknown;
}

function place({ instanceLocation, keywordLocation }: OutputUnit, { schema, lookup, args }: Checked): Place {
  const keys = keysOf(instanceLocation, args);
  const value = keys.reduce<unknown>((holder, key) => childOf(holder, String(key)), args);
  let expected: unknown = schema;
  for (const key of keysOf(keywordLocation)) {
    const isReference = key === "$ref" && isRecord(expected);
    // The address stands where the enumeration of keys does not find it.
    expected = isReference ? lookup[String((expected as Schema).__absolute_ref__)] : childOf(expected, String(key));
  }
  return { keys, value, expected };
}

const childOf = (holder: unknown, key: string): unknown =>
  typeof holder === "object" && holder !== null ? (holder as Readonly<Record<string, unknown>>)[key] : undefined; // an array is one too

/** The keys in a pointer; those of arrays are numbers when the value is at hand. */
function keysOf(pointer: string, root?: unknown): readonly PropertyKey[] {
  let holder = root;
  return pointer
    .split("/")
    .slice(1)
    .map((part) => {
      const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
      const isIndex = Array.isArray(holder);
      holder = childOf(holder, key);
      return isIndex ? Number(key) : key;
    });
}

const nameOf = (keys: readonly PropertyKey[]): string =>
  keys.length === 0 ? "The arguments" : `\`${writePath(keys)}\``;

function sentencesFor(unit: OutputUnit, before: OutputUnit | undefined, checked: Checked): readonly string[] {
  const found = place(unit, checked);
  const name = nameOf(found.keys);
  if (unit.keyword === "required") {
    const names = Array.isArray(found.expected) ? found.expected.map(String) : [];
    const missing = names.filter((key) => isRecord(found.value) && !Object.hasOwn(found.value, key));
    return missing.map((key) => `${nameOf([...found.keys, key])} is missing`);
  }
  if (unit.keyword === "false") {
    const holder = before?.keyword === "additionalProperties" ? schemaAbove(before, checked) : undefined;
    const known = isRecord(holder) && isRecord(holder["properties"]) ? Object.keys(holder["properties"]) : undefined;
    return [`${name} is not allowed${known === undefined ? "" : `; ${knownNames(known)}`}`];
  }
  const say = words[unit.keyword];
  return [say === undefined ? raw(unit.instanceLocation, unit.error) : `${name} ${say(found)}`];
}

const schemaAbove = (unit: OutputUnit, checked: Checked): unknown =>
  place({ ...unit, keywordLocation: unit.keywordLocation.slice(0, unit.keywordLocation.lastIndexOf("/")) }, checked)
    .expected;

const knownNames = (names: readonly string[]): string =>
  names.length === 0
    ? "there are no properties here"
    : `allowed are ${names
        .slice(0, 20)
        .map((key) => nameOf([key]))
        .join(", ")}`;

type Words = (found: Place) => string;

const length = (value: unknown): number => (typeof value === "string" ? Array.from(value).length : 0);
const count = (value: unknown): number => (Array.isArray(value) ? value.length : 0);
const size = (value: unknown): number => (isRecord(value) ? Object.keys(value).length : 0);

const words: Readonly<Record<string, Words>> = {
  type: ({ expected, value }) => `must be ${orList(typesIn(expected).map(typeName))}, but it is ${typeOf(value)}`,
  const: ({ expected, value }) => `must be ${show(expected)}, but it is ${show(value)}`,
  enum: ({ expected, value }) => `must be ${orList(valuesIn(expected))}, but it is ${show(value)}`,
  minimum: ({ expected, value }) => `must be at least ${show(expected)}, but it is ${show(value)}`,
  maximum: ({ expected, value }) => `must be at most ${show(expected)}, but it is ${show(value)}`,
  exclusiveMinimum: ({ expected, value }) => `must be more than ${show(expected)}, but it is ${show(value)}`,
  exclusiveMaximum: ({ expected, value }) => `must be less than ${show(expected)}, but it is ${show(value)}`,
  multipleOf: ({ expected, value }) => `must be a multiple of ${show(expected)}, but it is ${show(value)}`,
  minLength: ({ expected, value }) => `must have at least ${show(expected)} characters, but it has ${length(value)}`,
  maxLength: ({ expected, value }) => `must have at most ${show(expected)} characters, but it has ${length(value)}`,
  pattern: ({ expected, value }) => `must match the pattern ${String(expected)}, but it is ${show(value)}`,
  format: ({ expected, value }) => `must be a text of the format ${String(expected)}, but it is ${show(value)}`,
  minItems: ({ expected, value }) => `must have at least ${show(expected)} items, but it has ${count(value)}`,
  maxItems: ({ expected, value }) => `must have at most ${show(expected)} items, but it has ${count(value)}`,
  uniqueItems: () => "must not have the same item twice",
  minProperties: ({ expected, value }) => `must have at least ${show(expected)} properties, but it has ${size(value)}`,
  maxProperties: ({ expected, value }) => `must have at most ${show(expected)} properties, but it has ${size(value)}`,
  not: ({ expected }) => `must not fit ${show(expected)}, but it does`,
};

const typesIn = (expected: unknown): readonly string[] => (Array.isArray(expected) ? expected : [expected]).map(String);

const typeNames: Readonly<Record<string, string>> = {
  array: "an array",
  boolean: "true or false",
  integer: "an integer",
  null: "null",
  number: "a number",
  object: "an object",
  string: "a string",
};

const typeName = (type: string): string => typeNames[type] ?? type;

/** What a value is; short ones are shown. */
function typeOf(value: unknown): string {
  if (typeof value === "number") return `the number ${value}`;
  if (typeof value === "boolean" || value === null) return String(value);
  return typeName(Array.isArray(value) ? "array" : typeof value);
}

/** A value as a sentence may show it. */
const show = (value: unknown): string => shorten(JSON.stringify(value) ?? typeof value);

function valuesIn(expected: unknown): readonly string[] {
  const values = Array.isArray(expected) ? expected.map(show) : [];
  return values.length > 20 ? [...values.slice(0, 20), "…"] : values;
}

const orList = (items: readonly string[]): string =>
  items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} or ${items.at(-1) ?? ""}`;
