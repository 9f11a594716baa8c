import { isRecord, UndangleError } from "#core";
import type { FileBackendSource } from "#files";

/** Throws `options/value` if a value does not fit. */
export function demand(isFine: boolean, option: string, value: unknown, allowed: readonly string[]): void {
  if (!isFine) throw new UndangleError("options/value", { option, value, allowed });
}

/** Throws for a value that is no object, and `options/unknown` for a key that is not allowed. `option` is where it is. */
export function refuseUnknown(options: unknown, allowed: readonly string[], option: string): void {
  demand(isRecord(options), option, options, [`{ ${allowed.join(", ")} }`]);
  const unknown = Object.keys(options as object).find((key) => !allowed.includes(key));
  if (unknown === undefined) return;
  throw new UndangleError("options/unknown", {
    option: option === "options" ? unknown : `${option}.${unknown}`,
    allowed,
  });
}

/** Throws for a value that gives no files. */
export function demandFiles(files: FileBackendSource, option: string): void {
  const isBackend = typeof files === "function" || (isRecord(files) && typeof files["read"] === "function");
  demand(isBackend, option, files, ["a file backend", "a function that returns one"]);
}

export const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
export const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
export const isListOf = (value: unknown, fits: (each: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(fits);
