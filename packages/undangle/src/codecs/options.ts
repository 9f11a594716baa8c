import { isRecord, languages, renderNotice, UndangleError } from "#core";
import type { Cause, Language, Policy, Told, UnansweredCall } from "#core";

import type { Format } from "./codec.ts";

/** The target of a history. */
export interface Target {
  readonly format?: Format | undefined;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
}

export type CheckOptions = Target;

/** The call that a notice is written for. */
export interface NoticeRequest {
  /** The id in the output. */
  readonly id: string;
  readonly name: string;
  /** As on the wire: text in some formats, a value in others. */
  readonly arguments: unknown;
  readonly cause: Cause;
  /** Index of the call's message in the input. */
  readonly position: number;
  readonly language: Language;
  /** The reason of a rejection, if the history has one. */
  readonly reason?: string | undefined;
}

/** The options of a repair. */
export interface RepairOptions<Notice = string> extends Target {
  readonly language?: Language | undefined;
  /** Replaces the text of any notice. */
  readonly notice?: ((call: NoticeRequest) => Notice) | undefined;
  /** `classic`: one fixed sentence for every cause except rejected, malformed and truncated. */
  readonly notices?: "by-cause" | "classic" | undefined;
  readonly orphans?: "restore" | "quote" | "drop" | undefined;
  readonly duplicates?: "merge" | "last" | undefined;
  /** `leave`: calls at the end stay open, for an engine that will run them. */
  readonly danglingAtEnd?: "answer" | "leave" | undefined;
}

/** The target of a history, and how the rest after a cut may start. */
export interface CutOptions extends Target {
  /**
   * `user` (default): the rest starts with a message of the user, as every provider accepts it. `any`: it may start with
   * a turn of the model, for a caller that inserts a user message before it, such as a summary.
   */
  readonly start?: "user" | "any" | undefined;
}

/** The target of a history, and how much of it is kept. */
export interface TrimOptions extends Target {
  /** The largest size of the messages after the system messages at the start. */
  readonly keep: { readonly messages: number } | { readonly tokens: number };
  /** Counts the tokens of a message. Default: `estimateTokens`. */
  readonly countTokens?: ((message: unknown) => number) | undefined;
}

/** The source and target of a conversion. */
export interface ConvertOptions {
  /** Detected by default. */
  readonly from?: Format | undefined;
  readonly to: Format;
  /** The provider that receives the output. */
  readonly provider?: string | undefined;
  /** The model of the output. Default: the model of the input. */
  readonly model?: string | undefined;
  readonly language?: Language | undefined;
}

type Check = (option: string, value: unknown) => void;

const oneOf =
  (allowed: readonly string[]): Check =>
  (option, value) => {
    if (typeof value !== "string" || !allowed.includes(value)) {
      throw new UndangleError("options/value", { option, value, allowed });
    }
  };

const text: Check = (option, value) => {
  if (typeof value !== "string") throw new UndangleError("options/value", { option, value, allowed: ["a string"] });
};

const callable: Check = (option, value) => {
  if (typeof value !== "function") throw new UndangleError("options/value", { option, value, allowed: ["a function"] });
};

const targetChecks: Readonly<Record<keyof Target, Check>> = {
  format: text, // validated by the table of codecs
  provider: text,
  model: text,
};

const repairChecks: Readonly<Record<keyof RepairOptions, Check>> = {
  ...targetChecks,
  language: oneOf(languages),
  notice: callable,
  notices: oneOf(["by-cause", "classic"]),
  orphans: oneOf(["restore", "quote", "drop"]),
  duplicates: oneOf(["merge", "last"]),
  danglingAtEnd: oneOf(["answer", "leave"]),
};

const cutChecks: Readonly<Record<keyof CutOptions, Check>> = { ...targetChecks, start: oneOf(["user", "any"]) };

const size: Check = (option, value) => {
  const sizes: readonly unknown[] = isRecord(value) ? Object.values(value) : [];
  const isKnown = isRecord(value) && ("messages" in value || "tokens" in value);
  if (isKnown && sizes.length === 1 && typeof sizes[0] === "number" && sizes[0] >= 0) return;
  throw new UndangleError("options/value", { option, value, allowed: ["{ messages: number }", "{ tokens: number }"] });
};

const trimChecks: Readonly<Record<keyof TrimOptions, Check>> = { ...targetChecks, keep: size, countTokens: callable };

const convertChecks: Readonly<Record<keyof ConvertOptions, Check>> = {
  from: text,
  to: text,
  provider: text,
  model: text,
  language: oneOf(languages),
};

/** Refuses unknown options and invalid values, and lists the allowed ones. */
export const validateCheckOptions = (options: object): void => validate(options, targetChecks);
export const validateRepairOptions = (options: object): void => validate(options, repairChecks);
export const validateCutOptions = (options: object): void => validate(options, cutChecks);
export const validateTrimOptions = (options: TrimOptions): void => {
  validate(options, trimChecks);
  size("keep", options.keep);
};
export const validateConvertOptions = (options: object): void => validate(options, convertChecks);

function validate(options: object, checks: Readonly<Record<string, Check>>): void {
  if (typeof options !== "object" || options === null) {
    throw new UndangleError("options/value", { option: "options", value: options, allowed: ["an object"] });
  }
  for (const [option, value] of Object.entries(options)) {
    const check = Object.hasOwn(checks, option) ? checks[option] : undefined;
    if (check === undefined) throw new UndangleError("options/unknown", { option, allowed: Object.keys(checks) });
    if (value !== undefined) check(option, value);
  }
}

/** The policy of the options, with notices from the caller's generator or the built-in table. */
export function policyOf(
  options: RepairOptions<string | Promise<string>>,
  notice?: (call: UnansweredCall) => Told,
): Policy {
  const { orphans = "restore", duplicates = "merge", danglingAtEnd = "answer", language = "en" } = options;
  return {
    orphans,
    duplicates,
    danglingAtEnd,
    answersPending: options.danglingAtEnd === "answer",
    language,
    notice: notice ?? ((call) => ({ text: defaultNotice(options, call) })),
    hasOwnNotice: notice !== undefined,
    keepsMedia: false,
  };
}

/** The built-in notice of a call without a result. */
export function defaultNotice(
  { notices, language = "en" }: RepairOptions<string | Promise<string>>,
  call: UnansweredCall,
): string {
  const kept = call.cause === "malformed" || call.cause === "truncated" || call.cause === "rejected";
  return renderNotice(call, notices === "classic" && !kept ? "superseded" : call.cause, { language });
}

export const defaultPolicy: Policy = policyOf({});
