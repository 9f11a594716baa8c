import { isRecord } from "#core";
import type { Language } from "#core";

import { writePath } from "./schema/path.ts";
import type { Tool } from "./tool.ts";

/** A number in the text of arguments that JavaScript reads as another one. */
export interface InexactNumber {
  /** Where it is: `order.items[2].amount`. */
  readonly path: string;
  /** As the text has it. */
  readonly written: string;
  /** As a tool gets it, written as JSON. */
  readonly runs: string;
}

/** Arguments as they run. */
export interface CallArguments {
  readonly value: unknown;
  /** False where a number is too large for JavaScript: nothing runs with it, because JSON cannot show it. */
  readonly isFinite: boolean;
}

/** Parses arguments. Negative zero becomes zero, because JSON cannot show the difference. Throws for invalid JSON. */
export function readArguments(raw: string): CallArguments {
  const value: unknown = JSON.parse(raw);
  let isFinite = true;
  const holders: object[] = isObject(value) ? [value] : []; // no recursion: arguments may be nested deeply
  const visit = (holder: object, key: string | number): void => {
    const each: unknown = Reflect.get(holder, key);
    if (isObject(each)) holders.push(each);
    else if (typeof each === "number" && !Number.isFinite(each)) isFinite = false;
    else if (Object.is(each, -0)) Reflect.set(holder, key, 0);
  };
  for (let holder = holders.pop(); holder !== undefined; holder = holders.pop()) {
    if (Array.isArray(holder)) for (let at = 0; at < holder.length; at++) visit(holder, at);
    else for (const key of Object.keys(holder)) visit(holder, key);
  }
  return { value, isFinite };
}

/** The text of arguments. A number that JSON cannot hold stays one in the text, so that the call does not run with null in its place. */
export const writeArguments = (value: unknown): string | undefined =>
  JSON.stringify(value, (_key, each: unknown) => {
    if (each === Infinity) return rawJson("1e999");
    return each === -Infinity ? rawJson("-1e999") : each;
  });

/** The types of TypeScript do not know it; every Node that the engine supports has it. */
const { rawJSON: rawJson } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** Whether a tool may run with the arguments of a JSON text, and the validated arguments. */
export function validateText(tool: Tool, raw: string, language: Language): ReturnType<Tool["validate"]> {
  const { value, isFinite } = readArguments(raw);
  if (!isFinite) return { ok: false, problems: infiniteProblems(raw, language) };
  return tool.validate(value as Readonly<Record<string, unknown>>, language); // it reports any other value
}

/** What is wrong with numbers that are too large, for the model. */
export function infiniteProblems(raw: string, language: Language): readonly string[] {
  const found = numbersIn(raw, (written) => !Number.isFinite(Number(written)));
  const words = { en: "is too large for a number", zh: "超出了数字的范围" }[language];
  return found.map(({ keys, written }) => `\`${pathOf(keys)}\`: ${shortened(written)} ${words}`);
}

/** The numbers of a text that a tool gets as other ones: digits beyond 53 bits, or a value so small that it is zero. */
export function inexactNumbers(raw: string): readonly InexactNumber[] {
  if (!mayBeInexact.test(raw)) return [];
  return numbersIn(raw, (written) => !isExact(written)).map(({ keys, written }) => ({
    path: pathOf(keys),
    written,
    runs: JSON.stringify(Number(written)),
  }));
}

/** The text and the numbers of arguments that run with another value than written; nothing if there are none. */
export function shownText(raw: string): { readonly raw?: string; readonly inexact?: readonly InexactNumber[] } {
  const inexact = inexactNumbers(raw);
  return inexact.length === 0 ? {} : { raw, inexact };
}

/** The same text for all texts of the same arguments: neither blanks nor the order of keys matter. Numbers count as written. */
export function canonicalArguments(raw: string): string {
  return canonical(
    parseWith(raw, (_key, value, { source }) => (typeof value === "number" ? new Written(source) : value)),
  );
}

const mostListed = 20;

/** Only these can be other numbers than they are written: of many digits, or with an exponent. */
const mayBeInexact = /\d[\d.]{15}|\d[eE][-+]?\d/u;

/** True for a number whose digits JavaScript keeps, if need be written otherwise. */
function isExact(written: string): boolean {
  const value = Number(written);
  return Number.isFinite(value) && decimal(written) === decimal(String(value));
}

/** A decimal number, of which there is one text for each value. */
function decimal(written: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([-+]?\d+))?$/iu.exec(written) ?? [];
  const digits = whole + fraction;
  let first = 0;
  while (digits[first] === "0") first++;
  let last = digits.length;
  while (last > first && digits[last - 1] === "0") last--;
  if (first === last) return "0";
  return `${sign}${digits.slice(first, last)}e${Number(exponent) - fraction.length + digits.length - last}`;
}

/** A number as it is written. */
class Written {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  toString(): string {
    const value = Number(this.source);
    if (!isExact(this.source)) return decimal(this.source);
    return Object.is(value, -0) ? "-0" : String(value);
  }
}

type Reviver = (key: string, value: unknown, context: { readonly source: string }) => unknown;

/** The types of TypeScript do not know the third parameter, which all engines have that run this. */
const parseWith = JSON.parse as (text: string, reviver: Reviver) => unknown;

function canonical(value: unknown): string {
  if (value instanceof Written) return String(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (isRecord(value)) {
    const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
    return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${canonical(each)}`).join(",")}}`;
  }
  return JSON.stringify(value);
}

interface FoundNumber {
  /** Texts of keys, as JSON, and indexes. */
  readonly keys: readonly (string | number)[];
  readonly written: string;
}

/** The first of the numbers in a JSON text that are wanted, with their places. */
function numbersIn(text: string, isWanted: (written: string) => boolean): readonly FoundNumber[] {
  const found: FoundNumber[] = [];
  const keys: (string | number)[] = [];
  for (let at = 0; at < text.length && found.length < mostListed; at++) {
    const char = text.charAt(at);
    const last = keys.length - 1;
    const index = keys[last];
    if (char === '"') {
      const end = endOfString(text, at);
      if (isKey(text, end)) keys[last] = text.slice(at, end + 1);
      at = end;
    } else if (char === "{") keys.push("");
    else if (char === "[") keys.push(0);
    else if (char === "}" || char === "]") keys.pop();
    else if (char === "," && typeof index === "number") keys[last] = index + 1;
    else if (char === "-" || isDigit(char)) {
      const start = at;
      while (inNumber.includes(text.charAt(at + 1)) && at + 1 < text.length) at++;
      const written = text.slice(start, at + 1);
      if (isWanted(written)) found.push({ keys: [...keys], written });
    }
  }
  return found;
}

const inNumber = "0123456789.eE+-";
const isDigit = (char: string): boolean => char >= "0" && char <= "9";

/** The place of the quote that closes the string which begins at a place. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}

/** True for a string that a colon follows. */
function isKey(text: string, end: number): boolean {
  let at = end + 1;
  while (" \n\r\t".includes(text.charAt(at)) && at < text.length) at++;
  return text[at] === ":";
}

const pathOf = (keys: readonly (string | number)[]): string =>
  writePath(keys.map((key) => (typeof key === "string" ? (JSON.parse(key) as string) : key))); // the text of a key

const shortened = (written: string): string => (written.length > 40 ? `${written.slice(0, 40)}…` : written);
