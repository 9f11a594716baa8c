import { isRecord } from "#core";

/** Something that the target cannot hold. */
export interface Loss {
  /** Where it stands in the input, as in `messages[3].content[0]`. */
  readonly path: string;
  /** What it is. */
  readonly what: string;
  /** Why the target cannot hold it, and what stands in its place. */
  readonly why: string;
}

/** Collects what a conversion cannot keep. */
export interface Losses {
  readonly to: string;
  readonly list: readonly Loss[];
  add(path: string, what: string, why?: string): void;
  /** Notes every field of a record that says something and is not one of those that are read. */
  others(record: Readonly<Record<string, unknown>>, read: readonly string[], path: string): void;
}

export function createLosses(to: string): Losses {
  const list: Loss[] = [];
  const add = (path: string, what: string, why = `${to} has no equivalent`): void => {
    list.push({ path, what, why });
  };
  return {
    to,
    list,
    add,
    others(record, read, path) {
      for (const [key, value] of Object.entries(record)) {
        if (read.includes(key) || isBlank(value)) continue;
        add(path === "" ? key : `${path}.${key}`, key === "cache_control" ? "a cache marker" : `the field ${key}`);
      }
    },
  };
}

/** Says nothing: a default, or a container with nothing in it. */
function isBlank(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === "") return true;
  if (typeof value === "function" || typeof value === "symbol") return true; // not part of a history
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && Object.keys(value).length === 0 && Object.getPrototypeOf(value) === Object.prototype;
}
