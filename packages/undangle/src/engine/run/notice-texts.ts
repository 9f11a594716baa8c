import type { NoticeRequest, Message, Result } from "#codecs";
import type { Edit, Language } from "#core";

import type { ThreadJournal } from "../journal/thread-journal.ts";
import type { Recorded } from "../ledger/entry.ts";
import { isSettled } from "../ledger/call.ts";
import { storedNotices, project } from "../ledger/project.ts";
import { notRetracted } from "../ledger/recorded.ts";
import type { Setup } from "./setup.ts";

/** Returns the notice for a call without a result. */
export type NoticeText = (call: NoticeRequest) => string | Promise<string>;

/** How the notices of a run are worded. `patchToolCalls` finds it in the context of its hooks. */
export class RunNotices {
  /** Emits the repairs of a request. */
  readonly report: (edits: readonly Edit[]) => void;
  readonly #shown: Map<string, string>;
  #text: NoticeText | undefined;

  constructor(shown: Map<string, string>, report: (edits: readonly Edit[]) => void) {
    this.#shown = shown;
    this.report = report;
  }

  /** Sets the wording for calls whose results hooks remove from requests. */
  use(text: NoticeText): void {
    this.#text = text;
  }

  /** The wording in use. Undefined for the default one. */
  current(): NoticeText | undefined {
    return this.#text;
  }

  /** Remembers what the model was shown for a call, so that the history shows the same. */
  remember(callId: string, text: string): void {
    this.#shown.set(callId, text);
  }
}

/** The key of a hook context under which middleware of this package finds the notices. It is not public. */
export const runNotices: unique symbol = Symbol("notices of the run");

/** The notices of the run that a hook is called in. Undefined for a context that the engine did not create. */
export const noticesIn = (context: object): RunNotices | undefined =>
  (context as { readonly [runNotices]?: RunNotices })[runNotices]; // set by the engine

/** The key under which a middleware provides its wording of notices, for histories that are read outside a run. */
export const wording: unique symbol = Symbol("wording");

/** The notice for a call. Undefined for the default. */
export type Wording = (
  call: NoticeRequest,
  context: WordingContext,
) => string | undefined | Promise<string | undefined>;

export interface WordingContext {
  readonly threadId: string;
  readonly signal: AbortSignal;
  readonly language: Language;
  /** The stored notice of the call. */
  readonly kept: string | undefined;
}

/** Which messages of a thread are written, and how long results are. */
export interface HistoryRange {
  readonly longestResult: number;
  /** By default all entries. */
  readonly recorded?: readonly Recorded[];
}

/** The messages of a thread as a model would receive them, with the notices that it received last or would receive now. */
export async function historyMessages(
  journal: ThreadJournal,
  { wording: words, language }: Pick<Setup, "wording" | "language">,
  { longestResult, recorded = journal.recorded() }: HistoryRange,
): Promise<readonly Message[]> {
  const projection = { ...journal.projection, longestResult };
  const messages = notRetracted(recorded).flatMap((each) => project(each, projection));
  if (words === undefined) return messages;
  const { state, turn } = journal.ledger();
  const kept = storedNotices(state);
  const open = new Set(turn?.calls.filter((call) => !isSettled(call)).map(({ providerId }) => providerId)); // no model has received them yet
  const { signal } = new AbortController();
  return wordedMessages(messages, (call) => {
    if (open.has(call.id)) return undefined;
    const own = Object.hasOwn(kept, call.id) ? kept[call.id] : undefined;
    const context = { threadId: journal.threadId, signal, language, kept: typeof own === "string" ? own : undefined };
    return journal.shownNotices.get(call.id) ?? words({ ...call, language }, context);
  });
}

/** Replaces the text of notices. Returns the same list if nothing changes. */
export async function wordedMessages(
  messages: readonly Message[],
  words: (call: NoticeRequest) => string | undefined | Promise<string | undefined>,
): Promise<readonly Message[]> {
  let isSame = true;
  const wordedResult = async (result: Result, args: unknown, position: number): Promise<Result> => {
    const { notice, id = "", name = "" } = result;
    if (notice === undefined) return result;
    const text = await words({ id, name, arguments: args, ...notice, position, language: "en" });
    if (text === undefined) return result;
    isSame = false;
    return { ...result, parts: [{ type: "text", path: "", text }] };
  };
  const worded = await Promise.all(
    messages.map(async (message, at): Promise<Message> => {
      if (message.role !== "tool" || !message.results.some(({ notice }) => notice !== undefined)) return message;
      const before = messages[at - 1];
      const results = message.results.map((each, place) => wordedResult(each, argumentsOf(before, place), at - 1));
      return { ...message, results: await Promise.all(results) };
    }),
  );
  return isSame ? messages : worded;
}

/** The arguments of a call of the preceding turn. */
function argumentsOf(message: Message | undefined, place: number): unknown {
  const calls = message?.role === "assistant" ? message.parts.filter((part) => part.type === "call") : [];
  const input = calls[place]?.input;
  return input === undefined ? undefined : "text" in input ? input.text : input.value;
}
