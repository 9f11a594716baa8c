import { isRecord, UndangleError } from "#core";

import { failureOf } from "../http/failure.ts";
import type { Circumstances } from "../http/judge-turn.ts";
import { unreachable } from "../http/unreachable.ts";

type Known = Pick<Circumstances, "model" | "watch" | "secrets">;

/** The error for something that a model of the AI SDK threw. Errors of its packages are identified by name. */
export function failureIn(given: unknown, known: Known): UndangleError {
  const { model, secrets } = known;
  const fields = isRecord(given) ? given : {};
  const { name, statusCode: status, responseBody, responseHeaders, cause } = fields;
  const message = secrets.hide(given instanceof Error ? given.message : String(given));
  const error = discreet(given, secrets);
  if (name === "AI_LoadAPIKeyError") return new UndangleError("model/auth", { model, message, canRetry: false }, error);
  if (typeof name === "string" && ours.includes(name)) {
    return new UndangleError("model/refused", { model, message, canRetry: false }, error);
  }
  if (name === "AI_APICallError" && typeof status === "number") {
    const text = typeof responseBody === "string" && responseBody.trim() !== "" ? responseBody : message;
    return failureOf({ model, status, headers: headersOf(responseHeaders), text, hide: secrets.hide, cause: error });
  }
  if (typeof name === "string" && name.startsWith("AI_") && name !== "AI_APICallError") {
    return failureOf({ model, text: message, hide: secrets.hide, cause: error }); // a response that the package cannot read
  }
  return unreachable(name === "AI_APICallError" ? (cause ?? error) : error, known);
}

/** Properties of package errors that must not reach a log: the whole conversation, and provider echoes of it. */
const bulky: readonly string[] = ["requestBodyValues", "prompt", "responseBody", "responseHeaders", "data"];

/** The error as a cause. Bulky properties become non-enumerable, and an error that contains a secret is rewritten. */
function discreet(error: unknown, { hide, isFree }: Known["secrets"]): unknown {
  if (!(error instanceof Error)) return error;
  for (const key of bulky) {
    if (Object.hasOwn(error, key)) Reflect.defineProperty(error, key, { enumerable: false });
  }
  return isFree(error) ? error : Object.assign(new Error(hide(error.message)), { name: error.name });
}

/** Errors that a retry cannot fix, because the request cannot be sent. */
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
