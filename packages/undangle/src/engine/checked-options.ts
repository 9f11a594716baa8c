import { isRecord, UndangleError } from "#core";

/** The allowed values of an option, and their description. */
export interface OptionCheck {
  readonly fits: (value: unknown) => boolean;
  readonly values: readonly string[];
}

/** Throws for unknown options and invalid values. Undefined counts as omitted. */
export function checkedOptions<Options extends object, Name extends string>(
  options: Options,
  allowed: readonly Name[],
  checks: Readonly<Record<Name, OptionCheck>>,
): Options {
  const given: unknown = options; // callers may not use types
  if (!isRecord(given))
    throw new UndangleError("options/value", { option: "options", value: given, allowed: ["an object"] });
  for (const [option, value] of Object.entries(given)) {
    const name = allowed.find((each) => each === option);
    if (name === undefined) throw new UndangleError("options/unknown", { option, allowed });
    const { fits, values } = checks[name];
    if (value !== undefined && !fits(value))
      throw new UndangleError("options/value", { option, value, allowed: values });
  }
  return options;
}

export const isText = (value: unknown): boolean => typeof value === "string";

export const yesOrNo: OptionCheck = {
  fits: (value) => typeof value === "boolean",
  values: ["true", "false"],
};
