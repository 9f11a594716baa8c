import { convert as convertIn, repair as repairIn, repairAsync as repairAsyncIn } from "#codecs";
import type { Converted, ConvertOptions, RepairOptions, Repaired } from "#codecs";
import { causes, languages, renderNotice as renderNoticeIn, UndangleError } from "#core";
import type { Cause, Language, NoticeCall } from "#core";
import { anthropicMiddleware as anthropicMiddlewareIn, wrapFetch as wrapFetchIn } from "#wire";
import type { AnthropicMiddleware, AnthropicMiddlewareOptions, Fetch, WrapFetchOptions } from "#wire";

export { assemble, check, cutPoints, detect, trim } from "#codecs";
export type { AssembledStream, AssembleOptions, StreamFormat, StreamSource } from "#codecs";
export type { Converted, ConvertOptions, Loss } from "#codecs";
export type { CheckOptions, CutOptions, Detected, Format, NoticeRequest, RepairOptions, Repaired } from "#codecs";
export type { Trimmed, TrimOptions } from "#codecs";
export { contextOverflow, estimateTokens, rules, UndangleError } from "#core";
export type {
  Anomaly,
  AnomalyKind,
  AssembledCall,
  AssembledTurn,
  Finish,
  StreamFault,
  StreamPart,
  TurnPart,
  Cause,
  ContextOverflow,
  Edit,
  EditType,
  ErrorCode,
  ErrorData,
  Language,
  NoticeCall,
  Problem,
  Rule,
  RuleCase,
  RuleId,
  Seal,
} from "#core";
export { explain } from "#explain";
export type { ExplainOptions, Explanation } from "#explain";
export type { AnthropicMiddleware, AnthropicMiddlewareOptions, WireLogger, WireRepair, WrapFetchOptions } from "#wire";

let defaultLanguage: Language = "en";

/** Sets the language of notices for this process; the option `language` wins where it is given. */
export function setLanguage(language: Language): void {
  if (!languages.includes(language)) throw unknownLanguage(language);
  defaultLanguage = language;
}

/** Makes a history one that the provider takes, losing nothing, and says what was changed. */
export function repair<T>(input: T, options: RepairOptions = {}): Repaired<T> {
  return repairIn(input, inLanguage(options));
}

/** The same for notice generators that return promises. */
export async function repairAsync<T>(
  input: T,
  options: RepairOptions<string | Promise<string>> = {},
): Promise<Repaired<T>> {
  return repairAsyncIn(input, inLanguage(options));
}

/** Turns a history into another format, healthy for it, and lists what that format cannot hold. */
export function convert(input: unknown, options: ConvertOptions): Converted {
  return convertIn(input, inLanguage(options));
}

/**
 * A `fetch` for any SDK. It repairs requests that a provider would refuse, and responses on which a parser would fail. It is
 * never the reason that a request fails: bodies that it does not understand pass unchanged.
 */
export function wrapFetch(options: WrapFetchOptions = {}): Fetch {
  const known: typeof globalThis.fetch | undefined = globalThis.fetch; // the current one: the wrapper may replace it later
  const fetch = (...given: Parameters<typeof globalThis.fetch>): Promise<Response> =>
    (known ?? globalThis.fetch)(...given);
  return wrapFetchIn(inLanguage(options), { fetch, ...around });
}

/**
 * The same for the option `middleware` of `@anthropic-ai/sdk`. There it also serves clients for Bedrock and Vertex, which sign
 * and rewrite requests after it.
 */
export function anthropicMiddleware(options: AnthropicMiddlewareOptions = {}): AnthropicMiddleware {
  return anthropicMiddlewareIn(inLanguage(options), around);
}

/** The environment of the process: a log, a monotonic clock in milliseconds, and a timer. */
const around = {
  logger: console,
  now: (): number => performance.now(),
  wait: (milliseconds: number): Promise<void> =>
    new Promise((resolve) => {
      setTimeout(resolve, milliseconds);
    }),
};

/** Tells the model in true words why a call has no result. */
export function renderNotice(call: NoticeCall, cause: Cause, options: { readonly language?: Language } = {}): string {
  const { language } = inLanguage(options);
  if (!languages.includes(language)) throw unknownLanguage(language);
  if (!causes.includes(cause))
    throw new UndangleError("options/value", { option: "cause", value: cause, allowed: causes });
  return renderNoticeIn(call, cause, { language });
}

function inLanguage<Options extends { readonly language?: Language | undefined }>(
  options: Options,
): Options & { readonly language: Language } {
  if (typeof options !== "object" || options === null) {
    throw new UndangleError("options/value", { option: "options", value: options, allowed: ["an object"] });
  }
  return { ...options, language: options.language ?? defaultLanguage };
}

const unknownLanguage = (value: unknown): UndangleError =>
  new UndangleError("options/value", { option: "language", value, allowed: languages });
