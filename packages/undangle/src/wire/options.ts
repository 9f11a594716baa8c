import { codecs, streamFormats } from "#codecs";
import { languages, UndangleError } from "#core";

type Check = { readonly allowed: readonly string[]; readonly fits: (value: unknown) => boolean };

const oneOf = (allowed: readonly string[]): Check => ({
  allowed,
  fits: (value) => typeof value === "string" && allowed.includes(value),
});
const unique = (names: readonly string[]): readonly string[] => [...new Set(names)];
const aFunction: Check = { allowed: ["a function"], fits: (value) => typeof value === "function" };

const checks: Readonly<Record<string, Check>> = {
  fetch: aFunction,
  mode: oneOf(["repair", "warn", "off"]),
  toolCalls: oneOf(["hold", "stream"]),
  format: oneOf(streamFormats),
  provider: oneOf(unique(streamFormats.flatMap((format) => codecs[format].providers))),
  onRepair: aFunction,
  logger: {
    allowed: ["false", "an object with a method warn"],
    fits: (value) =>
      value === false ||
      (typeof value === "object" && value !== null && typeof Reflect.get(value, "warn") === "function"),
  },
  maxBytes: { allowed: ["a number of bytes"], fits: (value) => typeof value === "number" && value >= 0 },
  language: oneOf(languages),
  notice: aFunction,
  notices: oneOf(["by-cause", "classic"]),
  orphans: oneOf(["restore", "quote", "drop"]),
  duplicates: oneOf(["merge", "last"]),
};

/** Refuses options that do not exist and values that mean nothing. */
export function validateWrapOptions(options: unknown): void {
  if (typeof options === "function") {
    throw new UndangleError("options/value", { option: "options", value: options, allowed: ["{ fetch }"] });
  }
  if (typeof options !== "object" || options === null) {
    throw new UndangleError("options/value", { option: "options", value: options, allowed: ["an object"] });
  }
  for (const [option, value] of Object.entries<unknown>({ ...options })) {
    const check = Object.hasOwn(checks, option) ? checks[option] : undefined;
    if (check === undefined) throw new UndangleError("options/unknown", { option, allowed: Object.keys(checks) });
    if (value !== undefined && !check.fits(value)) {
      throw new UndangleError("options/value", { option, value, allowed: check.allowed });
    }
  }
}
