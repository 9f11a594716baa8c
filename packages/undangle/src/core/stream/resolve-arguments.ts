import { damageOf, isRecord, parseJson } from "../json.ts";
import type { JsonObject } from "../json.ts";
import type { AnomalyKind } from "./anomalies.ts";
import { parseLenient } from "./lenient-json.ts";
import type { AssembledCall } from "./turn.ts";

/** The resolved arguments of a call. */
export interface ResolvedArguments extends Pick<AssembledCall, "arguments" | "raw" | "state"> {
  readonly anomalies: readonly AnomalyKind[];
}

/**
 * Parses the argument fragments of a call once, at the end. Strict parsing comes first; known server errors are
 * considered only if it fails, so that valid streams never change.
 */
export function resolveArguments(fragments: readonly string[], reading: Reading): ResolvedArguments {
  const { ended, lenient, isBlankNone } = reading;
  const raw = joined(fragments);
  const whole = parseJson(raw);
  if (isRecord(whole)) return ready(raw, whole, []);
  const inner = unwrap(whole);
  if (isRecord(inner)) return ready(raw, inner, ["arguments-encoded"]);
  if (inner === null || raw.trim() === "") {
    return isBlankNone ? ready(raw, {}, ["arguments-blank"]) : damaged(raw, "truncated");
  }
  return (
    afterPlaceholders(fragments, raw, reading) ??
    fromLast(fragments, raw) ??
    fromDocuments(raw) ??
    (ended && lenient ? fromAlmostJson(raw) : undefined) ??
    damaged(raw, damageOf(raw) === "truncated" || isLeftOpen(raw) ? "truncated" : "malformed")
  );
}

const joined = (fragments: readonly string[]): string => fragments.reduce((sum, fragment) => sum + fragment, ""); // faster than join

/** How the arguments of a turn are parsed. */
export interface Reading {
  /** True if the turn ended normally. */
  readonly ended: boolean;
  readonly lenient: boolean;
  /** True if blank arguments mean that there are none, and not that they are missing. */
  readonly isBlankNone: boolean;
}

type Arguments = JsonObject;

const ready = (raw: string, value: Arguments, anomalies: readonly AnomalyKind[]): ResolvedArguments => ({
  arguments: value,
  raw,
  state: "ready",
  anomalies,
});

const damaged = (raw: string, state: "malformed" | "truncated"): ResolvedArguments => ({
  arguments: null,
  raw,
  state,
  anomalies: [`arguments-${state}`],
});

/** Unwraps JSON text inside JSON text, up to the depth seen from servers. Null for blank text. */
function unwrap(value: unknown): unknown {
  let inner = value;
  for (let depth = 0; depth < 3 && typeof inner === "string"; depth++) {
    inner = inner.trim() === "" ? null : parseJson(inner);
  }
  return inner;
}

/** True for a value that servers send in place of arguments. */
export const isPlaceholder = (fragment: string): boolean => placeholder.test(fragment.trim());
const placeholder = /^(?:\{\s*\}|null|""|"\{\}")?$/u;

/** The arguments after empty placeholder objects. */
function afterPlaceholders(fragments: readonly string[], raw: string, reading: Reading): ResolvedArguments | undefined {
  const first = fragments.findIndex((text) => !isPlaceholder(text));
  if (first < 1 || fragments.slice(0, first).every((text) => text.trim() === "")) return undefined;
  const rest = resolveArguments(fragments.slice(first), reading);
  return {
    ...rest,
    raw: rest.arguments === null ? raw : rest.raw,
    anomalies: ["arguments-placeholder", ...rest.anomalies],
  };
}

/** The last fragment, if each fragment repeats the one before it, or the last repeats all of them. */
function fromLast(fragments: readonly string[], raw: string): ResolvedArguments | undefined {
  const texts = fragments.filter((fragment) => fragment.trim() !== "");
  const last = texts.at(-1);
  if (last === undefined || texts.length < 2) return undefined;
  const value = unwrap(parseJson(last));
  if (!isRecord(value)) return undefined;
  if (texts.every((fragment, i) => i === 0 || fragment.startsWith(texts[i - 1] ?? ""))) {
    return ready(last, value, ["arguments-cumulative"]);
  }
  const before = raw.slice(0, raw.lastIndexOf(last));
  if (isRecord(unwrap(parseJson(before)))) return undefined; // complete fragments are compared by value
  return withoutBlanks(last).startsWith(withoutBlanks(before)) ? ready(last, value, ["arguments-resent"]) : undefined;
}

const withoutBlanks = (text: string): string => text.replace(/\s+/gu, "");

/** Resolves consecutive JSON values: placeholders and repeated arguments. */
function fromDocuments(raw: string): ResolvedArguments | undefined {
  const documents = splitDocuments(raw);
  if (documents === undefined || documents.length < 2) return undefined;
  const values = documents.map((text) => ({ text, value: unwrap(parseJson(text)) }));
  if (!values.every(({ value }) => isRecord(value) || value === null)) return undefined;
  const filled = values.filter(({ value }) => isRecord(value) && Object.keys(value).length > 0);
  const [first, ...others] = filled.length > 0 ? filled : values;
  if (first === undefined || !isRecord(first.value)) return undefined;
  if (!others.every(({ value }) => isSame(value, first.value))) return undefined;
  return ready(first.text, first.value, [others.length > 0 ? "arguments-resent" : "arguments-placeholder"]);
}

/** True for a text with several different objects. */
export function holdsSeveral(raw: string): boolean {
  const values = splitDocuments(raw)?.map(parseJson) ?? [];
  const [first, ...others] = values.filter((value) => isRecord(value) && Object.keys(value).length > 0);
  return others.some((value) => !isSame(value, first));
}

/** The texts of consecutive JSON values. Undefined if there is anything else. */
function splitDocuments(raw: string): readonly string[] | undefined {
  const documents: string[] = [];
  let depth = 0;
  let start = -1;
  for (let at = 0; at < raw.length; at++) {
    const sign = raw[at];
    if (sign === '"') {
      if (depth === 0) start = at;
      at = stringEnd(raw, at);
      if (at < 0) return undefined;
      if (depth === 0) documents.push(raw.slice(start, at + 1));
    } else if (sign === "{" || sign === "[") {
      if (depth++ === 0) start = at;
    } else if (sign === "}" || sign === "]") {
      if (--depth < 0) return undefined;
      if (depth === 0) documents.push(raw.slice(start, at + 1));
    } else if (depth === 0 && sign?.trim() !== "") {
      if (!raw.startsWith("null", at)) return undefined;
      documents.push("null");
      at += 3;
    }
  }
  return depth === 0 ? documents : undefined;
}

/** The index of the quote that closes the string at `start`, or -1. */
function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at;
  }
  return -1;
}

function isSame(one: unknown, other: unknown, depth = 0): boolean {
  if (depth > 500) return false; // deeper than recursion should go
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, i) => isSame(item, other[i], depth + 1));
  }
  if (!isRecord(one) || !isRecord(other)) return Object.is(one, other);
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isSame(one[key], other[key], depth + 1))
  );
}

/** True if brackets or a string are still open at the end. The text may be invalid for other reasons too. */
function isLeftOpen(raw: string): boolean {
  let depth = 0;
  if (raw.trimEnd().endsWith("}")) return false; // a stray quote, not the end
  for (let at = 0; at < raw.length; at++) {
    const sign = raw[at];
    if (sign === '"') {
      at = stringEnd(raw, at);
      if (at < 0) return true;
    } else if (sign === "{" || sign === "[") depth++;
    else if (sign === "}" || sign === "]") depth--;
  }
  return depth > 0;
}

function fromAlmostJson(raw: string): ResolvedArguments | undefined {
  const value = parseLenient(raw) ?? unwrap(parseJson(`"${raw.trim()}"`)); // quotes that were escaped twice
  return isRecord(value) ? { arguments: value, raw, state: "repaired", anomalies: ["arguments-repaired"] } : undefined;
}
