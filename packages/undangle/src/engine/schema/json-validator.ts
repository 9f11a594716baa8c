import { dereference, validate } from "@cfworker/json-schema";
import type { OutputUnit, Schema, SchemaDraft } from "@cfworker/json-schema";
import { isRecord } from "#core";
import type { Language } from "#core";

import type { JsonSchema } from "./json-schema.ts";
import { problemsOf } from "./problems.ts";
import { compileQuickCheck } from "./quick-check.ts";
import { unchecked } from "./validation.ts";
import type { Validation } from "./validation.ts";

/** Whether arguments fit a schema, and if not, why. It never throws. */
export type JsonValidator = (
  args: Readonly<Record<string, unknown>>,
  language?: Language,
) => Validation<Readonly<Record<string, unknown>>>;

/** Compiles a JSON Schema, of which it keeps nothing but a copy. Throws a sentence for one that nothing can be checked by. */
export function compileJsonSchema(given: JsonSchema): JsonValidator {
  const schema = structuredClone(given) as Schema; // the validator writes into it, and only reads what it knows
  const draft = draftOf(given["$schema"]);
  const lookup = dereference(schema);
  refuseBroken(lookup);
  const quick = draft === "4" ? undefined : compileQuickCheck(schema);
  const errorsIn = (args: unknown, shortCircuit: boolean): readonly OutputUnit[] =>
    validate(args, schema, draft, lookup, shortCircuit).errors;
  errorsIn({}, true); // references in a circle show only here
  return (args, language = "en") => {
    try {
      if (quick?.(args) === true || errorsIn(args, true).length === 0) return { ok: true, value: args };
      return { ok: false, problems: problemsOf(allErrors(args, errorsIn), { schema, lookup, args, language }) };
    } catch (error) {
      return { ok: false, problems: [unreadable(error, language)] };
    }
  };
}

/** All that is wrong; where that is too much for the stack of the validator, the first thing in each place. */
function allErrors(
  args: unknown,
  errorsIn: (args: unknown, shortCircuit: boolean) => readonly OutputUnit[],
): readonly OutputUnit[] {
  try {
    return errorsIn(args, false);
  } catch {
    return errorsIn(args, true); // the shorter list says enough to act on
  }
}

const unreadable = (error: unknown, language: Language): string =>
  error instanceof RangeError
    ? { en: "The arguments are nested too deeply to be checked", zh: "参数嵌套过深，无法检查" }[language]
    : unchecked(error, language);

/** The draft that a schema says it is written in; the newest where it does not say. */
function draftOf(name: unknown): SchemaDraft {
  const draft = typeof name === "string" ? /draft-0?(\d+)|draft\/(\d{4}-\d\d)/u.exec(name) : null;
  if (draft?.[1] !== undefined) return Number(draft[1]) <= 4 ? "4" : "7";
  return draft?.[2] === "2019-09" ? "2019-09" : "2020-12";
}

/** References that lead nowhere, and patterns that are none, would be found only with the first arguments that meet them. */
function refuseBroken(lookup: Readonly<Record<string, Schema | boolean>>): void {
  for (const schema of Object.values(lookup)) {
    if (typeof schema === "boolean") continue;
    const { $ref, __absolute_ref__: target, pattern, patternProperties } = schema;
    if ($ref !== undefined && lookup[target ?? $ref] === undefined)
      throw new Error(`there is nothing at its $ref ${$ref}`);
    const patterns = [...(pattern === undefined ? [] : [pattern]), ...Object.keys(patternProperties ?? {})];
    for (const each of patterns) refuseBrokenPattern(each);
    refuseOddKeywords(schema);
  }
}

function refuseBrokenPattern(pattern: unknown): void {
  try {
    RegExp(String(pattern), "u");
  } catch {
    throw new Error(
      `its pattern ${JSON.stringify(pattern)} is not a regular expression (of JavaScript, with the flag u)`,
    );
  }
}

const types: readonly unknown[] = ["array", "boolean", "integer", "null", "number", "object", "string"];

/** What is often written wrongly, and would let everything or nothing pass. */
function refuseOddKeywords({ type, required, properties, enum: among }: Schema): void {
  const odd = (Array.isArray(type) ? type : [type]).find((each) => each !== undefined && !types.includes(each));
  if (odd !== undefined) throw new Error(`${JSON.stringify(odd)} is not a type of JSON Schema`);
  if (required !== undefined && !Array.isArray(required)) throw new Error("its required is not a list of names");
  if (properties !== undefined && !isRecord(properties)) throw new Error("its properties are not an object");
  if (among !== undefined && !Array.isArray(among)) throw new Error("its enum is not a list");
}
