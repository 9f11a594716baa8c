import { isRecord } from "#core";

/** A mismatch: its path, the value, and the allowed values. */
export interface Misfit {
  readonly at: string;
  readonly value: unknown;
  readonly allowed: string;
}

/** Validates an external value. Undefined if it is valid. */
export type Shape = (value: unknown) => Misfit | undefined;

/** An object with these fields, and possibly others. */
export function object(fields: Readonly<Record<string, Shape>>): Shape {
  const entries = Object.entries(fields);
  return (value) => {
    if (!isRecord(value)) return misfit(value, "an object");
    for (const [name, shape] of entries) {
      const wrong = shape(value[name]);
      if (wrong !== undefined) return { ...wrong, at: `.${name}${wrong.at}` };
    }
    return undefined;
  };
}

/** An object whose `type` determines its fields. */
export function variant(kinds: Readonly<Record<string, Readonly<Record<string, Shape>>>>): Shape {
  const shapes = new Map<unknown, Shape>(Object.entries(kinds).map(([type, fields]) => [type, object(fields)]));
  const known = object({ type: oneOf(Object.keys(kinds)) });
  return (value) => known(value) ?? shapes.get(isRecord(value) ? value["type"] : undefined)?.(value);
}

/** A list whose items all have this shape. */
export function list(shape: Shape): Shape {
  return (value) => {
    if (!Array.isArray(value)) return misfit(value, "a list");
    for (const [i, each] of value.entries()) {
      const wrong = shape(each);
      if (wrong !== undefined) return { ...wrong, at: `[${i}]${wrong.at}` };
    }
    return undefined;
  };
}

/** Undefined, or a value of this shape. */
export const optional =
  (shape: Shape): Shape =>
  (value) =>
    value === undefined ? undefined : shape(value);

/** One of these values. */
export const oneOf = (allowed: readonly unknown[]): Shape =>
  fitting((value) => allowed.includes(value), allowed.map(String).join(", "));

/** A value that passes a test. `allowed` describes it in errors. */
export function fitting(fits: (value: unknown) => boolean, allowed: string): Shape {
  return (value) => (fits(value) ? undefined : misfit(value, allowed));
}

export const text = fitting((value) => typeof value === "string", "a string");
export const number = fitting(Number.isFinite, "a number");
export const count = fitting(
  (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  "a whole number of at least 0",
);
export const flag = fitting((value) => typeof value === "boolean", "true, false");
export const anything: Shape = () => undefined;

const misfit = (value: unknown, allowed: string): Misfit => ({ at: "", value, allowed });
