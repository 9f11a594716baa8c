import { isRecord } from "#core";
import type { JsonObject, Language } from "#core";

import { writePath } from "./schema/validation.ts";
import type { Tool } from "./tool.ts";

/** A number in the argument text that JavaScript parses as a different number. */
export interface InexactNumber {
  /** Its path: `order.items[2].amount`. */
  readonly path: string;
  /** The number in the text. */
  readonly written: string;
  /** The number that the tool gets, as JSON. */
  readonly runs: string;
}

/** Parsed arguments. */
export interface CallArguments {
  readonly value: unknown;
  /** False if a number is too large for JavaScript. Such a call does not run, because JSON cannot represent the number. */
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

/** Serializes arguments. A non-finite number stays a number in the text, so that the call does not run with null instead. */
export const writeArguments = (value: unknown): string | undefined =>
  JSON.stringify(value, (_key, each: unknown) => {
    if (each === Infinity) return rawJson("1e999");
    return each === -Infinity ? rawJson("-1e999") : each;
  });

/** TypeScript does not declare `JSON.rawJSON`; every supported Node version has it. */
const { rawJSON: rawJson } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** Validates the arguments in a JSON text. */
export function validateText(tool: Tool, raw: string, language: Language): ReturnType<Tool["validate"]> {
  const { value, isFinite } = readArguments(raw);
  if (!isFinite) return { ok: false, problems: infiniteProblems(raw, language) };
  return tool.validate(value as JsonObject, language); // it reports any other value
}

/** Error messages for the model about numbers that are too large. */
export function infiniteProblems(raw: string, language: Language): readonly string[] {
  const found = numbersIn(raw, (written) => !Number.isFinite(Number(written)));
  const words = { en: "is too large for a number", zh: "超出了数字的范围" }[language];
  return found.map(({ keys, written }) => `\`${pathOf(keys)}\`: ${shortened(written)} ${words}`);
}

/** The numbers of a text that a tool gets with another value: with more than 53 bits, or so small that they become zero. */
export function inexactNumbers(raw: string): readonly InexactNumber[] {
  if (!mayBeInexact.test(raw)) return [];
  return numbersIn(raw, (written) => !isExact(written)).map(({ keys, written }) => ({
    path: pathOf(keys),
    written,
    runs: JSON.stringify(Number(written)),
  }));
}

/** The argument text and its inexact numbers, if there are any. */
export function shownText(raw: string): { readonly raw?: string; readonly inexact?: readonly InexactNumber[] } {
  const inexact = inexactNumbers(raw);
  return inexact.length === 0 ? {} : { raw, inexact };
}

/** A canonical text of arguments: white space and key order do not matter. Numbers count as written. */
export function canonicalArguments(raw: string): string {
  return canonical(
    parseWith(raw, (_key, value, { source }) => (typeof value === "number" ? new Written(source) : value)),
  );
}

const mostListed = 20;

/** Only numbers with many digits or an exponent can be inexact. */
const mayBeInexact = /\d[\d.]{15}|\d[eE][-+]?\d/u;

/** True if JavaScript keeps all digits of a number, possibly in another notation. */
function isExact(written: string): boolean {
  const value = Number(written);
  return Number.isFinite(value) && decimal(written) === decimal(String(value));
}

/** Normalizes a decimal number, so that equal values have equal texts. */
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

/** A number in its original notation. */
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

/** TypeScript does not declare the third parameter; every supported engine has it. */
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
  /** Keys as JSON strings, and indexes. */
  readonly keys: readonly (string | number)[];
  readonly written: string;
}

/** The matching numbers in a JSON text, with their paths. */
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

/** The index of the quote that closes the string at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}

/** True for a string that is followed by a colon. */
function isKey(text: string, end: number): boolean {
  let at = end + 1;
  while (" \n\r\t".includes(text.charAt(at)) && at < text.length) at++;
  return text[at] === ":";
}

const pathOf = (keys: readonly (string | number)[]): string =>
  writePath(keys.map((key) => (typeof key === "string" ? (JSON.parse(key) as string) : key))); // a key is a JSON string

const shortened = (written: string): string => (written.length > 40 ? `${written.slice(0, 40)}…` : written);
