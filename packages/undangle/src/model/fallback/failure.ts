import { errorText, isRecord, UndangleError } from "#core";
import type { AssembledTurn, ErrorCode, Language } from "#core";

import type { Model } from "../model.ts";

/** A model that failed, and its error. */
export interface Failure {
  readonly model: Model;
  readonly error: unknown;
}

/** True for an error that another model may not have: any but a filtered response or a mistake of the program. */
export function mayBeAnswered(error: unknown): boolean {
  if (!(error instanceof UndangleError)) return true;
  return error.code.startsWith("model/") && error.code !== "model/content-filter";
}

/** True if the error concerns the request, so the model may work for another. */
export const isAboutRequest = (error: unknown): boolean =>
  error instanceof UndangleError && aboutRequest.includes(error.code);

const aboutRequest: readonly ErrorCode[] = ["model/context-overflow", "model/content-filter", "model/refused"];

/** The milliseconds for which the provider asks to wait. */
export function pauseOf(error: unknown): number {
  const pause = error instanceof UndangleError && "retryAfter" in error.data ? error.data.retryAfter : undefined;
  return typeof pause === "number" && pause > 0 ? pause : 0;
}

/** The error of a turn that was truncated or ended with an error; undefined for any other turn. */
export function brokenOff(turn: AssembledTurn, model: string, language: Language): UndangleError | undefined {
  if (!isRecord(turn)) return undefined; // a custom model: the caller reports it
  const { finish, error } = turn;
  if (finish !== null && finish !== "error" && error === undefined) return undefined;
  const message = error?.message ?? (finish === null ? tooEarly : failed)[language];
  return new UndangleError("model/failed", { model, message });
}

const tooEarly: Readonly<Record<Language, string>> = { en: "the response ended too early.", zh: "回答过早结束。" };

const failed: typeof tooEarly = { en: "its response ended with an error.", zh: "回答以错误结束。" };

/** The message when another model takes over. */
export function takeover({ model, error }: Failure, next: Model, language: Language): string {
  const said = error instanceof UndangleError ? errorText(error, language) : `${model.name}: ${wordsOf(error)}`;
  const isSentence = /[.!?)。！？）]$/u.test(said);
  if (language === "zh") return `${said}${isSentence ? "" : "。"}改由 ${next.name} 回答。`;
  return `${said}${isSentence ? "" : "."} Falling back to ${next.name}.`;
}

/**
 * The error of all models together: that of the only model, or one with all errors as its cause. It keeps their code if
 * all are equal, and a context overflow, which the user can fix.
 */
export function failureOfAll(failures: readonly Failure[], name: string): unknown {
  const [first, ...others] = failures;
  if (first === undefined || others.length === 0) return first?.error;
  const cause = new AggregateError(
    failures.map(({ error }) => error),
    failures.map(({ model, error }) => `${model.name}: ${wordsOf(error)}`).join("; "),
  );
  const ours = failures.map(({ error }) => error).filter((error) => error instanceof UndangleError);
  const last = ours.at(-1);
  const isSame = ours.length === failures.length && ours.every(({ code }) => code === last?.code);
  const told = ours.find(({ code }) => code === "model/context-overflow") ?? (isSame ? last : undefined);
  if (told === undefined) return new UndangleError("model/failed", { model: name, message: cause.message }, cause);
  return new UndangleError(...([told.code, told.data, cause] as ConstructorParameters<typeof UndangleError>)); // the data of that code
}

function wordsOf(error: unknown): string {
  if (error instanceof UndangleError && "message" in error.data) return error.data.message;
  return error instanceof Error ? error.message || error.name : String(error);
}
