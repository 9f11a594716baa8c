import { isRecord, UndangleError } from "#core";
import type { ThreadQuery } from "#store";

/** The allowed values of an option, and their description. */
export interface OptionCheck {
  readonly fits: (value: unknown) => boolean;
  readonly values: readonly string[];
  readonly isRequired?: boolean;
}

/** Throws for unknown options, then for invalid values. Undefined counts as omitted. */
export function checkedOptions<Options extends object, Name extends string>(
  options: Options,
  allowed: readonly Name[],
  checks: Readonly<Record<Name, OptionCheck>>,
  prefix = "",
): Options {
  const given: unknown = options; // callers may not use types
  if (!isRecord(given))
    throw new UndangleError("options/value", { option: "options", value: given, allowed: ["an object"] });
  const unknown = Object.keys(given).find((key) => !allowed.some((name) => name === key));
  if (unknown !== undefined) throw new UndangleError("options/unknown", { option: prefix + unknown, allowed });
  for (const name of allowed) {
    const { fits, values, isRequired = false } = checks[name];
    const value = given[name];
    if ((value !== undefined || isRequired) && !fits(value))
      throw new UndangleError("options/value", { option: prefix + name, value, allowed: values });
  }
  return options;
}

/** The keys of a table. */
export const keysOf = <Name extends string>(table: Readonly<Record<Name, unknown>>): readonly Name[] =>
  Object.keys(table) as Name[]; // the table has no other keys

export const isText = (value: unknown): boolean => typeof value === "string";

export const yesOrNo: OptionCheck = {
  fits: (value) => typeof value === "boolean",
  values: ["true", "false"],
};

/** Refuses an invalid query: a misspelt key would match everything. */
export const checkedQuery = (query: ThreadQuery): ThreadQuery => checkedOptions(query, keysOf(checks), checks);

const statuses: readonly unknown[] = ["idle", "running", "waiting"] satisfies readonly ThreadQuery["status"][];
const text: OptionCheck = { fits: isText, values: ["a string"] };

const checks: Readonly<Record<keyof ThreadQuery, OptionCheck>> = {
  parent: text,
  search: text,
  idPrefix: text,
  status: { fits: (value) => statuses.includes(value), values: statuses.map(String) },
  isOwned: yesOrNo,
  dueBefore: { fits: Number.isFinite, values: ["a time in milliseconds"] },
  isDeleted: yesOrNo,
  limit: {
    fits: (value) => value === Infinity || (Number.isInteger(value) && Number(value) >= 0),
    values: ["a whole number of at least 0"],
  },
  after: {
    fits: (value) => isRecord(value) && Number.isFinite(value["updatedAt"]) && isText(value["id"]),
    values: ["{ updatedAt, id } of the last thread of the previous page"],
  },
};
