import { codecs, repair, repairKeepingMedia } from "#codecs";
import type { RepairOptions, StreamFormat } from "#codecs";
import type { UnansweredCall } from "#core";

import { endpointOf, rulesOf } from "./endpoint.ts";
import type { Endpoint } from "./endpoint.ts";
import { exactNumbersIn } from "./exact-numbers.ts";
import type { Fetch, FetchCall } from "./fetch.ts";
import { fitsEndpoint, fitsUnread } from "./fits-endpoint.ts";
import type * as Mending from "./mend-response.ts";
import { addressOf, readRequest } from "./request-body.ts";
import type { ReadRequest, SentRequest } from "./request-body.ts";
import type { Send } from "./send.ts";
import { createReporter } from "./wire-report.ts";
import type { Reporter, WireLogger, WireRepair } from "./wire-report.ts";
import { validateWrapOptions } from "./wrap-options.ts";

export interface WrapFetchOptions extends Pick<
  RepairOptions,
  "language" | "notice" | "notices" | "orphans" | "duplicates"
> {
  /** What is wrapped; left out, the global `fetch`. */
  readonly fetch?: FetchCall | undefined;
  /** `warn`: what is wrong is told and nothing is changed; `off`: nothing is looked at. */
  readonly mode?: "repair" | "warn" | "off" | undefined;
  /** `stream`: calls pass while they come, and only their identity is mended; `hold`: when they are over. */
  readonly toolCalls?: "hold" | "stream" | undefined;
  /** For endpoints that are not told by their path. */
  readonly format?: StreamFormat | undefined;
  /** Whose rules hold; left out, it is told by the host. */
  readonly provider?: string | undefined;
  /** Is told of every request and response that was mended. */
  readonly onRepair?: ((repair: WireRepair) => void) | undefined;
  /** Gets a line for each of them; left out, the console; false: nobody. */
  readonly logger?: WireLogger | false | undefined;
  /** Bodies over this size pass as they are. */
  readonly maxBytes?: number | undefined;
}

/** What there is where this runs. */
interface Surroundings {
  readonly fetch: Fetch;
  readonly logger: WireLogger;
  /** The time in milliseconds, from whenever. */
  readonly now: () => number;
}

const mostBytes = 64 * 1024 * 1024;

export function wrapFetch(options: WrapFetchOptions, { fetch, ...around }: Surroundings): Fetch {
  validateWrapOptions(options);
  return createWrapper(options, around)(options.fetch ?? fetch);
}

/** Options but for what is wrapped: the SDK says that itself. */
export type AnthropicMiddlewareOptions = Omit<WrapFetchOptions, "fetch" | "format" | "provider">;

/** A middleware of `@anthropic-ai/sdk`, by its structure. */
export type AnthropicMiddleware = <Asked extends { readonly url: string }, Answer>(
  request: Asked,
  next: (request: Asked) => Promise<Answer>,
) => Promise<Answer>;

export function anthropicMiddleware(
  options: AnthropicMiddlewareOptions,
  around: Omit<Surroundings, "fetch">,
): AnthropicMiddleware {
  validateWrapOptions(options);
  const wrap = createWrapper({ ...options, format: "anthropic" }, { ...around, agent: "Anthropic/JS" });
  return async <Asked extends { readonly url: string }, Answer>(
    request: Asked,
    next: (request: Asked) => Promise<Answer>,
  ): Promise<Answer> => {
    const { url, ...init } = request;
    if (!/\/messages(?:\/count_tokens)?(?:\?|$)/u.test(url)) return next(request); // gets credentials, say
    // What `next` gives is the response of a fetch, and what comes back is that or one with another body.
    const send: Send = (input, changed) =>
      next({ ...request, ...changed, url: addressOf(input) }) as Promise<unknown> as Promise<Response>;
    return (await wrap(send)(url, init)) as Answer;
  };
}

interface Around extends Omit<Surroundings, "fetch"> {
  /** What the client is, where that is known. */
  readonly agent?: string;
}

/** Puts the mending around whatever sends requests. */
function createWrapper(options: WrapFetchOptions, around: Around): (send: Send) => Send {
  const { mode = "repair", toolCalls = "hold", maxBytes = mostBytes, onRepair, logger = around.logger } = options;
  const { now, agent } = around;
  if (mode === "off") return (send) => send;
  const reporter = createReporter({ onRepair, logger });
  let loading: Promise<typeof Mending> | undefined;
  return (send) => async (input, init) => {
    const asked = await ask(input, init, options).catch(() => undefined); // `send` says what is wrong with it
    if (asked === undefined) return send(input, init);
    const { endpoint } = asked;
    const request = agent === undefined ? asked.request : { ...asked.request, agent };
    const mended = request.body === undefined ? undefined : mendRequest(request, endpoint, options, reporter);
    const sent = send(...(mended ?? ([input, init] as const)));
    loading ??= import("./mend-response.ts"); // with the first request, long after the start of most programs
    loading.catch(() => undefined); // it is reported below, if there is a response
    const response = await sent;
    try {
      if (!isAnswer(response)) return response;
      const { mendResponse } = await loading;
      return await mendResponse(response, { endpoint, request, mode, toolCalls, maxBytes, reporter, now });
    } catch (error) {
      reporter.fail("response", request.url, error); // nothing was read of it yet
      return response;
    }
  };
}

/** What is asked, and of whom; undefined for what is none of our business, of which nothing is read. */
async function ask(
  input: string | URL | Request,
  init: RequestInit | undefined,
  { format, provider, maxBytes = mostBytes }: WrapFetchOptions,
): Promise<{ readonly endpoint: Endpoint; readonly request: SentRequest } | undefined> {
  const told = endpointOf(addressOf(input));
  const known =
    format === undefined ? told : { provider: undefined, model: undefined, ...told, format, isGuess: false };
  if (known === undefined) return undefined;
  const isProvider = provider !== undefined && codecs[known.format].providers.includes(provider); // else one of other formats
  const endpoint = isProvider ? { ...known, provider } : known;
  const request = await readRequest(input, init, maxBytes);
  if (request === undefined) return undefined;
  // That a body without messages is none of a format is not known of one that was not read: there the path has to say it.
  const isFit =
    request.body === undefined ? told !== undefined && fitsUnread(request, endpoint) : fitsEndpoint(request, endpoint);
  return isFit ? { endpoint, request } : undefined;
}

/** The arguments of `fetch` with the mended body; undefined when there is nothing to mend, or nobody wants it. */
function mendRequest(
  { url, text, body, withBody }: ReadRequest,
  endpoint: Endpoint,
  { mode, language, notice, notices, orphans, duplicates }: WrapFetchOptions,
  reporter: Reporter,
): ReturnType<ReadRequest["withBody"]> | undefined {
  try {
    const { format, model } = endpoint;
    const provider = rulesOf(endpoint, body);
    const mend = provider === endpoint.provider ? repair : repairKeepingMedia; // a gateway may show to a model what its maker refuses
    const options = { format, provider, model, language, notices, orphans, duplicates };
    const words = notice && remembered(notice);
    const { output, edits, problems } = mend(body, { ...options, notice: words?.ask });
    if (edits.length === 0 && problems.length === 0) return undefined;
    const isChanged = mode !== "warn" && edits.length > 0;
    const again = (other: string): string =>
      JSON.stringify(mend(JSON.parse(other), { ...options, notice: words?.again }).output);
    const mended = isChanged ? withBody(written(output, text, again)) : undefined;
    reporter.tell({ side: "request", url, format, isChanged, edits, problems });
    return mended;
  } catch (error) {
    reporter.fail("request", url, error); // a body that cannot be read is the provider's to refuse
    return undefined;
  }
}

/** The text of a mended body, with its numbers as they were written. */
function written(output: unknown, text: string, repairAgain: (text: string) => string): string {
  const made = JSON.stringify(output);
  const numbers = exactNumbersIn(text);
  return numbers === undefined ? made : numbers.restore(repairAgain(numbers.masked), made);
}

/** A generator of notices that is asked once for each of them, and the words that it had, in the same order. */
function remembered(notice: (call: UnansweredCall) => string): Record<"ask" | "again", typeof notice> {
  const said: string[] = [];
  let next = 0;
  return {
    ask(call) {
      const words = notice(call);
      said.push(words);
      return words;
    },
    again: () => said[next++] ?? "",
  };
}

/** True for a response that holds what a model says; one of another kind than that of the platform has other bodies. */
const isAnswer = ({ ok, status, body, headers }: Response): boolean =>
  ok &&
  status !== 204 &&
  status !== 205 &&
  typeof body?.getReader === "function" &&
  typeof headers?.get === "function" &&
  headers.get("content-length") !== "0" && // there is nothing in it, and clients look at that
  /event-stream|json|^text\/plain|^$/iu.test(headers.get("content-type") ?? "");
