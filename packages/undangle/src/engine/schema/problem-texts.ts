import { isRecord } from "#core";
import type { Language } from "#core";

import { shorten } from "./validation.ts";

/** The value of a keyword, and the value that it checks. */
interface Found {
  readonly expected: unknown;
  readonly value: unknown;
}

type Say = (found: Found) => string;

/** A number with its noun. */
const some = (expected: unknown, one: string, several: string): string =>
  `${show(expected)} ${expected === 1 ? one : several}`;
const characters = (expected: unknown): string => some(expected, "character", "characters");
const items = (expected: unknown): string => some(expected, "item", "items");
const properties = (expected: unknown): string => some(expected, "property", "properties");

const length = (value: unknown): number => (typeof value === "string" ? Array.from(value).length : 0);
const count = (value: unknown): number => (Array.isArray(value) ? value.length : 0);
const size = (value: unknown): number => (isRecord(value) ? Object.keys(value).length : 0);

/** Formats a value for a sentence. */
const show = (value: unknown): string => shorten(JSON.stringify(value) ?? typeof value);

export const typesIn = (expected: unknown): readonly string[] =>
  (Array.isArray(expected) ? expected : [expected]).map(String);

function valuesIn(expected: unknown): readonly string[] {
  const values = Array.isArray(expected) ? expected.map(show) : [];
  return values.length > 20 ? [...values.slice(0, 20), "…"] : values;
}

const list = (items: readonly string[], { comma, or }: Readonly<Record<"comma" | "or", string>>): string =>
  items.length < 2 ? items.join("") : `${items.slice(0, -1).join(comma)}${or}${items.at(-1) ?? ""}`;

const englishList = { comma: ", ", or: " or " };
const chineseList = { comma: "、", or: "或" };

const englishTypes: Readonly<Record<string, string>> = {
  array: "an array",
  boolean: "true or false",
  integer: "an integer",
  null: "null",
  number: "a number",
  object: "an object",
  string: "a string",
};

const chineseTypes: Readonly<Record<string, string>> = {
  array: "数组",
  boolean: "true 或 false",
  integer: "整数",
  null: "null",
  number: "数字",
  object: "对象",
  string: "字符串",
};

const typeOf = (value: unknown): string => (Array.isArray(value) ? "array" : value === null ? "null" : typeof value);

/** True for values that are shown themselves, not described by their type. */
const isShort = (value: unknown): boolean => typeof value === "boolean" || value === null;

const englishKeywords: Readonly<Record<string, Say>> = {
  type: ({ expected, value }) => {
    const types = typesIn(expected).map((type) => englishTypes[type] ?? type);
    const name = typeOf(value);
    const is = isShort(value) ? show(value) : name === "number" ? `the number ${String(value)}` : englishTypes[name];
    return `must be ${list(types, englishList)}, but it is ${is ?? name}`;
  },
  const: ({ expected, value }) => `must be ${show(expected)}, but it is ${show(value)}`,
  enum: ({ expected, value }) => `must be ${list(valuesIn(expected), englishList)}, but it is ${show(value)}`,
  minimum: ({ expected, value }) => `must be at least ${show(expected)}, but it is ${show(value)}`,
  maximum: ({ expected, value }) => `must be at most ${show(expected)}, but it is ${show(value)}`,
  exclusiveMinimum: ({ expected, value }) => `must be more than ${show(expected)}, but it is ${show(value)}`,
  exclusiveMaximum: ({ expected, value }) => `must be less than ${show(expected)}, but it is ${show(value)}`,
  multipleOf: ({ expected, value }) => `must be a multiple of ${show(expected)}, but it is ${show(value)}`,
  minLength: ({ expected, value }) => `must have at least ${characters(expected)}, but it has ${length(value)}`,
  maxLength: ({ expected, value }) => `must have at most ${characters(expected)}, but it has ${length(value)}`,
  pattern: ({ expected, value }) => `must match the pattern ${String(expected)}, but it is ${show(value)}`,
  format: ({ expected, value }) => `must be a string of the format ${String(expected)}, but it is ${show(value)}`,
  minItems: ({ expected, value }) => `must have at least ${items(expected)}, but it has ${count(value)}`,
  maxItems: ({ expected, value }) => `must have at most ${items(expected)}, but it has ${count(value)}`,
  uniqueItems: () => "must not have the same item twice",
  contains: ({ expected }) => `must have an item that fits ${show(expected)}, but it has none`,
  minContains: ({ expected }) => `must have at least ${items(expected)} that fit its \`contains\``,
  maxContains: ({ expected }) => `must have at most ${items(expected)} that fit its \`contains\``,
  minProperties: ({ expected, value }) => `must have at least ${properties(expected)}, but it has ${size(value)}`,
  maxProperties: ({ expected, value }) => `must have at most ${properties(expected)}, but it has ${size(value)}`,
  not: ({ expected }) => `must not fit ${show(expected)}, but it does`,
};

const chineseKeywords: Readonly<Record<string, Say>> = {
  type: ({ expected, value }) => {
    const types = typesIn(expected).map((type) => chineseTypes[type] ?? type);
    const name = typeOf(value);
    const is = isShort(value) ? ` ${show(value)}` : name === "number" ? `数字 ${String(value)}` : chineseTypes[name];
    return `必须是${list(types, chineseList)}，实际是${is ?? name}`;
  },
  const: ({ expected, value }) => `必须是 ${show(expected)}，实际是 ${show(value)}`,
  enum: ({ expected, value }) => `必须是 ${list(valuesIn(expected), chineseList)}，实际是 ${show(value)}`,
  minimum: ({ expected, value }) => `不能小于 ${show(expected)}，实际是 ${show(value)}`,
  maximum: ({ expected, value }) => `不能大于 ${show(expected)}，实际是 ${show(value)}`,
  exclusiveMinimum: ({ expected, value }) => `必须大于 ${show(expected)}，实际是 ${show(value)}`,
  exclusiveMaximum: ({ expected, value }) => `必须小于 ${show(expected)}，实际是 ${show(value)}`,
  multipleOf: ({ expected, value }) => `必须是 ${show(expected)} 的倍数，实际是 ${show(value)}`,
  minLength: ({ expected, value }) => `至少要有 ${show(expected)} 个字符，实际有 ${length(value)} 个`,
  maxLength: ({ expected, value }) => `最多只能有 ${show(expected)} 个字符，实际有 ${length(value)} 个`,
  pattern: ({ expected, value }) => `必须符合模式 ${String(expected)}，实际是 ${show(value)}`,
  format: ({ expected, value }) => `必须是 ${String(expected)} 格式的文本，实际是 ${show(value)}`,
  minItems: ({ expected, value }) => `至少要有 ${show(expected)} 项，实际有 ${count(value)} 项`,
  maxItems: ({ expected, value }) => `最多只能有 ${show(expected)} 项，实际有 ${count(value)} 项`,
  uniqueItems: () => "不能有重复的项",
  contains: ({ expected }) => `必须有一项符合 ${show(expected)}，实际没有`,
  minContains: ({ expected }) => `至少要有 ${show(expected)} 项符合其 \`contains\``,
  maxContains: ({ expected }) => `最多只能有 ${show(expected)} 项符合其 \`contains\``,
  minProperties: ({ expected, value }) => `至少要有 ${show(expected)} 个属性，实际有 ${size(value)} 个`,
  maxProperties: ({ expected, value }) => `最多只能有 ${show(expected)} 个属性，实际有 ${size(value)} 个`,
  not: ({ expected }) => `不能符合 ${show(expected)}，但实际符合`,
};

/** The requirement of a JSON Schema keyword; undefined without a message. */
const sentenceFrom =
  (keywords: Readonly<Record<string, Say>>) =>
  (keyword: string, name: string, found: Found): string | undefined => {
    const say = keywords[keyword];
    return say === undefined ? undefined : `${name} ${say(found)}`;
  };

const english = {
  whole: "The arguments object",
  colon: ": ",
  missing: (name: string) => `${name} is missing`,
  /** Lists the allowed names, if they are known. */
  notAllowed(name: string, known: readonly string[] | undefined) {
    if (known === undefined) return `${name} is not allowed`;
    const others = known.length === 0 ? "there are no properties here" : `allowed are ${known.join(", ")}`;
    return `${name} is not allowed; ${others}`;
  },
  /** A property that is required because another one is present. */
  needs: (name: string, other: string) => `${name} is missing; it is required because ${other} is present`,
  fitsSeveral: (name: string) => `${name} must fit exactly one of its allowed forms, but it fits several`,
  fitsNone: (name: string, reasons: readonly string[]) =>
    `${name} fits none of its allowed forms: ${reasons.join("; or ")}`,
  keyword: sentenceFrom(englishKeywords),
};

/** The messages about invalid arguments, for a model that acts on them. */
export type ProblemWords = typeof english;

const chinese: ProblemWords = {
  whole: "参数对象",
  colon: "：",
  missing: (name) => `缺少 ${name}`,
  notAllowed(name, known) {
    if (known === undefined) return `不允许有 ${name}`;
    return `不允许有 ${name}；${known.length === 0 ? "此处没有任何属性" : `可用的有 ${known.join("、")}`}`;
  },
  needs: (name, other) => `缺少 ${name}：有 ${other} 时必须有它`,
  fitsSeveral: (name) => `${name} 只能符合一种允许的形式，但实际符合多种`,
  fitsNone: (name, reasons) => `${name} 不符合任何一种允许的形式：${reasons.join("；或者 ")}`,
  keyword: sentenceFrom(chineseKeywords),
};

export const problemWords: Readonly<Record<Language, ProblemWords>> = { en: english, zh: chinese };
