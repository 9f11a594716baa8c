import { isRecord } from "#core";

import type { Filler, Wanted } from "./filler.ts";
import { fitsSchema } from "./fits-schema.ts";
import { listedItems } from "./listed-items.ts";
import { readSchema } from "./read-schema.ts";
import type { Schema } from "./read-schema.ts";

/** A list: as many of its items as were said, and at least as many as it has to have. */
export function fillList(schema: Schema, filler: Filler, wanted: Wanted): unknown {
  const { prefixItems, items, minItems, maxItems } = schema;
  const least = typeof minItems === "number" ? minItems : 0;
  const most = Math.min(typeof maxItems === "number" ? maxItems : 20, 20);
  const name = singular(wanted.name);
  const inner = (place: number): Schema => {
    const given: unknown = Array.isArray(prefixItems) ? ((prefixItems[place] as unknown) ?? items) : items;
    return isRecord(given) ? readSchema(given, filler.root) : {};
  };
  const told = Array.isArray(prefixItems) ? [] : listedItems(inner(0), filler, wanted);
  const list: unknown[] = (schema["uniqueItems"] === true ? unique(told) : told).slice(0, most);
  const mostFound = list.length > 0 ? list.length : most; // what was told is all of it
  const isKept = (value: unknown): boolean =>
    value !== undefined && !list.some((each) => JSON.stringify(each) === JSON.stringify(value));
  while (list.length < mostFound) {
    const value = filler.fill(inner(list.length), filler, {
      ...wanted,
      name,
      isRequired: false,
      depth: wanted.depth + 1,
    });
    if (!isKept(value)) break;
    list.push(value);
  }
  if (!wanted.isRequired && list.length === 0) return undefined;
  if (list.length === 0 && "default" in schema) return schema["default"];
  const wantedLength = Math.max(
    least,
    list.length === 0 && most > 0 && !Array.isArray(prefixItems) ? 1 : 0,
    Array.isArray(prefixItems) ? Math.min(prefixItems.length, most) : 0,
  );
  while (list.length < wantedLength) {
    const value = filler.fill(inner(list.length), filler, {
      ...wanted,
      name,
      isRequired: true,
      depth: wanted.depth + 1,
    });
    if (value === undefined) return fitsSchema(schema, list) ? list : undefined;
    list.push(isKept(value) || schema["uniqueItems"] !== true ? value : another(value, list.length));
  }
  return list;
}

const unique = (values: readonly unknown[]): readonly unknown[] =>
  values.filter((value, i) => values.findIndex((each) => JSON.stringify(each) === JSON.stringify(value)) === i);

/** `recipients` are found by what is said of a recipient. */
const singular = (name: string): string => name.replace(/(?<=[^s])s$/u, "");

/** The same once more, told apart by a number. */
const another = (value: unknown, place: number): unknown =>
  typeof value === "string" ? `${value} ${place + 1}` : typeof value === "number" ? value + place : value;
