import { contextOverflow, UndangleError } from "#core";

import { failureKind } from "./failure-texts.ts";
import { failureWords } from "./failure-words.ts";
import { retryAfter } from "./retry-after.ts";
import type { HeaderSource } from "./retry-after.ts";

/** A failed response of a provider. */
export interface Refusal {
  readonly model: string;
  /** Undefined for an error in the middle of a stream. */
  readonly status?: number | undefined;
  readonly headers?: HeaderSource | undefined;
  /** The error body, or the text of an event. */
  readonly text: string;
  readonly code?: string | undefined;
  /** Removes secrets from the text. */
  readonly hide?: ((text: string) => string) | undefined;
  readonly cause?: unknown;
}

/** The error of a failed response, with a code. */
export function failureOf(refusal: Refusal): UndangleError {
  const { model, status, headers, code, hide = (text: string) => text, cause } = refusal;
  const words = failureWords(refusal.text);
  const marks = `${words.marks}${code === undefined ? "" : ` code=${code}`}`;
  const requestId = requestIdIn(headers) ?? words.requestId;
  const after = retryAfter(headers, refusal.text, Date.now());
  const isWilling = headers?.get("x-should-retry"); // OpenAI and Anthropic send this header
  const fault = (canRetry: boolean) => ({
    model,
    message: hide(words.message === "" ? `status ${status ?? "unknown"}, without an error text` : words.message),
    ...(status !== undefined && { status }),
    ...(requestId !== undefined && { requestId }),
    ...(after !== undefined && { retryAfter: after }),
    canRetry: isWilling === "true" || (isWilling !== "false" && canRetry),
  });
  switch (natureOf(status ?? statusIn(marks), `${marks} ${words.message}`)) {
    case "quota":
      return new UndangleError("model/rate-limit", { ...fault(false), canRetry: false }, cause);
    case "rate":
      return new UndangleError("model/rate-limit", fault(true), cause);
    case "overloaded":
      return new UndangleError("model/overloaded", fault(true), cause);
    case "overflow":
      return new UndangleError(
        "model/context-overflow",
        { ...fault(false), ...contextOverflow(refusal.text), canRetry: false },
        cause,
      );
    case "filter":
      return new UndangleError("model/content-filter", { ...fault(false), canRetry: false }, cause);
    case "auth":
      return new UndangleError("model/auth", fault(false), cause);
    case "refused":
      // The second case does not concern the request: Groq could not parse the call of its model.
      return new UndangleError("model/refused", fault(status === 409 || /code=tool_use_failed\b/u.test(marks)), cause);
  }
}

type Nature = "quota" | "rate" | "overloaded" | "overflow" | "filter" | "auth" | "refused";

/** The kind of error. The text is more specific than the status, if both agree. */
function natureOf(status: number | undefined, words: string): Nature {
  const kind = failureKind(words);
  if (kind === "place") return "refused";
  if (kind === "quota" || kind === "overflow" || kind === "filter") return kind;
  if (status === undefined) return kind ?? "overloaded"; // most errors in the middle of a stream are temporary
  if (status === 429) return kind === "overloaded" ? "overloaded" : "rate";
  if (status === 401) return "auth";
  if (status === 402) return "quota";
  if (status === 413) return "overflow";
  if (status === 403) return /a page of HTML/u.test(words) ? "refused" : "auth"; // the page of a firewall does not concern the key
  if (status === 408 || status === 425) return "overloaded";
  if (status >= 500 && status !== 501 && status !== 505) return kind === "rate" ? "rate" : "overloaded";
  return kind === "auth" || kind === "rate" ? kind : "refused";
}

const statuses: readonly (readonly [word: RegExp, status: number])[] = [
  [/invalid_request_error|INVALID_ARGUMENT|invalid_request/u, 400],
  [/not_found/u, 404],
  [/api_error|internal_(?:server_)?error|INTERNAL/u, 500],
];

/** The status that an error in a stream corresponds to. */
function statusIn(marks: string): number | undefined {
  const [, number] = /\b(?:code|status|status_code)=([45]\d\d)\b/u.exec(marks) ?? [];
  return number === undefined ? statuses.find(([word]) => word.test(marks))?.[1] : Number(number);
}

const idHeaders = [
  "x-request-id",
  "request-id",
  "apim-request-id",
  "x-ds-trace-id",
  "msh-request-id",
  "x-log-id",
  "trace-id",
  "cf-ray",
];

function requestIdIn(headers: HeaderSource | undefined): string | undefined {
  for (const name of idHeaders) {
    const id = headers?.get(name);
    if (id !== undefined && id !== null && id !== "") return id;
  }
  return undefined;
}
