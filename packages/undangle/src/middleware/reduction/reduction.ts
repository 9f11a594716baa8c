import type { Message } from "#codecs";
import type { Language } from "#core";
import { defineMiddleware } from "#engine";
import type { EntryRef, HookContext, Middleware } from "#engine";
import type { ModelRequest } from "#model";

import { createRequestCounter, isReached } from "../context-size/request-counter.ts";
import type { RequestCounter } from "../context-size/request-counter.ts";
import { fileNameOf, openFiles, reasonOf } from "../context-size/thread-file.ts";
import { isCleared, reduceMessage, textOf } from "./reduce-message.ts";
import { readOptions } from "./reduction-options.ts";
import type { ReductionOptions, ReductionSettings } from "./reduction-options.ts";

/** What the middleware keeps in each thread: how far it has reduced messages. The thread keeps them whole. */
interface ReductionState {
  /** In the order of the thread. A fork continues with files of its own. */
  readonly ranges?: readonly Range[];
  /** Results that could not be stored, by entry and place (`12-0`). They stay. */
  readonly kept?: readonly string[];
}

/** Messages up to an entry are reduced. */
interface Range {
  readonly after: EntryRef;
  /** The beginning of the paths of their results. */
  readonly base: string;
}

type ReductionContext = HookContext<ReductionState, ReductionState>;

/**
 * Shortens long arguments of old calls, and moves long results of old calls to files, in what the model gets. The thread
 * keeps everything.
 */
export function reduction(options: ReductionOptions = {}): Middleware {
  const settings = readOptions(options);
  const counter = createRequestCounter(settings.countTokens);
  const viewOf = createViews(settings);
  const savingOf = createSavings(settings, counter);
  return defineMiddleware<ReductionState, ReductionState>({
    name: "reduction",
    state: { initial: {} },
    wrapModelCall: (next) => (request, context) => {
      const state = currentState(context);
      const view = viewOf(request, state, context);
      const planned = isReached(view, settings.triggers, counter)
        ? planReduction(request, state, { settings, counter, savingOf, context })
        : undefined;
      if (planned === undefined) return next(view);
      const ranges = withRange(state.ranges ?? [], planned.range);
      if (planned.messages.length === 0) {
        context.state.update({ ranges }); // these messages are not looked at again
        return next(view);
      }
      const advance = async (): Promise<ModelRequest> => {
        const kept = await storeResults(planned, { settings, context });
        const reduced: ReductionState = { ranges, kept: [...(state.kept ?? []), ...kept] };
        context.state.update(reduced);
        return viewOf(request, reduced, context);
      };
      return (async () => next(await advance()))();
    },
  });
}

/** The state without ranges of a thread from which this one was forked earlier. */
function currentState({ state, hasEntry }: ReductionContext): ReductionState {
  const known = state.get();
  const ranges = known.ranges?.filter(({ after }) => hasEntry(after)) ?? [];
  if (ranges.length === (known.ranges?.length ?? 0)) return known;
  state.update({ ranges });
  return { ...known, ranges };
}

/** A later range with the same files extends the last one. */
const withRange = (ranges: readonly Range[], range: Range): readonly Range[] =>
  ranges.at(-1)?.base === range.base ? [...ranges.slice(0, -1), range] : [...ranges, range];

/** The last view of a run. Its messages are used again, so that writers can cache them. */
interface LastView {
  readonly state: ReductionState;
  readonly messages: readonly Message[];
  readonly view: readonly Message[];
  /** How many of them are in ranges. */
  readonly count: number;
}

/** Creates views, in which messages up to the end of the last range are reduced. */
function createViews(
  settings: ReductionSettings,
): (request: ModelRequest, state: ReductionState, context: ReductionContext) => ModelRequest {
  const last = new WeakMap<AbortSignal, LastView>();
  return (request, state, context) => {
    const { messages } = request;
    const { ranges = [], kept = [] } = state;
    const end = ranges.at(-1)?.after.number ?? -1;
    if (end < 0) return request;
    const known = last.get(context.signal);
    const before = known !== undefined && isContinued(known.state, state) ? known : undefined;
    const view = messages.slice();
    let isSame = true;
    let count = 0;
    for (let i = 0; i < messages.length; i++) {
      const message = messages[i];
      if (message === undefined) continue;
      if (before !== undefined && i < before.count && before.messages[i] === message)
        view[i] = before.view[i] ?? message;
      else {
        const number = context.entryOf(message)?.number;
        if (number === undefined) continue;
        if (number > end) break; // and so are all after it
        const base = ranges.find(({ after }) => number <= after.number)?.base ?? "";
        const pathOf = (place: number): string | undefined =>
          kept.includes(`${number}-${place}`) ? undefined : `${base}-${number}-${place}`;
        view[i] = reduceMessage(message, { settings, language: context.language, pathOf });
      }
      isSame &&= view[i] === message;
      count = i + 1;
    }
    last.set(context.signal, { state, messages, view, count });
    return isSame ? request : { ...request, messages: view };
  };
}

/** True if what was reduced before is reduced in the same way now. */
const isContinued = (before: ReductionState, { ranges = [], kept = [] }: ReductionState): boolean =>
  (before.kept ?? []).length === kept.length &&
  (before.ranges ?? []).every(({ base, after }, i, all) => {
    const now = ranges[i];
    return now?.base === base && (now.after.number === after.number || i === all.length - 1);
  });

type Savings = (message: Message, language: Language) => number;

/** The tokens that reducing a message saves. Each message is measured once. */
function createSavings(settings: ReductionSettings, counter: RequestCounter): Savings {
  const known = new WeakMap<Message, number>();
  return (message, language) => {
    const before = known.get(message);
    if (before !== undefined) return before;
    const view = reduceMessage(message, { settings, language, pathOf: () => settings.directory });
    const saved = view === message ? 0 : Math.max(1, counter.message(message) - counter.message(view));
    known.set(message, saved);
    return saved;
  };
}

interface Planning {
  readonly settings: ReductionSettings;
  readonly counter: RequestCounter;
  readonly savingOf: Savings;
  readonly context: ReductionContext;
}

/** What is reduced next. */
interface Planned {
  readonly range: Range;
  readonly messages: readonly { readonly message: Message; readonly number: number }[];
}

/** The messages to reduce before those that are kept; undefined if that saves too little. */
function planReduction(
  { messages }: ModelRequest,
  state: ReductionState,
  { settings, counter, savingOf, context }: Planning,
): Planned | undefined {
  const end = state.ranges?.at(-1)?.after.number ?? -1;
  const start = firstKept(messages, settings, counter);
  const first = messages[start];
  const limit = (first === undefined ? undefined : context.entryOf(first)?.number) ?? Infinity; // a turn and its results stay together
  const changed: { readonly message: Message; readonly number: number }[] = [];
  let after: EntryRef | undefined;
  let saved = 0;
  for (let i = start - 1; i >= 0; i--) {
    const message = messages[i];
    const entry = message === undefined ? undefined : context.entryOf(message);
    if (message === undefined || entry === undefined || entry.number >= limit) continue;
    if (entry.number <= end) break;
    after ??= entry;
    const saving = savingOf(message, context.language);
    if (saving === 0) continue;
    saved += saving;
    changed.push({ message, number: entry.number });
  }
  if (after === undefined || (changed.length > 0 && saved < settings.clearAtLeast)) return undefined;
  return { range: { after, base: `${settings.directory}/${fileNameOf(context.threadId)}` }, messages: changed };
}

/** The index of the first message that is kept. */
function firstKept(messages: readonly Message[], { keep }: ReductionSettings, counter: RequestCounter): number {
  if ("messages" in keep) return Math.max(0, messages.length - keep.messages);
  let tokens = 0;
  for (let i = messages.length - 1; i >= 0; i--) {
    const message = messages[i];
    tokens += message === undefined ? 0 : counter.message(message);
    if (tokens > keep.tokens) return i + 1;
  }
  return 0;
}

/** Stores the results that are removed. Returns those that cannot be stored. */
async function storeResults(
  { range, messages }: Planned,
  { settings, context }: { readonly settings: ReductionSettings; readonly context: ReductionContext },
): Promise<readonly string[]> {
  const kept: string[] = [];
  for (const { message, number } of messages) {
    if (message.role !== "tool") continue;
    for (const [place, result] of message.results.entries()) {
      if (!isCleared(result, settings)) continue;
      const path = `${range.base}-${number}-${place}`;
      try {
        const backend = await openFiles(settings.files, context);
        await backend.write(path, new TextEncoder().encode(textOf(result)));
      } catch (error) {
        context.warn(notStored[context.language](path, reasonOf(error, context)));
        kept.push(`${number}-${place}`);
      }
    }
  }
  return kept;
}

const notStored: Readonly<Record<Language, (path: string, reason: string) => string>> = {
  en: (path, reason) => `An old result could not be stored in ${path}, and stays in the conversation: ${reason}`,
  zh: (path, reason) => `一个旧结果未能存入 ${path}，将保留在对话中：${reason}`,
};
