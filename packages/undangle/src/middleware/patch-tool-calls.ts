import { defaultNotice, mendMessagesAsync } from "#codecs";
import type { NoticeRequest } from "#codecs";
import { languages, UndangleError } from "#core";
import type { Language } from "#core";
import { defineMiddleware, keptWordsName, noticesIn, wordedMessages, wording } from "#engine";
import type { Middleware, Wording } from "#engine";

/** When and in which words the model is told of calls that have no result. */
export interface PatchOptions {
  /** `model`: whenever the model is asked. `run`: when it is asked for the first time in a run. */
  readonly when?: "run" | "model" | undefined;
  /**
   * True stores the texts in the thread, so that the model gets the same texts later. By default they are created each
   * time.
   */
  readonly persist?: boolean | undefined;
  /** Other words for any notice; where it throws, or its promise does, ours are used. */
  readonly notice?: ((call: NoticeRequest, context: NoticeContext) => string | Promise<string>) | undefined;
  /** `classic`: the superseded sentence for every cause but rejected, malformed and truncated. */
  readonly notices?: "by-cause" | "classic" | undefined;
  /** Left out, that of the agent. */
  readonly language?: Language | undefined;
}

/** Where words are asked for: the thread, and a signal that is aborted when the run is to end. */
interface NoticeContext {
  readonly threadId: string;
  readonly signal: AbortSignal;
}

/** The words that are kept, by the ids of their calls. */
const noWords: Readonly<Record<string, string>> = {};

/**
 * Guards what reaches the model where hooks or imports have rewritten the history: every call has its result, and those that
 * have none are told of in the words that are wanted.
 */
export function patchToolCalls(options: PatchOptions = {}): Middleware {
  checkOptions(options);
  const { when = "model", persist = false, notice, notices, language: own } = options;
  const isRewording = notice !== undefined || notices === "classic" || own !== undefined || persist;
  const runs = new WeakMap<AbortSignal, Readonly<Record<string, string>>>(); // what was told in each run so far
  const middleware = defineMiddleware({
    name: keptWordsName,
    state: { initial: noWords },
    wrapModelCall: (next) => async (request, context) => {
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

/** What the user's function says; undefined where it has nothing to say. */
async function ownWords(
  notice: PatchOptions["notice"],
  call: NoticeRequest,
  context: NoticeContext,
): Promise<string | undefined> {
  try {
    const text: unknown = await notice?.(call, context);
    return typeof text === "string" ? text : undefined;
  } catch {
    return undefined; // ours are true in any case, and the model must not wait for these
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
