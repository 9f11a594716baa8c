import { defaultNotice, mendMessagesAsync } from "#codecs";
import type { NoticeRequest } from "#codecs";
import { languages, UndangleError } from "#core";
import type { Language } from "#core";
import { defineMiddleware, isOfThread, storedNoticesKey, noticesIn, wordedMessages, wording } from "#engine";
import type { Middleware, Wording } from "#engine";

/** When calls without a result get notices, and how the notices are worded. */
export interface PatchOptions {
  /** `model`: before every request. `run`: before the first request of a run. */
  readonly when?: "run" | "model" | undefined;
  /**
   * True stores the texts in the thread, so that the model gets the same texts later. By default they are created each
   * time.
   */
  readonly persist?: boolean | undefined;
  /** Custom text for any notice. If it throws or rejects, the default text is used. */
  readonly notice?: ((call: NoticeRequest, context: NoticeContext) => string | Promise<string>) | undefined;
  /** `classic`: the superseded sentence for every cause but rejected, malformed and truncated. */
  readonly notices?: "by-cause" | "classic" | undefined;
  /** The language of the agent by default. */
  readonly language?: Language | undefined;
}

/** The context of a notice: the thread, and a signal that is aborted when the run must end. */
interface NoticeContext {
  readonly threadId: string;
  readonly signal: AbortSignal;
}

/** The stored notices, by call id. */
const noWords: Readonly<Record<string, string>> = {};

/**
 * Ensures that every call in a request has a result, even if hooks or imports changed the history. Calls without a
 * result get a notice with the configured text.
 */
export function patchToolCalls(options: PatchOptions = {}): Middleware {
  checkOptions(options);
  const { when = "model", persist = false, notice, notices, language: own } = options;
  const isRewording = notice !== undefined || notices === "classic" || own !== undefined || persist;
  const runs = new WeakMap<AbortSignal, Readonly<Record<string, string>>>(); // the notices of each run so far
  const middleware = defineMiddleware({
    name: storedNoticesKey,
    state: { initial: noWords },
    wrapModelCall: (next) => async (request, context) => {
      if (!isRewording && isOfThread(request.messages)) return next(request);
      const { threadId, signal, state } = context;
      const ofRun = noticesIn(context);
      const earlier = when === "run" ? runs.get(signal) : undefined;
      const known = { ...(persist && state.get()), ...earlier };
      const told: Record<string, string> = {};
      const language = own ?? request.language;
      const mayAsk = earlier === undefined;
      const words = async (given: NoticeRequest): Promise<string> => {
        const call = { ...given, language };
        const before = Object.hasOwn(known, call.id) ? known[call.id] : undefined;
        const wanted = before ?? (mayAsk ? await ownWords(notice, call, { threadId, signal }) : undefined);
        const text = wanted ?? defaultNotice({ notices, language: call.language }, call);
        if (mayAsk) told[call.id] = text;
        ofRun?.remember(call.id, text);
        return text;
      };
      const worded = isRewording ? await wordedMessages(request.messages, words) : request.messages;
      const { messages, edits } = await mendMessagesAsync(worded, { language, notice: words });
      ofRun?.report(edits);
      const keep = (): void => {
        runs.set(signal, { ...earlier, ...told });
        if (persist && Object.entries(told).some(([id, text]) => known[id] !== text)) state.update(told);
      };
      keep();
      ofRun?.use(async (call) => {
        const text = await words(call);
        keep();
        return text;
      });
      return next(messages === request.messages ? request : { ...request, messages });
    },
  });
  if (!isRewording) return middleware;
  const words: Wording = async (given, { threadId, signal, language, kept }) => {
    const call = { ...given, language: own ?? language };
    const text = (persist ? kept : undefined) ?? (await ownWords(notice, call, { threadId, signal }));
    return text ?? defaultNotice({ notices, language: call.language }, call);
  };
  return Object.assign(middleware, { [wording]: words });
}

/** The text of the user's function. Undefined for the default. */
async function ownWords(
  notice: PatchOptions["notice"],
  call: NoticeRequest,
  context: NoticeContext,
): Promise<string | undefined> {
  try {
    const text: unknown = await notice?.(call, context);
    return typeof text === "string" ? text : undefined;
  } catch {
    return undefined; // the default text is always correct, and the model must not wait for this one
  }
}

function checkOptions(options: PatchOptions): void {
  const checks: Readonly<Record<keyof PatchOptions, readonly unknown[] | "function">> = {
    when: ["run", "model"],
    persist: [true, false],
    notice: "function",
    notices: ["by-cause", "classic"],
    language: languages,
  };
  for (const [option, value] of Object.entries<unknown>({ ...options })) {
    const allowed = Object.hasOwn(checks, option) ? checks[option as keyof PatchOptions] : undefined;
    if (allowed === undefined) throw new UndangleError("options/unknown", { option, allowed: Object.keys(checks) });
    const isFine = allowed === "function" ? typeof value === "function" : allowed.includes(value);
    const told = allowed === "function" ? ["a function"] : allowed.map(String);
    if (value !== undefined && !isFine) throw new UndangleError("options/value", { option, value, allowed: told });
  }
}
