import { mendMessagesAsync } from "#codecs";
import type { Message, NoticeRequest, Result } from "#codecs";
import { languages, renderNotice, UndangleError } from "#core";
import type { Cause, Language } from "#core";
import { defineMiddleware, tellInWords } from "#engine";
import type { Middleware } from "#engine";

/** When and in which words the model is told of calls that have no result. */
export interface PatchOptions {
  /** `model`: whenever the model is asked. `run`: when it is asked for the first time in a run. */
  readonly when?: "run" | "model" | undefined;
  /** The words are kept in the thread, so that the model hears the same ones later. Else they are made anew each time. */
  readonly persist?: boolean | undefined;
  /** Other words for any notice; where it throws, or its promise does, ours are used. */
  readonly notice?: ((call: NoticeRequest) => string | Promise<string>) | undefined;
  /** `classic`: the superseded sentence for every cause but rejected, malformed and truncated. */
  readonly notices?: "by-cause" | "classic" | undefined;
  /** Left out, that of the agent. */
  readonly language?: Language | undefined;
}

/** The words that are kept, by the ids of their calls. */
const noWords: Readonly<Record<string, string>> = {};

/**
 * Guards what reaches the model where hooks or imports have rewritten the history: every call has its result, and those that
 * have none are told of in the words that are wanted.
 */
export function patchToolCalls(options: PatchOptions = {}): Middleware {
  checkOptions(options);
  const { when = "model", persist = false } = options;
  const runs = new WeakMap<AbortSignal, Readonly<Record<string, string>>>(); // what was told in each run so far
  return defineMiddleware({
    name: "patch-tool-calls",
    state: { initial: noWords },
    wrapModelCall:
      (next) =>
      async (request, { signal, state }) => {
        const earlier = when === "run" ? runs.get(signal) : undefined;
        const known = { ...(persist && state.get()), ...earlier };
        const told: Record<string, string> = {};
        const spoken = { ...options, language: options.language ?? request.language };
        const words = createWords(spoken, known, earlier === undefined, (call, text) => {
          told[call.id] = text;
        });
        const worded = await reworded(request.messages, options, words);
        const { messages } = await mendMessagesAsync(worded, {
          language: options.language ?? request.language,
          notice: words,
        });
        const keep = (): void => {
          runs.set(signal, { ...earlier, ...told });
          if (persist && Object.entries(told).some(([id, text]) => known[id] !== text)) state.update(told);
        };
        keep();
        tellInWords(signal, async (call) => {
          const text = await words(call);
          keep();
          return text;
        });
        return next(messages === request.messages ? request : { ...request, messages });
      },
  });
}

/** The words for one call. */
type Words = (call: NoticeRequest) => Promise<string>;

/** New ones are asked for only where that is wanted; those that were told before are told again. */
function createWords(
  { notice, notices, language }: PatchOptions & { readonly language: Language },
  known: Readonly<Record<string, string>>,
  mayAsk: boolean,
  onTold: (call: NoticeRequest, text: string) => void,
): Words {
  return async (given) => {
    const call = { ...given, language };
    const own = known[call.id] ?? (mayAsk ? await ownWords(notice, call) : undefined);
    const text = own ?? renderNotice(call, toldCause(call.cause, notices), call);
    if (mayAsk) onTold(call, text);
    return text;
  };
}

/** What the user's function says; undefined where it has nothing to say. */
async function ownWords(notice: PatchOptions["notice"], call: NoticeRequest): Promise<string | undefined> {
  try {
    const text: unknown = await notice?.(call);
    return typeof text === "string" ? text : undefined;
  } catch {
    return undefined; // ours are true in any case, and the model must not wait for these
  }
}

const plainCauses: ReadonlySet<Cause> = new Set(["rejected", "malformed", "truncated"]);

const toldCause = (cause: Cause, notices: PatchOptions["notices"]): Cause =>
  notices === "classic" && !plainCauses.has(cause) ? "superseded" : cause;

/** The messages with other words where a thread tells itself why there is no result. */
async function reworded(
  messages: readonly Message[],
  { notice, notices, language }: PatchOptions,
  words: Words,
): Promise<readonly Message[]> {
  if (notice === undefined && notices !== "classic" && language === undefined) return messages;
  let isSame = true;
  const told = await Promise.all(
    messages.map(async (message, position): Promise<Message> => {
      if (message.role !== "tool" || !message.results.some(({ notice: own }) => own !== undefined)) return message;
      isSame = false;
      const before = messages[position - 1];
      const results = message.results.map((result, place) =>
        retold(result, argumentsOf(before, place), { position, words }),
      );
      return { ...message, results: await Promise.all(results) };
    }),
  );
  return isSame ? messages : told;
}

async function retold(
  result: Result,
  args: unknown,
  { position, words }: { readonly position: number; readonly words: Words },
): Promise<Result> {
  const { notice, id = "", name = "" } = result;
  if (notice === undefined) return result;
  const text = await words({ id, name, arguments: args, ...notice, position: position - 1, language: "en" });
  return { ...result, parts: [{ type: "text", path: "", text }] };
}

/** The arguments of a call of the answer before. */
function argumentsOf(message: Message | undefined, place: number): unknown {
  const calls = message?.role === "assistant" ? message.parts.filter((part) => part.type === "call") : [];
  const input = calls[place]?.input;
  return input === undefined ? undefined : "text" in input ? input.text : input.value;
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
