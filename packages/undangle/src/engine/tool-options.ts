import { isRecord, UndangleError } from "#core";
import type { JsonObject } from "#core";

import { checkRule, ownRuleKeys } from "./approvals/rules.ts";

/** Throws for unknown options of `tool()` and invalid values, with the name of the tool. */
export function refuseBadOptions(options: unknown): void {
  if (!isRecord(options)) {
    throw new UndangleError("options/value", { option: "options", value: options, allowed: ["an object with a name"] });
  }
  const { name, retries, approval, annotations } = options;
  if (typeof name !== "string" || !/^[a-zA-Z0-9_-]{1,64}$/u.test(name)) throw new UndangleError("tool/name", { name });
  refuseAllBut(toolOptions, options, name);
  if (isRecord(retries)) refuseAllBut(retryOptions, retries, `${name}.retries`);
  if (isRecord(annotations)) refuseAllBut(annotationOptions, annotations, `${name}.annotations`);
  if (isRecord(approval)) checkRule(approval, `${name}.approval`, ownRuleKeys);
}

type Kinds = Readonly<Record<string, { readonly allowed: string; readonly fits: (value: unknown) => boolean }>>;

function refuseAllBut(kinds: Kinds, options: JsonObject, place: string): void {
  const allowed = Object.keys(kinds);
  const unknown = Object.keys(options).find((option) => !allowed.includes(option));
  if (unknown !== undefined) throw new UndangleError("options/unknown", { option: `${place}.${unknown}`, allowed });
  for (const [option, { allowed: what, fits }] of Object.entries(kinds)) {
    const value = options[option];
    if (!fits(value))
      throw new UndangleError("options/value", { option: `${place}.${option}`, value, allowed: [what] });
  }
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;

/** JavaScript timers longer than 2^31 - 1 milliseconds fire immediately. */
const isWait = (value: unknown): boolean => typeof value === "number" && value >= 0 && value < 2 ** 31;

const isFlag = (value: unknown): boolean => value === undefined || typeof value === "boolean";

const toolOptions: Kinds = {
  name: { allowed: "a name", fits: (value) => typeof value === "string" },
  description: { allowed: "a string", fits: (value) => typeof value === "string" },
  input: { allowed: "a schema", fits: () => true }, // validated separately
  execute: { allowed: "a function", fits: (value) => typeof value === "function" },
  approval: { allowed: "true, false, or an object", fits: (value) => isFlag(value) || isRecord(value) },
  idempotent: { allowed: "true or false", fits: isFlag },
  timeout: {
    allowed: "milliseconds from 1 to 2147483647",
    fits: (value) => value === undefined || (isWait(value) && value !== 0),
  },
  retries: {
    allowed: "a whole number of at least 0, or { times, delay }",
    fits: (value) => value === undefined || isCount(value) || isRecord(value),
  },
  title: {
    allowed: "a non-empty string",
    fits: (value) => value === undefined || (typeof value === "string" && value !== ""),
  },
  annotations: { allowed: "an object", fits: (value) => value === undefined || isRecord(value) },
  render: { allowed: "a function", fits: (value) => value === undefined || typeof value === "function" },
};

const annotationOptions: Kinds = Object.fromEntries(
  ["readOnly", "destructive", "edits"].map((name) => [name, { allowed: "true or false", fits: isFlag }]),
);

const retryOptions: Kinds = {
  times: { allowed: "a whole number of at least 0", fits: isCount },
  delay: { allowed: "milliseconds from 0 to 2147483647", fits: isWait },
};
