import { assert, integer, property, array, string, constantFrom, oneof } from "fast-check";
import { expect, test } from "vitest";

import { addId, createIdTable, cutIds, hasId } from "./id-table.ts";

test("a table of ids holds what a set holds, through growth and being cut", () => {
  const id = oneof(string(), constantFrom("", "__proto__", "constructor", "call_1", "call_2"));
  assert(
    property(array(id, { maxLength: 400, size: "max" }), integer({ min: 0, max: 400 }), (ids, size) => {
      const table = createIdTable();
      const set = new Set<string>();
      for (const each of ids) {
        expect(addId(table, each)).toBe(!set.has(each));
        set.add(each);
      }
      cutIds(table, size);
      const left = new Set([...set].slice(0, size));
      expect(table.ids.length).toBe(left.size);
      for (const each of set) expect(hasId(table, each)).toBe(left.has(each));
      for (const each of set) expect(addId(table, each)).toBe(!left.has(each));
    }),
  );
});

test("ids that were chosen to collide do not make it slow or wrong", () => {
  const table = createIdTable();
  const ids = collidingIds(300);
  for (const id of ids) expect(addId(table, id)).toBe(true);
  for (const id of ids) expect(addId(table, id)).toBe(false);
  expect(hasId(table, "another")).toBe(false);
  cutIds(table, 100);
  expect(ids.map((id) => hasId(table, id))).toEqual(ids.map((_, i) => i < 100));
});

/** Texts of the same hash: a step of it is a multiplication by an odd number modulo 2^32, which can be undone. */
function collidingIds(count: number): string[] {
  const prime = 0x01000193;
  let inverse = 1;
  for (let i = 0; i < 5; i++) inverse = Math.imul(inverse, 2 - Math.imul(prime, inverse));
  const found: string[] = [];
  for (let seed = 0; found.length < count; seed++) {
    // Four code units lead from the length to the same state whatever the first two are.
    let forward = 4;
    for (const code of [seed % 0x7fff, (seed * 7919) % 0x7fff]) forward = Math.imul(forward ^ code, prime);
    const back = Math.imul(0x1234567, inverse);
    for (let last = 0; last < 0x8000; last++) {
      const middle = Math.imul(back ^ last, inverse) ^ forward;
      if (middle >>> 16 !== 0) continue;
      found.push(String.fromCharCode(seed % 0x7fff, (seed * 7919) % 0x7fff, middle, last));
      break;
    }
  }
  return found;
}
