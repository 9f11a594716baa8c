import { hash } from "node:crypto";

import { isRecord, UndangleError } from "#core";
import type { Language } from "#core";
import { argumentsDigest, defineMiddleware, isMedia, toolError, toolResult } from "#engine";
import type { AnswerContext, ApprovalRule, GatedCall, HookContext, Middleware, RunOne } from "#engine";

import { expectedRepetition, findTurn, isOpen, longestPeriod, reduced, repetitionOf } from "./repetition.ts";
import type { LoopState, LoopUpdate, MadeTurn, Repetition } from "./repetition.ts";

/** How often a call may repeat. */
export interface LoopGuardOptions {
  /** From this repetition on, the result tells the model. 3 by default; `Infinity` for none, as for the others. */
  readonly notice?: number | undefined;
  /** From this repetition on, a person decides, or the call fails if the agent has no approvals. 5 by default. */
  readonly ask?: number | undefined;
  /** The repetition that stops the run with `run/loop`. 7 by default. */
  readonly stop?: number | undefined;
  /** Names of tools that may repeat. */
  readonly exempt?: readonly string[] | undefined;
}

type Hook = HookContext<LoopState, LoopUpdate>;

/**
 * Notices that the model makes the same calls with the same arguments and gets the same results: in every turn, or in
 * every second or third one. First the result has a notice, then a person decides, then the run stops. A new message starts the
 * count again. List it after middleware that changes results, such as `filesystem()`.
 */
export function loopGuard(options: LoopGuardOptions = {}): Middleware {
  const { notice, ask, stop, exempt } = readOptions(options);
  const most = longestPeriod * Math.max(...[notice, ask, stop].filter(Number.isFinite), 1);
  const earlier = new Map<string, readonly MadeTurn[]>(); // the settled turns by thread, because rules have no state
  const turnsBefore = (threadId: string): readonly MadeTurn[] => earlier.get(threadId) ?? [];
  const isAsked = ({ name, arguments: args, threadId }: GatedCall): boolean => {
    const call = exempt.has(name) ? undefined : callDigest(name, args);
    if (call === undefined) return false;
    const { times, isComplete } = expectedRepetition(turnsBefore(threadId), call);
    return isComplete && times >= ask && times < stop; // the hook after the turn stops the run
  };
  return defineMiddleware<LoopState, LoopUpdate>({
    name: "loop-guard",
    state: { initial: { turns: [] }, reduce: (state, update) => ({ turns: reduced(state.turns, update, most) }) },
    approvals: ({ hasApprovals, language }): readonly ApprovalRule[] => [
      hasApprovals
        ? { tools: "*", optional: true, when: isAsked, required: true, always: false, reason: texts[language].repeats }
        : { tools: "*", optional: true, when: isAsked, deny: true, reason: texts[language].denied },
    ],
    beforeAgent({ threadId, reason, state }) {
      if (reason === "message" && state.get().turns.length > 0) state.update({ type: "forget" });
      earlier.set(
        threadId,
        state.get().turns.filter((turn) => !turn.some(isOpen)),
      );
    },
    beforeModel(_, { threadId, state }) {
      if (state.get().turns.at(-1)?.some(isOpen) === true) state.update({ type: "settle" }); // the model responds after all calls
      earlier.set(threadId, state.get().turns);
    },
    afterModel({ threadId, state, answer, warn, language }) {
      const calls = countedCalls(answer, exempt);
      const [first] = calls;
      if (first === undefined || findTurn(state.get(), first.id) !== undefined) return undefined; // after a crash this hook runs again
      const turn = calls.map(({ id, call }) => ({ id, call }));
      state.update({ type: "made", turn });
      const { times, isComplete } = repetitionOf([...turnsBefore(threadId), turn]);
      if (times >= stop) return { type: "end", error: new UndangleError("run/loop", { tool: first.name, times }) };
      if (isComplete && times >= ask) for (const { id, name } of calls) warn(texts[language].asked(name, times), id);
      return undefined;
    },
    wrapToolCall: (next) => (given, context) => {
      const { callId: id } = given.context;
      const turn = findTurn(context.state.get(), id);
      if (turn === undefined) return next(given); // an exempt tool
      const repeated = (result: string): string | undefined => {
        context.state.update({ type: "ended", id, result });
        const made = turn.map((each) => (each.id === id ? { ...each, result } : { id: each.id, call: each.call }));
        const repetition = repetitionOf([...turnsBefore(context.threadId), made]);
        return repetition.times >= notice ? texts[context.language].notice(repetition) : undefined;
      };
      return watched(given, next, { context, repeated });
    },
    afterAgent({ threadId }) {
      earlier.delete(threadId);
    },
  });
}

/** The calls of a turn that count, sorted. A call whose arguments cannot be compared does not. */
function countedCalls(
  { calls }: AnswerContext["answer"],
  exempt: ReadonlySet<string>,
): readonly { readonly id: string; readonly name: string; readonly call: string }[] {
  const counted = calls.flatMap(({ id, name, arguments: args }) => {
    const call = exempt.has(name) ? undefined : callDigest(name, args);
    return call === undefined ? [] : [{ id, name, call }];
  });
  return counted.sort((one, other) => (one.call < other.call ? -1 : one.call > other.call ? 1 : 0));
}

/** Enough of a digest to distinguish a few calls. It is stored with the thread. */
const digestLength = 16;

/** The same for the same tool and arguments, in whatever order their keys are. */
function callDigest(name: string, args: unknown): string | undefined {
  try {
    return argumentsDigest(name, JSON.stringify(args))?.slice(0, digestLength);
  } catch {
    return undefined; // nested too deeply to be compared
  }
}

type ToolCall = Parameters<RunOne>[0];

interface Watching {
  readonly context: Hook;
  /** Records the digest of a result. Returns the notice for the model, if there is one. */
  readonly repeated: (result: string) => string | undefined;
}

/** Runs a tool, and adds the notice to its result. */
function watched(call: ToolCall, next: RunOne, { context, repeated }: Watching): unknown {
  const { language } = context;
  const pass = (value: unknown): unknown => {
    const notice = repeated(resultDigest(toolResult(value, language)));
    return notice === undefined ? value : withNotice(value, notice, language);
  };
  const fail = (error: unknown): unknown => {
    const isOfHook = error instanceof UndangleError && error.is("hook/failed");
    if (isOfHook || call.context.signal.aborted) throw error;
    const thrown = toolError(error, language);
    const notice = repeated(resultDigest(thrown));
    if (notice === undefined || call.context.attempt <= call.tool.retries.times) throw error; // it is retried
    return { content: [{ type: "text", text: `${textOf(thrown)}\n\n${notice}` }], isError: true };
  };
  let returned: unknown;
  try {
    returned = next(call);
  } catch (error) {
    return fail(error);
  }
  return returned instanceof Promise ? returned.then(pass, fail) : pass(returned);
}

type Result = ReturnType<typeof toolResult>;

const resultDigest = (result: Result): string => hash("sha256", JSON.stringify(result), "hex").slice(0, digestLength);

const textOf = ({ parts }: Result): string =>
  parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");

/** A result with a notice after it. Media stay, and an error stays an error. */
function withNotice(value: unknown, notice: string, language: Language): unknown {
  if (isMedia(value)) return [value, notice];
  if (Array.isArray(value) && value.some(isMedia)) return [...(value as readonly unknown[]), notice];
  const result = toolResult(value, language);
  const hasOnlyText = result.parts.every(({ type }) => type === "text");
  if (hasOnlyText && !result.isError) return `${textOf(result)}\n\n${notice}`;
  const content: unknown = isRecord(value) && !hasOnlyText ? value["content"] : undefined; // media of an MCP server
  const kept = Array.isArray(content) ? (content as readonly unknown[]) : [];
  const text = kept.length === 0 ? `${textOf(result)}\n\n${notice}` : notice;
  return { content: [...kept, { type: "text", text }], isError: result.isError };
}

interface GuardTexts {
  notice(repetition: Repetition): string;
  asked(tool: string, times: number): string;
  /** For the person who decides. */
  readonly repeats: string;
  readonly denied: string;
}

const texts: Readonly<Record<Language, GuardTexts>> = {
  en: {
    notice: ({ times, period }) =>
      `[${period === 1 ? "The same call gave the same result" : `The same calls of ${period} turns gave the same results`} ${times} times in a row. Another repetition will not help. Change the arguments, use another tool, or reply with what you know.]`,
    asked: (tool, times) => `${tool} was called ${times} times in a row with the same arguments, and nothing changed.`,
    repeats: "The model repeats a call with the same arguments, and the result does not change.",
    denied:
      "the same calls gave the same results again and again. Change the arguments, use another tool, or reply with what you know.",
  },
  zh: {
    notice: ({ times, period }) =>
      `[${period === 1 ? "相同的调用连续" : `相同的 ${period} 轮调用连续`} ${times} 次得到相同的结果。再次重复不会有帮助。请更改参数、使用其他工具，或根据已知信息作答。]`,
    asked: (tool, times) => `${tool} 以相同的参数连续被调用了 ${times} 次，结果没有变化。`,
    repeats: "模型以相同的参数重复调用，结果没有变化。",
    denied: "相同的调用一再得到相同的结果。请更改参数、使用其他工具，或根据已知信息作答。",
  },
};

interface Settings {
  readonly notice: number;
  readonly ask: number;
  readonly stop: number;
  readonly exempt: ReadonlySet<string>;
}

/** The most repetitions that can be counted, because the state of a thread stays small. */
const mostRepetitions = 100;

/** Validates options and applies defaults. */
function readOptions(options: LoopGuardOptions): Settings {
  const given: unknown = options; // callers may not use types
  if (!isRecord(given))
    throw new UndangleError("options/value", { option: "options", value: given, allowed: ["an object"] });
  const allowed = ["notice", "ask", "stop", "exempt"];
  const unknown = Object.keys(given).find((key) => !allowed.includes(key));
  if (unknown !== undefined) throw new UndangleError("options/unknown", { option: unknown, allowed });
  const { notice = 3, ask = 5, stop = 7, exempt = [] } = options;
  const levels = { notice, ask, stop };
  for (const [option, value] of Object.entries(levels)) {
    const isCount = Number.isSafeInteger(value) && value >= 2 && value <= mostRepetitions;
    if (!isCount && value !== Infinity) {
      const values = [`a whole number from 2 to ${mostRepetitions}`, "Infinity"];
      throw new UndangleError("options/value", { option, value, allowed: values });
    }
  }
  if (!Array.isArray(exempt) || !exempt.every((name: unknown) => typeof name === "string"))
    throw new UndangleError("options/value", { option: "exempt", value: exempt, allowed: ["a list of names"] });
  return { ...levels, exempt: new Set(exempt) };
}
