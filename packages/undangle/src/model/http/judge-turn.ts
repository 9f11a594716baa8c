import { UndangleError } from "#core";
import type { AssembledTurn } from "#core";

import { failureOf } from "./failure.ts";
import type { Secrets } from "./secrets.ts";
import type { Watch } from "./watch.ts";

/** Details of a response besides its turn. */
export interface Circumstances {
  readonly model: string;
  readonly watch: Watch;
  readonly secrets: Secrets;
  readonly response: Response;
  /** The start of its body. */
  readonly opening: string;
}

/** The error of an unusable response; undefined for a usable one. */
export function faultInTurn(turn: AssembledTurn, circumstances: Circumstances): UndangleError | undefined {
  const { model, secrets, response, opening } = circumstances;
  const { error } = turn;
  const isEmpty = turn.parts.length === 0;
  // An end marker alone (`data: [DONE]`) is not a response: there is neither text nor a finish reason.
  const isUnsaid = isEmpty && turn.anomalies.some(({ kind }) => kind === "finish-missing");
  const finish = isUnsaid ? null : turn.finish;
  const refusal = { model, headers: response.headers, hide: secrets.hide };
  if (error?.from === "connection") return brokenOff(error.message, circumstances);
  if (error !== undefined) return failureOf({ ...refusal, text: error.message, code: error.code });
  if (finish === "error") return failureOf({ ...refusal, text: "the response ended with an error" });
  if (finish === null && isEmpty && opening.trim() !== "" && !looksStreamed(opening)) {
    return failureOf({ ...refusal, text: opening, code: "server_error" });
  }
  if (finish === null) return brokenOff(isEmpty ? "the response is empty" : "the response was cut off", circumstances);
  if (finish === "content_filter" && isEmpty) {
    const message = "a content filter suppressed the response";
    return new UndangleError("model/content-filter", { model, message, canRetry: false });
  }
  return undefined;
}

/** Events or JSON lines. */
const looksStreamed = (opening: string): boolean => /^\s*(?:\ufeff)?(?:data:|event:|id:|retry:|:|[[{])/u.test(opening);

/** A lost connection, or a provider that stopped sending. */
export function brokenOff(
  words: string,
  { model, watch, secrets }: Pick<Circumstances, "model" | "watch" | "secrets">,
): UndangleError {
  const late = watch.timedOut();
  const message = secrets.hide(words);
  if (late !== undefined) return new UndangleError("model/timeout", { model, message, ...late, canRetry: true });
  return new UndangleError("model/unreachable", { model, message, canRetry: true });
}
