import { isRecord, UndangleError } from "#core";

import { failureOf } from "../http/failure.ts";
import type { Circumstances } from "../http/judge-turn.ts";
import { unreachable } from "../http/unreachable.ts";

type Known = Pick<Circumstances, "model" | "watch" | "secrets">;

/** What it means that a model of the AI SDK threw: the errors of its packages are told apart by their names. */
export function failureIn(error: unknown, known: Known): UndangleError {
  const { model, secrets } = known;
  const fields = isRecord(error) ? error : {};
  const { name, statusCode: status, responseBody, responseHeaders, cause } = fields;
  const message = secrets.hide(error instanceof Error ? error.message : String(error));
  if (name === "AI_LoadAPIKeyError") return new UndangleError("model/auth", { model, message, canRetry: false }, error);
  if (typeof name === "string" && ours.includes(name)) {
    return new UndangleError("model/refused", { model, message, canRetry: false }, error);
  }
  if (name === "AI_APICallError" && typeof status === "number") {
    const text = typeof responseBody === "string" && responseBody.trim() !== "" ? responseBody : message;
    return failureOf({ model, status, headers: headersOf(responseHeaders), text, hide: secrets.hide, cause: error });
  }
  if (typeof name === "string" && name.startsWith("AI_") && name !== "AI_APICallError") {
    return failureOf({ model, text: message, hide: secrets.hide, cause: error }); // an answer that the package cannot read
  }
  return unreachable(name === "AI_APICallError" ? (cause ?? error) : error, known);
}

/** What no repetition helps: what was asked for cannot be sent. */
const ours: readonly string[] = [
  "AI_InvalidArgumentError",
  "AI_InvalidPromptError",
  "AI_LoadSettingError",
  "AI_NoSuchModelError",
  "AI_NoSuchProviderReferenceError",
  "AI_UnsupportedFunctionalityError",
  "AI_UnsupportedModelVersionError",
];

function headersOf(given: unknown): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(isRecord(given) ? given : {})) {
    if (typeof value === "string") headers.set(name, value);
  }
  return headers;
}
