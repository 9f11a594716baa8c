import { isEqual } from "./check-arguments.ts";
import { isRecord } from "../../parts/json-record.ts";
import { memberPath, ownValue } from "./schema-fields.ts";
import type { JsonRecord } from "../../parts/json-record.ts";

/** The most characters of a value. */
const longestValue = 40;

/** What is shown of a long value before the first difference. */
const lead = 8;

/** What a person changed in arguments, in one line of at most about `longest` characters: `amount: 300 → 250`. */
export function changeLine(before: JsonRecord, after: JsonRecord, none: string, longest = 240): string {
  const changes: string[] = [];
  let length = 0;
  for (const { path, one, other } of differences(before, after, "")) {
    if (length > longest) return `${changes.join(" · ")} · …`;
    const [first, second] = cut(written(one, none), written(other, none));
    changes.push(`${path.slice(0, longest)}: ${first} → ${second}`);
    length += changes.at(-1)?.length ?? 0;
  }
  return changes.join(" · ");
}

interface Difference {
  readonly path: string;
  readonly one: unknown;
  readonly other: unknown;
}

/** The values that differ, inside objects and inside lists of the same length. */
function* differences(one: unknown, other: unknown, path: string): Generator<Difference> {
  if (isEqual(one, other)) return;
  if (isRecord(one) && isRecord(other)) {
    for (const key of new Set([...Object.keys(one), ...Object.keys(other)]))
      yield* differences(ownValue(one, key), ownValue(other, key), memberPath(path, key));
  } else if (Array.isArray(one) && Array.isArray(other) && one.length === other.length) {
    for (const [i, item] of one.entries()) yield* differences(item, other[i], `${path}[${i}]`);
  } else yield { path, one, other };
}

/** As JSON, so that a text `5` is not taken for the number, and a space at the end can be seen. */
const written = (value: unknown, none: string): string => JSON.stringify(value) ?? none;

/** Two values from shortly before their first difference on. */
function cut(one: string, other: string): readonly [string, string] {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same++;
  const start = same <= 2 * lead ? 0 : same - lead;
  const part = (text: string): string => {
    const end = start + longestValue;
    return `${start > 0 ? "…" : ""}${text.slice(start, end).toWellFormed()}${text.length > end ? "…" : ""}`;
  };
  return [part(one), part(other)];
}
