import { createContext, Script } from "node:vm";
import type { Context } from "node:vm";

import { dereference, validate } from "@cfworker/json-schema";
import type { OutputUnit, Schema, SchemaDraft } from "@cfworker/json-schema";
import { isRecord } from "#core";
import type { JsonObject, Language } from "#core";

import type { JsonSchema } from "./json-schema.ts";
import { problemsOf } from "./problems.ts";
import { unchecked } from "./validation.ts";
import type { Validation } from "./validation.ts";

/** Milliseconds for one check of arguments. */
export const longestCheck = 1000;

/** Validates arguments against a schema. It never throws. */
export type JsonValidator = (args: JsonObject, language?: Language) => Validation<JsonObject>;

/** Compiles a copy of a JSON Schema. Throws a sentence if the schema is unusable. */
export function compileJsonSchema(given: JsonSchema): JsonValidator {
  const schema = structuredClone(given) as Schema; // the validator modifies its schema
  const draft = draftOf(given["$schema"]);
  const lookup = dereference(schema);
  refuseBroken(lookup);
  const errorsIn = (args: unknown, shortCircuit: boolean): readonly OutputUnit[] =>
    validate(args, schema, draft, lookup, shortCircuit).errors;
  withinLimit(() => errorsIn({}, true)); // finds circular references
  const limited = hasPatterns(lookup) ? withinLimit : atOnce; // large arguments alone do not need a time limit
  return (args, language = "en") => {
    try {
      const first = limited(() => errorsIn(args, true));
      if (first.length === 0) return { ok: true, value: args };
      const errors = allErrors(first, () => limited(() => errorsIn(args, false)));
      return { ok: false, problems: problemsOf(errors, { schema, lookup, args, language }) };
    } catch (error) {
      return { ok: false, problems: [unreadable(error, language)] };
    }
  };
}

const hasPatterns = (lookup: Readonly<Record<string, Schema | boolean>>): boolean =>
  Object.values(lookup).some(
    (schema) => typeof schema !== "boolean" && (schema.pattern !== undefined || schema.patternProperties !== undefined),
  );

const atOnce = <Result>(work: () => Result): Result => work();

/** All errors. If that overflows the stack of the validator or takes too long, only the first error of each place. */
function allErrors(first: readonly OutputUnit[], all: () => readonly OutputUnit[]): readonly OutputUnit[] {
  try {
    return all();
  } catch {
    return first; // the shorter list is sufficient
  }
}

function unreadable(error: unknown, language: Language): string {
  if (error instanceof TooSlow) return tooSlow[language];
  return error instanceof RangeError ? tooDeep[language] : unchecked(error, language);
}

const tooDeep = { en: "The arguments are nested too deeply to be checked", zh: "参数嵌套过深，无法检查" };
const tooSlow = {
  en: `The arguments could not be checked within ${longestCheck} ms`,
  zh: `参数未能在 ${longestCheck} 毫秒内检查完毕`,
};

/** The draft of a schema; the newest without `$schema`. */
function draftOf(name: unknown): SchemaDraft {
  const draft = typeof name === "string" ? /draft-0?(\d+)|draft\/(\d{4}-\d\d)/u.exec(name) : null;
  if (draft?.[1] !== undefined) return Number(draft[1]) <= 4 ? "4" : "7";
  return draft?.[2] === "2019-09" ? "2019-09" : "2020-12";
}

/** Otherwise broken references and invalid patterns would appear only with the first matching arguments. */
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

/** Common mistakes that would accept everything or nothing. */
function refuseOddKeywords({ type, required, properties, enum: among }: Schema): void {
  const odd = (Array.isArray(type) ? type : [type]).find((each) => each !== undefined && !types.includes(each));
  if (odd !== undefined) throw new Error(`${JSON.stringify(odd)} is not a type of JSON Schema`);
  if (required !== undefined && !Array.isArray(required)) throw new Error("its required is not a list of names");
  if (properties !== undefined && !isRecord(properties)) throw new Error("its properties are not an object");
  if (among !== undefined && !Array.isArray(among)) throw new Error("its enum is not a list");
}

/** A check took too long. */
export class TooSlow extends Error {
  constructor() {
    super(`they could not be checked within ${longestCheck} ms`);
    this.name = "TooSlow";
  }
}

/**
 * Runs synchronous work with a time limit. A schema may come from an untrusted server: a pattern such as `^(a+)+$`
 * takes forever on thirty letters, and only the engine can stop a regular expression. It costs about 0.1 ms.
 */
export function withinLimit<Result>(work: () => Result): Result {
  for (let left = attempts; ; left--) {
    const begin = process.cpuUsage();
    try {
      return limitedOnce(work);
    } catch (error) {
      const { user, system } = process.cpuUsage(begin);
      const isStalled = (user + system) / 1000 < longestCheck / 10; // the process got almost no CPU time
      if (!(error instanceof TooSlow && isStalled) || left === 1) throw error;
    }
  }
}

/** The clock also runs while a machine is busy or asleep, so the work is retried this often. */
const attempts = 3;

function limitedOnce<Result>(work: () => Result): Result {
  const { script, context } = (limited ??= { script: new Script("work()"), context: createContext({ work }) });
  context["work"] = work;
  try {
    return script.runInContext(context, { timeout: longestCheck }) as Result; // the result of the work
  } catch (error) {
    if (isRecord(error) && error["code"] === "ERR_SCRIPT_EXECUTION_TIMEOUT") throw new TooSlow();
    throw error;
  } finally {
    context["work"] = undefined;
  }
}

/** Created on first use. */
let limited: { readonly script: Script; readonly context: Context } | undefined;
