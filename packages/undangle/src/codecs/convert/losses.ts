import { isRecord } from "#core";
import type { JsonObject } from "#core";

/** Content that the target cannot represent. */
export interface Loss {
  /** The path in the input, such as `messages[3].content[0]`. */
  readonly path: string;
  /** A description of the content. */
  readonly what: string;
  /** Why the target cannot contain it, and what replaces it. */
  readonly why: string;
}

/** Collects what a conversion cannot keep. */
export interface Losses {
  readonly to: string;
  readonly list: readonly Loss[];
  add(path: string, what: string, why?: string): void;
  /** Reports every field with a value that no reader uses. */
  others(record: JsonObject, read: readonly string[], path: string): void;
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

/** True for a default, or an empty container. */
function isBlank(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === "") return true;
  if (typeof value === "function" || typeof value === "symbol") return true; // not part of a history
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && Object.keys(value).length === 0 && Object.getPrototypeOf(value) === Object.prototype;
}
