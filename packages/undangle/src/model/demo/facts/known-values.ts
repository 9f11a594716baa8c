import { isRecord } from "#core";

const deepest = 4;
const most = 500;

/** What the results of tools said, by its name: an id in one result is an argument of the next call. */
export type KnownValues = ReadonlyMap<string, unknown>;

/** The values in texts of results that are JSON; the first text counts most, and in it what stands first. */
export function knownValuesIn(texts: readonly string[]): KnownValues {
  const known = new Map<string, unknown>();
  const read = (value: unknown, depth: number): void => {
    if (depth > deepest || known.size > most) return;
    if (Array.isArray(value)) for (const each of value.slice(0, 3)) read(each, depth + 1);
    if (!isRecord(value)) return;
    for (const [name, inner] of Object.entries(value)) {
      const key = keyOf(name);
      if (!known.has(key) && (typeof inner !== "object" || inner === null)) known.set(key, inner);
    }
    for (const inner of Object.values(value)) read(inner, depth + 1);
  };
  for (const text of texts) read(parsed(text), 0);
  return known;
}

/** A value by the name of an argument: `mailId` is the id of a result about mail. */
export function knownValue(known: KnownValues, name: string): unknown {
  const key = keyOf(name);
  return known.get(key) ?? (key.endsWith("id") ? known.get("id") : undefined);
}

const keyOf = (name: string): string => name.toLowerCase().replaceAll(/[_\-\s]/gu, "");

function parsed(text: string): unknown {
  if (!/^\s*[[{]/u.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // it is a text
  }
}
