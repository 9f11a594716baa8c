import { isRecord, suggest, UndangleError } from "#core";

import { showKey } from "./find-key.ts";
import type { KeyPath } from "./find-key.ts";

/** The place of a key; FILE alone if it is unknown. */
export type PlaceOf = (key: KeyPath) => string;

/** The allowed values of a key. */
export type Check = readonly [fits: (value: unknown) => boolean, allowed: readonly string[]];

interface Checking {
  readonly checks: Readonly<Record<string, Check>>;
  readonly placeOf: PlaceOf;
}

/** Refuses a value that is not an object, unknown keys, and invalid values. */
export function checkRecord(
  value: unknown,
  at: KeyPath,
  { checks, placeOf }: Checking,
): asserts value is Readonly<Record<string, unknown>> {
  demand(isRecord(value), value, { key: at, allowed: ["an object"], placeOf });
  for (const [key, inner] of Object.entries(value as object)) {
    const check = Object.hasOwn(checks, key) ? checks[key] : undefined;
    const allowed = Object.keys(checks);
    if (check === undefined) {
      const nearest = suggest(key, allowed);
      const place = placeOf([...at, key]);
      throw new UndangleError("config/key", {
        place,
        key: showKey([...at, key]),
        allowed,
        ...(nearest !== undefined && { nearest }),
      });
    }
    const [fits, values] = check;
    demand(inner === undefined || fits(inner), inner, { key: [...at, key], allowed: values, placeOf });
  }
}

interface Wanted {
  readonly key: KeyPath;
  readonly allowed: readonly string[];
  readonly placeOf: PlaceOf;
}

/** Refuses an invalid value, with its line. */
export function demand(isFine: boolean, value: unknown, { key, allowed, placeOf }: Wanted): asserts isFine {
  if (isFine) return;
  throw new UndangleError("config/value", { place: placeOf(key), key: shownKey(key), value, allowed });
}

/** The root has no key. */
export const shownKey = (key: KeyPath): string => (key.length === 0 ? "the default export" : showKey(key));
