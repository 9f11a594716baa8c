import type { OutputUnit, Schema } from "@cfworker/json-schema";
import { isRecord } from "#core";
import type { JsonObject, Language } from "#core";

import { problemWords, typesIn } from "./problem-texts.ts";
import type { ProblemWords } from "./problem-texts.ts";
import { writePath, firstProblems } from "./validation.ts";

/** The arguments and the schema of the errors. */
export interface Checked {
  readonly schema: Schema;
  /** The schemas by URI, for references. */
  readonly lookup: Readonly<Record<string, Schema | boolean>>;
  readonly args: unknown;
  readonly language: Language;
}

/** The errors of the validator as sentences: what is required where, and the actual value. */
export function problemsOf(errors: readonly OutputUnit[], checked: Checked): readonly string[] {
  const { language } = checked;
  const sentences = firstProblems(sentencesOf(errors, checked), language);
  return sentences.length > 0
    ? sentences
    : firstProblems(
        errors.map((unit) => raw(unit, problemWords[language])),
        language,
      );
}

const raw = ({ instanceLocation, error }: OutputUnit, words: ProblemWords): string =>
  `${nameOf(keysOf(instanceLocation), words)}${words.colon}${error}`;

/** Lazily, because only the first of many errors are used. */
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

/** Errors that only introduce more specific ones. */
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

/** The errors of the alternatives directly follow their choice. */
function errorsBelow(errors: readonly OutputUnit[], at: number): readonly OutputUnit[] {
  const start = `${errors[at]?.keywordLocation ?? ""}/`;
  let end = at + 1;
  for (; end < errors.length; end++) {
    const { keyword = "", keywordLocation = "" } = errors[end] ?? {};
    if (keyword !== "false" && !keywordLocation.startsWith(start)) break; // `false` has no location of its own
  }
  return errors.slice(at + 1, end);
}

/**
 * One sentence for a choice: the accepted types if only the type is wrong, otherwise the first error of each
 * alternative.
 */
function alternatives(unit: OutputUnit, below: readonly OutputUnit[], checked: Checked): string {
  const { value, keys } = place(unit, checked);
  const words = problemWords[checked.language];
  const name = nameOf(keys, words);
  if (below.length === 0) return words.fitsSeveral(name);
  const isOfType = below.every(
    ({ keyword, instanceLocation }) => keyword === "type" && instanceLocation === unit.instanceLocation,
  );
  if (isOfType) {
    const types = below.flatMap((each) => typesIn(place(each, checked).expected));
    return words.keyword("type", name, { expected: types, value }) ?? "";
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
  return words.fitsNone(name, [...new Set(reasons)].slice(0, 4));
}

interface Place {
  readonly keys: readonly PropertyKey[];
  readonly value: unknown;
  /** The value of the keyword. */
  readonly expected: unknown;
}

function place({ instanceLocation, keywordLocation }: OutputUnit, { schema, lookup, args }: Checked): Place {
  const keys = keysOf(instanceLocation, args);
  const value = keys.reduce<unknown>((holder, key) => childOf(holder, String(key)), args);
  let expected: unknown = schema;
  for (const key of keysOf(keywordLocation)) {
    const isReference = key === "$ref" && isRecord(expected);
    // The reference is not an enumerable key.
    expected = isReference ? lookup[String((expected as Schema).__absolute_ref__)] : childOf(expected, String(key));
  }
  return { keys, value, expected };
}

const childOf = (holder: unknown, key: string): unknown =>
  typeof holder === "object" && holder !== null ? (holder as JsonObject)[key] : undefined; // an array also counts

/** The keys in a JSON pointer. Array indexes are numbers if the value is known. */
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

const nameOf = (keys: readonly PropertyKey[], { whole }: ProblemWords): string =>
  keys.length === 0 ? whole : `\`${writePath(keys)}\``;

function sentencesFor(unit: OutputUnit, before: OutputUnit | undefined, checked: Checked): readonly string[] {
  const found = place(unit, checked);
  const words = problemWords[checked.language];
  const name = nameOf(found.keys, words);
  if (unit.keyword === "required") {
    const names = Array.isArray(found.expected) ? found.expected.map(String) : [];
    const missing = names.filter((key) => isRecord(found.value) && !Object.hasOwn(found.value, key));
    return missing.map((key) => words.missing(nameOf([...found.keys, key], words)));
  }
  if (unit.keyword === "dependentRequired" || unit.keyword === "dependencies") return missingBeside(unit, checked);
  if (unit.keyword === "false") {
    const holder = before?.keyword === "additionalProperties" ? schemaAbove(before, checked) : undefined;
    const known = isRecord(holder) && isRecord(holder["properties"]) ? Object.keys(holder["properties"]) : undefined;
    return [
      words.notAllowed(
        name,
        known?.slice(0, 20).map((key) => nameOf([key], words)),
      ),
    ];
  }
  return [words.keyword(keywordOf(unit, checked), name, found) ?? raw(unit, words)];
}

/** Properties that are required because another one is present. If the dependency is a schema, its own errors follow. */
function missingBeside(unit: OutputUnit, checked: Checked): readonly string[] {
  const keywordLocation = unit.keywordLocation.replace(/dependantRequired$/u, "dependentRequired"); // the validator's spelling
  const { keys, value, expected } = place({ ...unit, keywordLocation }, checked);
  const words = problemWords[checked.language];
  if (!isRecord(expected) || !isRecord(value)) return [raw(unit, words)];
  const cause = Object.keys(expected).find((key) => unit.error.startsWith(`Instance has "${key}"`)) ?? "";
  const needed = expected[cause];
  if (!Array.isArray(needed)) return isRecord(needed) ? [] : [raw(unit, words)];
  return needed
    .map(String)
    .filter((key) => !Object.hasOwn(value, key) && unit.error.endsWith(`"${key}".`))
    .map((key) => words.needs(nameOf([...keys, key], words), nameOf([...keys, cause], words)));
}

/** In draft 4, an exclusive limit is a flag beside the limit. */
function keywordOf(unit: OutputUnit, checked: Checked): string {
  const { keyword } = unit;
  if (keyword !== "minimum" && keyword !== "maximum") return keyword;
  const exclusive = keyword === "minimum" ? "exclusiveMinimum" : "exclusiveMaximum";
  const holder = schemaAbove(unit, checked);
  return isRecord(holder) && holder[exclusive] === true ? exclusive : keyword;
}

const schemaAbove = (unit: OutputUnit, checked: Checked): unknown =>
  place({ ...unit, keywordLocation: unit.keywordLocation.slice(0, unit.keywordLocation.lastIndexOf("/")) }, checked)
    .expected;
