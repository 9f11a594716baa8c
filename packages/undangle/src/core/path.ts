/** What stands at a path such as `messages[3].content[0].id` in the list that the path calls `messages`; undefined for nothing. */
export function valueAt(list: readonly unknown[], path: string): unknown {
  let value: unknown = list;
  for (const [, index, key] of path.slice(path.indexOf("[")).matchAll(/\[(\d+)\]|\.(\w+)/g)) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[index ?? key ?? ""]; // whatever is there
  }
  return value;
}
