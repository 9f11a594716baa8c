import type { JsonObject, Language } from "#core";

import { writePath } from "../schema/validation.ts";
import { isMedia } from "./media.ts";

/** The JSON of a value, or the reason why it has none. */
export type WrittenJson = { readonly json: string } | { readonly reason: string };

/**
 * Writes a value as JSON if that is faithful. `JSON.stringify` alone would turn a Map, an error or an unawaited promise
 * into `{}`, and the model would believe it.
 */
export function writeJson(value: unknown, language: Language): WrittenJson {
  const search: Search = { holders: new Set(), keys: [], hasToJson: false };
  try {
    if (looksPlain(value)) return { json: JSON.stringify(value) };
    const found = unwritableIn(value, search);
    if (found !== undefined) return { reason: reasonFor(found, search.keys, language) };
    const json = search.hasToJson ? writeOwn(value, language) : { json: JSON.stringify(value) };
    return json.json === undefined ? { reason: texts[language].nothing } : { ...json, json: json.json };
  } catch (fault) {
    if (fault instanceof Unwritable) return { reason: fault.message };
    return { reason: faultReason(fault, search.keys, language) };
  }
}

function looksPlain(value: unknown): boolean {
  try {
    return isPlain(value, 0);
  } catch {
    return false; // a getter threw; the search below finds it
  }
}

/** True for plain data, which nearly all results are. A fast check with false negatives. */
function isPlain(value: unknown, depth: number): boolean {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || depth > 100) return false; // it may be circular
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) if (!isPlain(value[at], depth + 1)) return false;
    return true;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype || isMedia(value)) return false;
  for (const key in value) {
    const inner: unknown = (value as JsonObject)[key]; // a plain object
    if (inner !== undefined && !isPlain(inner, depth + 1)) return false;
  }
  return true;
}

interface Search {
  /** The ancestors of the current value. */
  readonly holders: Set<object>;
  /** The path of the current value. */
  readonly keys: PropertyKey[];
  /** True if an object has a `toJSON`, whose result is checked during serialization. */
  hasToJson: boolean;
}

/** The first value without a JSON form. `search.keys` is its path. */
function unwritableIn(value: unknown, search: Search): string | undefined {
  if (typeof value !== "object" || value === null) return plainFault(value);
  if (search.holders.has(value)) return "cycle";
  if (writesItself(value)) {
    search.hasToJson = true;
    return undefined;
  }
  const odd = oddObject(value);
  if (odd !== undefined) return odd;
  search.holders.add(value);
  const isList = Array.isArray(value);
  for (const key of isList ? value.keys() : Object.keys(value)) {
    search.keys.push(key); // before the read, because a getter may throw
    const inner: unknown = (value as Readonly<Record<PropertyKey, unknown>>)[key]; // an array or a plain object
    // As in `JSON.stringify`, undefined is omitted, or null in an array.
    const found = typeof inner === "string" || inner === undefined ? undefined : unwritableIn(inner, search);
    if (found !== undefined) return found;
    search.keys.pop();
  }
  search.holders.delete(value);
  return undefined;
}

function plainFault(value: unknown): string | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : String(value);
  if (typeof value === "bigint") return "toJSON" in BigInt.prototype ? undefined : "BigInt"; // some programs add `toJSON` to it
  return typeof value === "function" || typeof value === "symbol" ? typeof value : undefined;
}

function writesItself(value: object): boolean {
  if (ArrayBuffer.isView(value)) return false; // a Buffer would become a list of numbers
  return "toJSON" in value && typeof value.toJSON === "function";
}

/** The type of an object that has more state than its properties. */
function oddObject(value: object): string | undefined {
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return "bytes";
  if (isMedia(value)) return "media";
  if (Array.isArray(value)) return undefined;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return undefined;
  if (value instanceof Error) return `${value.name} (${value.message})`;
  // Plain objects have the last prototype of the chain, also in another realm.
  if (
    typeof prototype === "object" &&
    Object.getPrototypeOf(prototype) === null &&
    !(Symbol.toStringTag in prototype)
  ) {
    const maker: unknown = Object.hasOwn(prototype, "constructor") ? prototype.constructor : undefined;
    if (typeof maker === "function" && maker.name === "Object") return undefined;
  }
  return classOf(value);
}

function classOf(value: object): string {
  const { constructor: maker } = value;
  const name: unknown = typeof maker === "function" ? maker.name : undefined;
  return typeof name === "string" && name !== "" ? name : "class";
}

class Unwritable extends Error {}

/** A `toJSON` may return anything, so each value is checked during serialization. */
function writeOwn(value: unknown, language: Language): { readonly json: string | undefined } {
  const json = JSON.stringify(value, (key, inner: unknown) => {
    const found = typeof inner === "object" && inner !== null ? oddObject(inner) : plainFault(inner);
    if (found !== undefined) throw new Unwritable(reasonFor(found, key === "" ? [] : [key], language));
    return inner;
  }) as string | undefined; // undefined if `toJSON` returns undefined
  return { json };
}

const english = {
  at: (path: string, what: string) => `${path} is ${what}`,
  whole: "it",
  cycle: "a circular reference",
  bytes: "bytes without a media type (use image() or file())",
  media: "an image or a file inside another value (return it alone or in a list)",
  nothing: "it has no JSON form",
  tooDeep: "it is nested too deeply, or too long",
  unreadable: "cannot be read",
  kind: (name: string) => `${articleOf(name)}${name}, which has no JSON form`,
};

const chinese: typeof english = {
  at: (path, what) => `${path} 是${what}`,
  whole: "它",
  cycle: "对其外层对象的引用",
  bytes: "没有媒体类型的字节（请使用 image() 或 file()）",
  media: "嵌套在其他值之中的图片或文件（请单独返回或放在列表中）",
  nothing: "它没有对应的 JSON",
  tooDeep: "它嵌套过深或过长",
  unreadable: "无法读取",
  kind: (name) => ` ${name}，JSON 无法表示`,
};

const texts: Readonly<Record<Language, typeof english>> = { en: english, zh: chinese };

function articleOf(name: string): string {
  if (/^(?:NaN|-?Infinity)$/u.test(name)) return "";
  return /^[AEIOUaeiou]/u.test(name) ? "an " : "a ";
}

function reasonFor(found: string, keys: readonly PropertyKey[], language: Language): string {
  const wording = texts[language];
  const what = found === "cycle" || found === "bytes" || found === "media" ? wording[found] : wording.kind(found);
  return wording.at(pathOf(keys, language), what);
}

const pathOf = (keys: readonly PropertyKey[], language: Language): string =>
  keys.length === 0 ? texts[language].whole : `\`${writePath(keys.slice(0, 20))}\``;

/** The stack overflowed, or a getter, a proxy or a `toJSON` threw. */
function faultReason(fault: unknown, keys: readonly PropertyKey[], language: Language): string {
  const wording = texts[language];
  if (fault instanceof RangeError) return wording.tooDeep;
  const message = fault instanceof Error ? fault.message : String(fault);
  return `${pathOf(keys, language)} ${wording.unreadable}: ${message}`;
}
