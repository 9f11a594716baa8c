import { codecs, streamFormats } from "#codecs";
import type { StreamFormat } from "#codecs";
import { languages, UndangleError } from "#core";

import { createReporter } from "./reporter.ts";
import type { WireLogger, WireRepair } from "./reporter.ts";
import { endpointOf, fitsEndpoint, fitsUnread } from "./request/endpoints.ts";
import type { Endpoint } from "./request/endpoints.ts";
import { addressOf, readRequest } from "./request/read-request.ts";
import type { SentRequest } from "./request/read-request.ts";
import { repairRequest } from "./request/repair-request.ts";
import type { RequestRepairOptions } from "./request/repair-request.ts";
import type * as ResponseRepair from "./response/repair-response.ts";

/** The platform's `fetch`, the type that SDKs ask for. Without one in the types, any function. */
export type Fetch = typeof globalThis extends { readonly fetch: infer Global }
  ? Global
  : (input: never, init?: never) => Promise<never>;

/** Its call signature. Some runtimes add members to `fetch` that a program's own function does not have. */
type FetchCall = typeof globalThis extends { readonly fetch: (...given: infer Given) => infer Result }
  ? (...given: Given) => Result
  : (input: never, init?: never) => Promise<unknown>;

/** The part of `fetch` that is wrapped. */
type Send = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

export interface WrapFetchOptions extends RequestRepairOptions {
  /** The function to wrap. Default: the global `fetch`. */
  readonly fetch?: FetchCall | undefined;
  /** `warn` reports damage and changes nothing. `off` passes everything unread. */
  readonly mode?: "repair" | "warn" | "off" | undefined;
  /** `hold` passes calls when they are complete. `stream` passes them as they arrive and repairs only their identity. */
  readonly toolCalls?: "hold" | "stream" | undefined;
  /** For endpoints whose path does not show the format. */
  readonly format?: StreamFormat | undefined;
  /** The provider whose rules apply. Default: the one of the host. */
  readonly provider?: string | undefined;
  /** Called for every request and response that was repaired. */
  readonly onRepair?: ((repair: WireRepair) => void) | undefined;
  /** Gets one line per repair. Default: the console. */
  readonly logger?: WireLogger | false | undefined;
  /** Larger bodies pass unchanged. */
  readonly maxBytes?: number | undefined;
}

interface Environment {
  readonly fetch: Fetch;
  readonly logger: WireLogger;
  /** Milliseconds from an arbitrary start. */
  readonly now: () => number;
  /** Resolves after a number of milliseconds. */
  readonly wait: (milliseconds: number) => Promise<void>;
}

const defaultMaxBytes = 64 * 1024 * 1024;

export function wrapFetch(options: WrapFetchOptions, { fetch, ...environment }: Environment): Fetch {
  validateWrapOptions(options);
  return createWrapper(options, environment)(options.fetch ?? fetch);
}

/** The SDK provides the function to wrap. */
export type AnthropicMiddlewareOptions = Omit<WrapFetchOptions, "fetch" | "format" | "provider">;

/** A middleware of `@anthropic-ai/sdk`, by its structure. */
export type AnthropicMiddleware = <Sent extends { readonly url: string }, Result>(
  request: Sent,
  next: (request: Sent) => Promise<Result>,
) => Promise<Result>;

export function anthropicMiddleware(
  options: AnthropicMiddlewareOptions,
  environment: Omit<Environment, "fetch">,
): AnthropicMiddleware {
  validateWrapOptions(options);
  const wrap = createWrapper({ ...options, format: "anthropic" }, { ...environment, agent: "Anthropic/JS" });
  return async <Sent extends { readonly url: string }, Result>(
    request: Sent,
    next: (request: Sent) => Promise<Result>,
  ): Promise<Result> => {
    const { url, ...init } = request;
    if (!/\/messages(?:\/count_tokens)?(?:\?|$)/u.test(url)) return next(request); // such as a request for credentials
    // `next` gives the response of a fetch, and the wrapper gives that or a copy with another body.
    const send: Send = (input, changed) =>
      next({ ...request, ...changed, url: addressOf(input) }) as Promise<unknown> as Promise<Response>;
    return (await wrap(send)(url, init)) as Result;
  };
}

interface WrapperEnvironment extends Omit<Environment, "fetch"> {
  /** The client, if it is known. */
  readonly agent?: string;
}

/** Wraps a function that sends requests. */
function createWrapper(options: WrapFetchOptions, environment: WrapperEnvironment): (send: Send) => Send {
  const { mode = "repair", toolCalls = "hold", maxBytes = defaultMaxBytes, onRepair } = options;
  const { now, wait, agent } = environment;
  if (mode === "off") return (send) => send;
  const reporter = createReporter({ onRepair, logger: options.logger ?? environment.logger });
  let loading: Promise<typeof ResponseRepair> | undefined;
  return (send) => async (input, init) => {
    const recognised = await recognise(input, init, options).catch(() => undefined); // `send` reports what is wrong with it
    if (recognised === undefined) return send(input, init);
    const { endpoint } = recognised;
    const request = agent === undefined ? recognised.request : { ...recognised.request, agent };
    const repaired = request.body === undefined ? undefined : repairRequest(request, endpoint, options, reporter);
    const sent = send(...(repaired ?? ([input, init] as const)));
    loading ??= import("./response/repair-response.ts"); // with the first request, after the start of the program
    loading.catch(() => undefined); // reported below, if there is a response
    const response = await sent;
    try {
      if (!isModelResponse(response)) return response;
      const { repairResponse } = await loading;
      return await repairResponse(response, { endpoint, request, mode, toolCalls, maxBytes, reporter, now, wait });
    } catch (error) {
      reporter.fail("response", request.url, error); // its body has not been read yet
      return response;
    }
  };
}

/** The endpoint and the body of a request to a model. Undefined for other requests, which are not read. */
async function recognise(
  input: string | URL | Request,
  init: RequestInit | undefined,
  { format, provider, maxBytes = defaultMaxBytes }: WrapFetchOptions,
): Promise<{ readonly endpoint: Endpoint; readonly request: SentRequest } | undefined> {
  const byAddress = endpointOf(addressOf(input));
  const known =
    format === undefined ? byAddress : { provider: undefined, model: undefined, ...byAddress, format, isGuess: false };
  if (known === undefined) return undefined;
  const hasProvider = provider !== undefined && codecs[known.format].providers.includes(provider); // it may be one of another format
  const endpoint = hasProvider ? { ...known, provider } : known;
  const request = await readRequest(input, init, maxBytes);
  if (request === undefined) return undefined;
  // Without its body, only the path shows that a request has messages.
  const isFit =
    request.body === undefined
      ? byAddress !== undefined && fitsUnread(request, endpoint)
      : fitsEndpoint(request, endpoint);
  return isFit ? { endpoint, request } : undefined;
}

/** True for a response that may hold a turn. A non-standard `Response` may have another kind of body. */
const isModelResponse = ({ ok, status, body, headers }: Response): boolean =>
  ok &&
  status !== 204 &&
  status !== 205 &&
  typeof body?.getReader === "function" &&
  typeof headers?.get === "function" &&
  headers.get("content-length") !== "0" && // clients check it
  /event-stream|json|^text\/plain|^$/iu.test(headers.get("content-type") ?? "");

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
function validateWrapOptions(options: unknown): void {
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
