import { isRecord } from "#core";
import type { Journal, JsonObject, RuleId, Source } from "#core";

import type { Codec, Range } from "./codec.ts";
import { deepest, parseWrapped } from "./unwrap.ts";

/** A list of messages in the form that the rules read. */
export interface PlainList {
  readonly list: readonly unknown[];
  /** The unwrapped values, by message index. */
  readonly unwrapped: ReadonlyMap<number, readonly Unwrapped[]>;
  /** True if an entry is not an object, so that the whole list is read. */
  readonly isOdd: boolean;
}

/** A value that was JSON text, or the only entry of a list. */
export interface Unwrapped {
  /** The path relative to the message, such as `.content[2].type`. "" for the message itself. */
  readonly suffix: string;
  readonly rule: RuleId;
  /** The index of its part, and the path relative to the part. */
  readonly part?: { readonly place: number; readonly tail: string };
}

/**
 * Normalizes messages that may be invalid: values that are not JSON are removed, and a message, part, role or type that
 * is JSON text or the only entry of a list is unwrapped. Returns the same list if nothing changes.
 */
export function plainList(list: readonly unknown[], ranges: readonly Range[], codec: Codec): PlainList {
  let plain: unknown[] | undefined;
  let isOdd = false;
  const unwrapped = new Map<number, readonly Unwrapped[]>();
  for (const { start, end } of ranges) {
    for (let index = start; index < end; index++) {
      const given = list[index];
      const found: Unwrapped[] = [];
      const message = plainMessage(asJson(given, 0), codec, found);
      isOdd ||= !isRecord(given);
      if (message === given) continue;
      plain ??= Array.from(list);
      plain[index] = message;
      if (found.length > 0) unwrapped.set(index, found);
    }
  }
  return { list: plain ?? list, unwrapped, isOdd: isOdd || plain !== undefined };
}

function plainMessage(given: unknown, codec: Codec, found: Unwrapped[]): unknown {
  const { wrapped } = codec;
  if (wrapped === undefined) return given;
  const message = isRecord(given) ? given : messageIn(given, wrapped, 0);
  if (message === undefined) return given;
  if (message !== given) found.push({ suffix: "", rule: wrapped.rule });
  const said = wrapped.parts === undefined ? message : withPlainParts(message, wrapped.parts, found);
  const role = wordIn(said["role"]);
  const type = wordIn(said["type"]);
  if (role !== undefined) found.push({ suffix: ".role", rule: "unknown-role" });
  if (type !== undefined) found.push({ suffix: ".type", rule: "unknown-block" });
  if (role === undefined && type === undefined) return said;
  return { ...said, ...(role === undefined ? {} : { role }), ...(type === undefined ? {} : { type }) };
}

/** Unwraps the parts and types of a message that are the only entry of a list. */
function withPlainParts(message: JsonObject, key: string, found: Unwrapped[]): JsonObject {
  const given = message[key];
  if (!Array.isArray(given)) return message;
  let parts: unknown[] | undefined;
  given.forEach((each: unknown, place) => {
    const one = onlyIn(each);
    const type = isRecord(one) ? wordIn(one["type"]) : undefined;
    const part = isRecord(one) && type !== undefined ? { ...one, type } : one;
    if (part === each) return;
    const tail = one === each ? ".type" : "";
    found.push({ suffix: `.${key}[${place}]${tail}`, rule: "unknown-block", part: { place, tail } });
    (parts ??= [...(given as readonly unknown[])])[place] = part;
  });
  return parts === undefined ? message : { ...message, [key]: parts };
}

/** Unwraps lists with one entry. Other values stay unchanged. */
function onlyIn(value: unknown): unknown {
  let only = value;
  for (let depth = 0; depth < deepest && Array.isArray(only) && only.length === 1; depth++) only = only[0];
  return only;
}

/** A word inside a list or JSON text; undefined for a plain word and any other value. */
function wordIn(value: unknown): string | undefined {
  let word = value;
  for (let depth = 0; depth <= deepest; depth++) {
    if (Array.isArray(word)) word = onlyIn(word);
    if (typeof word !== "string") return undefined;
    const inner = parseWrapped(word);
    if (inner === undefined) return word === value ? undefined : word;
    word = inner;
  }
  return undefined;
}

/** The message in a value that is not a message; undefined if there is none, or several. */
function messageIn(value: unknown, wrapped: { readonly texts: boolean }, depth: number): JsonObject | undefined {
  if (depth > deepest) return undefined;
  if (isRecord(value)) return isMessage(value) ? value : undefined;
  if (Array.isArray(value)) return value.length === 1 ? messageIn(value[0], wrapped, depth + 1) : undefined;
  return typeof value === "string" && wrapped.texts ? messageIn(parseWrapped(value), wrapped, depth + 1) : undefined;
}

const isMessage = ({ role, type, parts }: JsonObject): boolean =>
  typeof role === "string" || typeof type === "string" || Array.isArray(parts);

/** Drops an empty message, such as null or an empty list. False for any other. */
export function dropNothing(source: Source, rule: RuleId, journal: Journal): boolean {
  const { wire } = source;
  const isEmptyList = Array.isArray(wire) && wire.length === 0;
  if (wire !== null && wire !== undefined && wire !== "" && !isEmptyList) return false;
  const message = "The message is not an object and has no content.";
  journal.note({ source, suffix: "" }, { rule, message }, { type: "remove" });
  return true;
}

/** Normalizes messages to JSON values. Returns the same list if nothing changes. */
export const jsonList = (list: readonly unknown[]): readonly unknown[] => listAsJson(list, -1);

/** The depth to which rules read a message. */
const deepestRead = 8;

/**
 * Normalizes a value to JSON: holes in arrays and values that are not JSON become null. Returns the same reference if
 * nothing changes.
 */
function asJson(value: unknown, depth: number): unknown {
  if (typeof value === "function" || typeof value === "symbol" || value === undefined) return null;
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "object" || value === null || depth > deepestRead) return value;
  if (Array.isArray(value)) return listAsJson(value, depth);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value; // class instances stay unchanged
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(value)) {
    const inner = (value as JsonObject)[key];
    const plain = inner === undefined ? undefined : asJson(inner, depth + 1);
    if (plain !== inner) (copy ??= { ...value })[key] = plain;
  }
  return copy ?? value;
}

function listAsJson(list: readonly unknown[], depth: number): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const plain = asJson(list[i], depth + 1);
    if (plain !== list[i]) (copy ??= Array.from(list))[i] = plain;
  }
  return copy ?? list;
}
