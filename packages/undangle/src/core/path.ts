import type { JsonObject } from "./json.ts";

/** The value at a path such as `messages[3].content[0].id`; undefined if there is none. */
export function valueAt(list: readonly unknown[], path: string): unknown {
  let value: unknown = list;
  for (const [, index, key] of path.slice(path.indexOf("[")).matchAll(/\[(\d+)\]|\.(\w+)/g)) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as JsonObject)[index ?? key ?? ""]; // whatever is there
  }
  return value;
}
