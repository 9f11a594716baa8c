import { UndangleError } from "undangle";
import type { ErrorCode } from "undangle";
import type { RefusedCall } from "undangle/client";

import { fieldsIn } from "../record.ts";

/** An error for the caller: a status, a code, a message and the parameter at fault. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly code: string;
  readonly param: string | undefined;
  /** Added to the headers of the response. */
  readonly headers: Readonly<Record<string, string>>;
  /** The thread at fault, which the body and a header name. */
  readonly thread: string | undefined;
  /** The calls whose decisions were refused, as they are now. */
  readonly calls: readonly RefusedCall[] | undefined;

  constructor(status: number, code: string, message: string, more: ErrorDetails = {}) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.status = status;
    this.code = code;
    this.param = more.param;
    this.thread = more.thread;
    this.calls = more.calls;
    const named = more.thread === undefined ? {} : { "x-undangle-thread": encodeURIComponent(more.thread) };
    this.headers = { ...named, ...more.headers };
  }
}

/** The same error with its thread. */
export const inThread = ({ status, code, message, param, headers, cause }: ApiError, thread: string): ApiError =>
  new ApiError(status, code, message, { param, headers, cause, thread });

export interface ErrorDetails {
  readonly thread?: string | undefined;
  readonly calls?: readonly RefusedCall[] | undefined;
  readonly param?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly cause?: unknown;
}

/** The body of an error response, in OpenAI's format. */
export interface ErrorBody {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string;
  };
  readonly undangle?: { readonly thread_id: string; readonly calls?: readonly RefusedCall[] };
}

export const errorBody = ({ status, code, message, param, thread, calls }: ApiError): ErrorBody => ({
  error: { message, type: typeOf(status), param: param ?? null, code },
  ...(thread !== undefined && { undangle: { thread_id: thread, ...(calls !== undefined && { calls }) } }),
});

/** OpenAI's error type for a status. */
function typeOf(status: number): string {
  if (status === 401) return "authentication_error";
  if (status === 403) return "permission_error";
  if (status === 429) return "rate_limit_error";
  return status >= 500 ? "server_error" : "invalid_request_error";
}

/** The status of each code that a caller can cause. Any other code is an internal error. */
const statuses: Readonly<Partial<Record<ErrorCode, number>>> = {
  "input/not-json": 400,
  "input/no-messages": 400,
  "input/empty": 400,
  "input/shape": 400,
  "input/cyclic": 400,
  "input/too-deep": 400,
  "format/unknown": 400,
  "format/ambiguous": 400,
  "format/unsupported": 400,
  "options/unknown": 400,
  "options/value": 400,
  "tool/name": 400,
  "tool/schema": 400,
  "tool/duplicate": 400,
  "file/path": 400,
  "decision/refused": 409,
  "decision/none": 409,
  "allowance/unknown": 404,
  "thread/busy": 409,
  "thread/owned": 409,
  "thread/deleted": 410,
  "thread/unknown": 404,
  "thread/empty": 409,
  "thread/exists": 409,
  "thread/child": 409,
  "thread/no-original": 404,
  "thread/entry": 400,
  "store/conflict": 409,
  "store/busy": 503,
  "store/full": 503,
  "store/failed": 503,
  "store/closed": 503,
  "run/limit": 422,
  "run/loop": 422,
  "run/crashed": 409,
  "output/missing": 502,
  "model/failed": 502,
  "model/faulty": 502,
  "model/rate-limit": 503,
  "model/overloaded": 503,
  "model/context-overflow": 422,
  "model/refused": 502,
  "model/auth": 502,
  "model/content-filter": 422,
  "model/timeout": 504,
  "model/unreachable": 502,
};

/** The error for the caller of anything that was thrown. Paths and stacks stay in the log. */
export function apiErrorOf(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof UndangleError) {
    if (thrown.is("options/value") && thrown.data.option === "maxMode") return overLimit(thrown);
    return new ApiError(statusIn(thrown), thrown.code, publicWords(thrown), {
      param: paramOf(thrown),
      headers: retryHeaders(thrown),
      cause: thrown,
    });
  }
  const { statusCode, code, message } = fastifyFault(thrown);
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new ApiError(statusCode, code ?? "bad-request", message, { cause: thrown });
  return new ApiError(500, "internal", unknownFault, { cause: thrown });
}

/** The error of a message that would join a run with a wider mode than its sender may give. */
const overLimit = (cause: UndangleError): ApiError => new ApiError(403, "scope-missing", joinsEdits, { cause });

const joinsEdits =
  "The message would join a run with the mode accept-edits, which needs a key with the scope approve. Send it when the run is over.";

/** The same for the failure of a run, which may come from the store. */
export function outcomeError(error: { readonly code: ErrorCode; readonly message: string } | undefined): ApiError {
  if (error === undefined || error instanceof Error) return apiErrorOf(error);
  return new ApiError(statusOf(error.code), error.code, publicWords(error));
}

const statusOf = (code: ErrorCode): number => statuses[code] ?? 500;

/** A rate limit passes soon, so the caller can retry; an exhausted quota needs the operator of the server. */
const statusIn = (error: UndangleError): number =>
  error.is("model/rate-limit") && error.data.canRetry ? 429 : statusOf(error.code);

/** The wait that the provider requested, in seconds. */
function retryHeaders({ data }: UndangleError): Readonly<Record<string, string>> {
  const ms = "retryAfter" in data ? data.retryAfter : undefined;
  return ms === undefined ? {} : { "retry-after": String(Math.max(1, Math.ceil(ms / 1000))) };
}

/** The message of an error without files, hosts, keys and provider texts, which stay in the log. */
export function publicWords(error: { readonly code: ErrorCode; readonly message: string }): string {
  const { code, message } = error;
  if (error instanceof UndangleError && error.is("model/auth") && error.data.variables !== undefined)
    return `This server has no key for the provider of the model. Start it with ${error.data.variables.join(" or ")} in its environment.`;
  const own = ownWords[code] ?? (code.startsWith("store/") ? storeFault : undefined);
  return own ?? (statusOf(code) === 500 ? unknownFault : message);
}

/** In place of the reason of a discarded response, which may be the text of a provider. */
export const abandonedText = "The response was abandoned; see the log.";

const unknownFault = "Internal server error. The log has the details under the request id.";

const storeFault = "The database cannot be used at the moment. Nothing was saved; try again.";

const ownWords: Readonly<Partial<Record<ErrorCode, string>>> = {
  "store/conflict": "Another client changed this thread. Read it and try again.",
  "thread/owned": "Another process is running this thread. Try again when its run is over.",
  "run/crashed": "The process that ran this thread ended unexpectedly.",
  "model/failed": "The model failed; see the log. The thread is unchanged. Try again.",
  "model/auth": "The key of this server for the provider of the model is missing or was not accepted. See the log.",
  "model/unreachable":
    "The provider of the model cannot be reached, or its response is empty or incomplete. The thread is unchanged. Try again.",
  "model/rate-limit": "The provider of the model limits the request rate. The thread is unchanged. Try again later.",
  "model/overloaded": "The provider of the model is overloaded or failing. The thread is unchanged. Try again later.",
  "model/refused": "The provider of the model refused the request. The log has the reason under the request id.",
  "model/timeout": "The provider of the model did not respond in time. The thread is unchanged. Try again.",
  "model/context-overflow":
    "The conversation is too long for the model. Shorten it, or use a model with a larger context.",
  "model/content-filter": "The provider of the model filtered the content. The same content would be filtered again.",
};

function paramOf(error: UndangleError): string | undefined {
  const { option, path, name } = error.data as Readonly<Record<string, unknown>>; // the data of any code
  if (error.code === "input/shape" && typeof path === "string") return path;
  if (typeof option === "string") return option;
  if (error.code === "thread/entry") return "at";
  if (error.code === "file/path") return "files";
  return error.code.startsWith("tool/") && typeof name === "string" ? "tools" : undefined;
}

interface FastifyFault {
  readonly statusCode: number | undefined;
  readonly code: string | undefined;
  readonly message: string;
}

function fastifyFault(thrown: unknown): FastifyFault {
  const { statusCode, code, message } = fieldsIn(thrown);
  const words = plainWords[String(code)] ?? (typeof message === "string" ? message : "The request could not be read.");
  return {
    statusCode: typeof statusCode === "number" ? statusCode : undefined,
    code: typeof code === "string" ? plainCode(code) : undefined,
    message: words.endsWith(".") ? words : `${words}.`,
  };
}

/** Instructions for errors of Fastify that only name the problem. */
const plainWords: Readonly<Record<string, string>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "The body must be JSON, with Content-Type: application/json.",
  FST_ERR_CTP_BODY_TOO_LARGE: "The body exceeds the limit of this server. Send less at a time.",
};

/** `FST_ERR_CTP_INVALID_MEDIA_TYPE` as `invalid-media-type`. */
const plainCode = (code: string): string =>
  code
    .replace(/^FST_ERR_(?:CTP_)?/u, "")
    .toLowerCase()
    .replaceAll("_", "-");
