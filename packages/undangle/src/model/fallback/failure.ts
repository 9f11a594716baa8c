import { errorText, isRecord, UndangleError } from "#core";
import type { AssembledTurn, ErrorCode, Language } from "#core";

import type { Model } from "../model.ts";

/** A model that could not answer, and why. */
export interface Failure {
  readonly model: Model;
  readonly error: unknown;
}

/** True for what another model may answer: all but an answer that was filtered, and mistakes of the program. */
export function mayBeAnswered(error: unknown): boolean {
  if (!(error instanceof UndangleError)) return true;
  return error.code.startsWith("model/") && error.code !== "model/content-filter";
}

/** True when it is not the model that is out of order: it may answer another request. */
export const isAboutRequest = (error: unknown): boolean =>
  error instanceof UndangleError && aboutRequest.includes(error.code);

const aboutRequest: readonly ErrorCode[] = ["model/context-overflow", "model/content-filter", "model/refused"];

/** For how many milliseconds the provider does not want to be asked. */
export function pauseOf(error: unknown): number {
  const pause = error instanceof UndangleError && "retryAfter" in error.data ? error.data.retryAfter : undefined;
  return typeof pause === "number" && pause > 0 ? pause : 0;
}

/** Why an answer does not count that came to no end, or to a bad one; undefined for any other. */
export function brokenOff(turn: AssembledTurn, model: string, language: Language): UndangleError | undefined {
  if (!isRecord(turn)) return undefined; // a model by hand: whoever takes the turn says so
  const { finish, error } = turn;
  if (finish !== null && finish !== "error" && error === undefined) return undefined;
  const message = error?.message ?? (finish === null ? tooEarly : failed)[language];
  return new UndangleError("model/failed", { model, message });
}

const tooEarly: Readonly<Record<Language, string>> = { en: "the response ended too early.", zh: "回答过早结束。" };

const failed: typeof tooEarly = { en: "its response ended with an error.", zh: "回答以错误结束。" };

/** What is said when another model takes over. */
export function takeover({ model, error }: Failure, next: Model, language: Language): string {
  const said = error instanceof UndangleError ? errorText(error, language) : `${model.name}: ${wordsOf(error)}`;
  const isSentence = /[.!?)。！？）]$/u.test(said);
  if (language === "zh") return `${said}${isSentence ? "" : "。"}改由 ${next.name} 回答。`;
  return `${said}${isSentence ? "" : "."} Falling back to ${next.name}.`;
}

/**
 * The error of all models together: that of the only one, or one that has all of them as its cause. It keeps its code where all
 * have the same, and where for one of them the conversation is too long: that can be helped.
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
