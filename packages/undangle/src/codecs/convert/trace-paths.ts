import { isRecord } from "#core";
import type { JsonObject } from "#core";

/**
 * Finds the original path of a value. Unchanged values are the same objects; others are located from the nearest
 * unchanged parent.
 */
export function tracePaths(input: unknown, repaired: unknown, listKey: string): (path: string) => string {
  if (input === repaired) return (path) => path;
  const places = new Map<object, string>();
  const root = rooted(input, listKey);
  addPlaces(root, places);
  return (path) => existing(trace(path, rooted(repaired, listKey), places), root);
}

/** Wraps a bare array under the list key of a body. */
const rooted = (value: unknown, listKey: string): unknown => (Array.isArray(value) ? { [listKey]: value } : value);

function addPlaces(root: unknown, places: Map<object, string>): void {
  const waiting: { readonly value: unknown; readonly path: string }[] = [{ value: root, path: "" }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, path } = next;
    if (typeof value !== "object" || value === null || places.has(value)) continue;
    places.set(value, path);
    if (Array.isArray(value)) value.forEach((one: unknown, i) => waiting.push({ value: one, path: `${path}[${i}]` }));
    else if (isRecord(value)) {
      for (const [key, one] of Object.entries(value)) {
        waiting.push({ value: one, path: path === "" ? key : `${path}.${key}` });
      }
    }
  }
}

function trace(path: string, root: unknown, places: ReadonlyMap<object, string>): string {
  let value = root;
  let found = path;
  for (const step of path.matchAll(steps)) {
    const [whole, index, key] = step;
    if (typeof value !== "object" || value === null) break;
    value = memberOf(value, index ?? key ?? "");
    const place = typeof value === "object" && value !== null ? places.get(value) : undefined;
    if (place !== undefined) found = place + path.slice(step.index + whole.length);
  }
  return found;
}

/** The longest prefix of a path that exists. */
function existing(path: string, root: unknown): string {
  let value = root;
  let end = 0;
  for (const [whole, index, key] of path.matchAll(steps)) {
    value = typeof value === "object" && value !== null ? memberOf(value, index ?? key ?? "") : undefined;
    if (value === undefined) return path.slice(0, end);
    end += whole.length;
  }
  return path;
}

const steps = /\[(\d+)\]|\.?([^.[\]]+)/g;

const memberOf = (value: object, key: string): unknown => (value as JsonObject)[key]; // any value
