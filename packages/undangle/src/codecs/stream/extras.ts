import type { JsonObject } from "#core";

type Extras = Record<string, unknown> | undefined;

/** Collects additional keys of a call. Calls rarely have any. */
export function extrasIn(wire: JsonObject, usual: ReadonlySet<string>, known: Extras): Extras {
  const isExtra = (key: string): boolean => !usual.has(key) && wire[key] !== undefined && wire[key] !== null;
  for (const key in wire) {
    if (isExtra(key))
      return { ...known, ...Object.fromEntries(Object.entries(wire).filter(([each]) => isExtra(each))) };
  }
  return known;
}
