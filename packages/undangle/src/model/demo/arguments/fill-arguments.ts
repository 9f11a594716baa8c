import { isRecord } from "#core";

import { knownValue } from "../facts/known-values.ts";
import { isSame, remembered } from "./earlier.ts";
import type { Aspect } from "./aspect.ts";
import { fillChoice } from "./fill-choice.ts";
import { fillList } from "./fill-list.ts";
import { likelyNumber, saidNumber, sampleNumber } from "./fill-number.ts";
import { likelyText, saidText } from "./fill-text.ts";
import type { Filler, Wanted } from "./filler.ts";
import { fitsSchema } from "./fits-schema.ts";
import type { Gathered } from "./gathered.ts";
import { parameterOf } from "./parameter.ts";
import { alternativesOf, namesIn, readSchema, recordIn, typesOf } from "./read-schema.ts";
import type { Schema } from "./read-schema.ts";
import { sampleText } from "./sample-text.ts";

/** The arguments of a call, or why there are none. */
export type Filling =
  | {
      readonly ok: true;
      readonly arguments: Readonly<Record<string, unknown>>;
      /** Those that nobody said, and that were made up. */
      readonly madeUp: readonly string[];
      /** Those that nobody said now, and that are as in a call before. */
      readonly carried: readonly string[];
    }
  | {
      readonly ok: false;
      /** The argument that could not be found, and what was said for it, where that is known. */
      readonly parameter: string | undefined;
      readonly said: unknown;
    };

/** Fills a schema with what was said; what comes of it fits the schema, or nothing does. */
export function fillArguments(schema: Schema, gathered: Gathered): Filling {
  const filling = fillOnce(schema, gathered, false);
  if (filling.ok || filling.said !== undefined) return filling;
  const bare = fillOnce(schema, { ...gathered, used: new Set(), spent: new Set() }, true);
  return bare.ok ? bare : filling;
}

/** One try; with nothing but what has to be there, if what else was said does not go together. */
function fillOnce(schema: Schema, gathered: Gathered, isBare: boolean): Filling {
  const filler: Filler = {
    root: schema,
    gathered,
    isBare,
    madeUp: new Set(),
    carried: new Set(),
    failed: undefined,
    fill: fillValue,
  };
  const value = fillObject(readSchema(schema, schema), filler, 0);
  const { failed, madeUp, carried } = filler;
  if (failed !== undefined || !fitsSchema(schema, value)) {
    return { ok: false, parameter: failed?.name, said: failed?.said };
  }
  const isThere = (name: string): boolean => Object.hasOwn(value, name);
  return {
    ok: true,
    arguments: value,
    madeUp: [...madeUp].filter(isThere),
    carried: [...carried].filter((name) => isThere(name) && !madeUp.has(name)),
  };
}

const deepest = 8;

function fillObject(schema: Schema, filler: Filler, depth: number, root?: string): Record<string, unknown> {
  const properties = recordIn(schema, "properties");
  const required = new Set(namesIn(schema["required"]));
  const found = new Map<string, unknown>();
  const order = Object.keys(properties).sort((one, other) => Number(required.has(other)) - Number(required.has(one)));
  for (const name of order) {
    const isRequired = required.has(name);
    if (filler.isBare && !isRequired) continue;
    const value = fillValue(readSchema(properties[name], filler.root), filler, {
      name,
      root: root ?? name,
      isRequired,
      depth: depth + 1,
    });
    if (value !== undefined) found.set(name, value);
    else if (isRequired) filler.failed ??= { name: root ?? name, said: undefined };
  }
  const sorted = Object.keys(properties).flatMap((name) => (found.has(name) ? [[name, found.get(name)] as const] : []));
  return Object.fromEntries(sorted); // it defines its keys, also `__proto__`
}

function fillValue(schema: Schema, filler: Filler, wanted: Wanted): unknown {
  if (wanted.depth > deepest) return undefined;
  if ("const" in schema) return wanted.isRequired ? schema["const"] : undefined;
  if (Array.isArray(schema["enum"])) return fillChoice(schema["enum"], schema, filler, wanted);
  const alternatives = alternativesOf(schema, filler.root);
  const [only] = alternatives;
  if (only === undefined) return undefined;
  if (alternatives.length > 1) return fillOneOf(alternatives, schema, filler, wanted);
  return only === schema ? fillPlain(only, filler, wanted) : fillValue(only, filler, wanted);
}

/** Something that was said for one of several forms, else the first form that can be filled. */
function fillOneOf(alternatives: readonly Schema[], schema: Schema, filler: Filler, wanted: Wanted): unknown {
  const said = firstFilled(alternatives, filler, { ...wanted, isRequired: false });
  if (said !== undefined || !wanted.isRequired) return said;
  if ("default" in schema) return schema["default"];
  if (alternatives.some(({ type, const: only }) => type === "null" || only === null)) return null;
  return firstFilled(alternatives, filler, wanted);
}

/** The first form that a value can be found for; what failed before it does not count. */
function firstFilled(alternatives: readonly Schema[], filler: Filler, wanted: Wanted): unknown {
  const { failed } = filler;
  for (const each of alternatives) {
    const value = fillValue(each, filler, wanted);
    if (value !== undefined && filler.failed === failed) return value;
    if (each !== alternatives.at(-1)) filler.failed = failed;
  }
  return undefined;
}

function fillPlain(schema: Schema, filler: Filler, wanted: Wanted): unknown {
  const [type] = typesOf(schema);
  switch (type) {
    case "object":
      return fillInner(schema, filler, wanted);
    case "array":
      return fillList(schema, filler, wanted);
    case "number":
    case "integer":
      return fillNumber(schema, filler, wanted);
    case "boolean":
      return fillBoolean(schema, filler, wanted);
    case "null":
      return wanted.isRequired ? null : undefined;
    default:
      return fillString(schema, filler, wanted);
  }
}

function fillString(schema: Schema, filler: Filler, wanted: Wanted): unknown {
  const { gathered, madeUp } = filler;
  const { name, root, isRequired } = wanted;
  const parameter = parameterOf(name, schema);
  const said = saidText(parameter, gathered);
  if (said !== undefined && isHalfSaid(said, schema, gathered)) madeUp.add(root);
  if (said !== undefined || !isRequired) return said;
  if ("default" in schema) return schema["default"];
  const likely = likelyText(parameter, gathered);
  if (likely !== undefined) return likely;
  const before =
    isWritten(parameter.aspect) && !isSame(gathered.wish.text)
      ? undefined
      : remembered(filler, wanted, (each) => fitsSchema(schema, each));
  if (before !== undefined) return before;
  madeUp.add(root);
  const { language, now } = gathered;
  return exampleIn(schema) ?? sampleText(schema, { aspect: parameter.aspect, language, now });
}

/** Of a moment only the day was told: the hour is made up. */
const isHalfSaid = (said: string, { format }: Schema, { wish, around }: Gathered): boolean =>
  format === "date-time" &&
  said.endsWith("T12:00:00Z") &&
  ![wish, ...around].some(({ times, text }) => times.length > 0 || text.includes(said));

/** Each letter has words of its own. */
const isWritten = (aspect: Aspect): boolean => aspect === "text" || aspect === "subject" || aspect === "query";

function fillNumber(schema: Schema, filler: Filler, wanted: Wanted): unknown {
  const { name, root, isRequired } = wanted;
  const { gathered, madeUp } = filler;
  const parameter = parameterOf(name, schema);
  const said = saidNumber(parameter, gathered);
  if (said?.fits === true) return said.value;
  if (said !== undefined) {
    filler.failed ??= { name: root, said: said.value }; // another number is not what was asked for
    return undefined;
  }
  if (!isRequired) return undefined;
  if ("default" in schema) return schema["default"];
  const likely = likelyNumber(parameter, gathered);
  if (likely !== undefined) return likely;
  const before = remembered(filler, wanted, (each) => fitsSchema(schema, each));
  if (before !== undefined) return before;
  madeUp.add(root);
  return exampleIn(schema) ?? sampleNumber(schema);
}

const off = /\b(?:off|false|no|not|without|disable|don't)\b|关|不要|不|否/iu;
const on = /\b(?:on|true|yes|with|enable)\b|开|是|要/iu;

/** True or false where the wish speaks of it; what is asked for and not told is false, which does least. */
function fillBoolean(schema: Schema, { gathered, madeUp }: Filler, { name, root, isRequired }: Wanted): unknown {
  const { wish, known } = gathered;
  const { stems } = parameterOf(name, schema);
  const words = wish.text.toLowerCase();
  const isNamed = [...stems].some((stem) => stem.length > 2 && words.includes(stem));
  const value = knownValue(known, name);
  if (isNamed) return !off.test(words);
  if (!isRequired) return undefined;
  if ("default" in schema) return schema["default"];
  if (typeof value === "boolean") return value;
  if (off.test(words) || on.test(words)) return !off.test(words);
  madeUp.add(root);
  return exampleIn(schema) ?? false;
}

/** An object inside of the arguments; an optional one only where something of it was said. */
function fillInner(schema: Schema, filler: Filler, wanted: Wanted): unknown {
  const { isRequired, depth, root } = wanted;
  if (!isRequired) {
    const properties = Object.entries(recordIn(schema, "properties"));
    const isTouched = properties.some(([name, inner]) => {
      const probe: Filler = {
        ...filler,
        gathered: {
          ...filler.gathered,
          used: new Set(filler.gathered.used),
          spent: new Set(filler.gathered.spent),
        },
        madeUp: new Set(),
        carried: new Set(),
        failed: undefined,
      };
      return (
        fillValue(readSchema(inner, filler.root), probe, { name, root, isRequired: false, depth: depth + 1 }) !==
        undefined
      );
    });
    if (!isTouched) return undefined;
  }
  if ("default" in schema && Object.keys(recordIn(schema, "properties")).length === 0) return schema["default"];
  const value = fillObject(schema, filler, depth, root);
  const isShort = Object.keys(value).length < Number(schema["minProperties"] ?? 0);
  return isShort ? filledUp(value, schema, filler, root) : value;
}

/** Keys of our own, where a schema wants some and does not say which. */
function filledUp(
  value: Record<string, unknown>,
  schema: Schema,
  filler: Filler,
  root: string,
): Record<string, unknown> {
  const inner = schema["additionalProperties"];
  const filled = { ...value };
  for (let n = 1; Object.keys(filled).length < Number(schema["minProperties"]); n++) {
    const name = `example${n}`;
    const made = fillValue(isRecord(inner) ? readSchema(inner, filler.root) : {}, filler, {
      name,
      root,
      isRequired: true,
      depth: deepest,
    });
    filled[name] = made;
  }
  return filled;
}

function exampleIn(schema: Schema): unknown {
  const [first] = Array.isArray(schema["examples"]) ? (schema["examples"] as readonly unknown[]) : [];
  return first !== undefined && fitsSchema(schema, first) ? first : undefined;
}
