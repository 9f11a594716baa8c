import { ApiError } from "../responses/api-error.ts";
import { isRecord } from "../record.ts";

/** Reads the fields of an object, each with a type check. `null` counts as absent, as in OpenAI's API. */
export interface Fields {
  readonly all: Readonly<Record<string, unknown>>;
  text(name: string): string | undefined;
  flag(name: string): boolean | undefined;
  number(name: string, range?: Range): number | undefined;
  list(name: string): readonly unknown[] | undefined;
  record(name: string): Readonly<Record<string, unknown>> | undefined;
}

export interface Range {
  readonly least?: number;
  readonly most?: number;
  readonly whole?: boolean;
}

export function fieldsOf(value: unknown, at = ""): Fields {
  if (!isRecord(value)) throw bad(at === "" ? "body" : at, "an object", value);
  const placed = (name: string): string => (at === "" ? name : `${at}.${name}`);
  const read = <T>(name: string, fits: (value: unknown) => value is T, wanted: string): T | undefined => {
    const given = value[name];
    if (given === undefined || given === null) return undefined;
    if (fits(given)) return given;
    throw bad(placed(name), wanted, given);
  };
  return {
    all: value,
    text: (name) =>
      read(name, (given): given is string => typeof given === "string" && given !== "", "a non-empty string"),
    flag: (name) => read(name, (given): given is boolean => typeof given === "boolean", "true or false"),
    list: (name) => read(name, (given): given is readonly unknown[] => Array.isArray(given), "a list"),
    record: (name) => read(name, isRecord, "an object"),
    number: (name, range = {}) =>
      read(name, (given): given is number => typeof given === "number" && isIn(given, range), rangeWords(range)),
  };
}

/** An OpenAI-style error for a parameter. */
export const bad = (param: string, wanted: string, got: unknown): ApiError =>
  new ApiError(
    400,
    got === undefined ? "parameter-missing" : "parameter-invalid",
    got === undefined
      ? `${param} is missing: it must be ${wanted}.`
      : `${param} must be ${wanted}, but it is ${shown(got)}.`,
    { param },
  );

const isIn = (value: number, { least = -Infinity, most = Infinity, whole = false }: Range): boolean =>
  Number.isFinite(value) && value >= least && value <= most && (!whole || Number.isSafeInteger(value));

function rangeWords({ least, most, whole = false }: Range): string {
  const kind = whole ? "a whole number" : "a number";
  if (least !== undefined && most !== undefined) return `${kind} from ${least} to ${most}`;
  return least === undefined ? kind : `${kind} from ${least} on`;
}

function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value !== "object" || value === null) return String(value);
  const keys = Object.keys(value);
  const some = keys.slice(0, 5).map((key) => (key.length > 60 ? `${key.slice(0, 60)}…` : key));
  return keys.length === 0 ? "an empty object" : `an object with ${some.join(", ")}${keys.length > 5 ? ", …" : ""}`;
}
