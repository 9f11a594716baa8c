import { applyCut, chooseCut, createJournal, estimateTokens, findCuts, isRecord, linksOf, UndangleError } from "#core";
import type { Entry, Outline, OutlinedMessage } from "#core";

import type { Codec, Request } from "./codec.ts";
import { guard, locate } from "./locate.ts";
import { defaultPolicy, validateCutOptions, validateTrimOptions } from "./options.ts";
import type { CutOptions, TrimOptions } from "./options.ts";
import { plainList } from "./plain-list.ts";
import { roleOf } from "./spans.ts";

/** A shortened history. The same reference as the input if nothing was removed. */
export interface Trimmed<T> {
  readonly output: T;
  /** The removed messages, in order. */
  readonly removed: readonly unknown[];
}

/**
 * The indexes at which a history can be cut: without the messages before it, and with the system messages at the start,
 * the rest is as valid as the whole.
 */
export function cutPoints(input: unknown, options: CutOptions = {}): number[] {
  validateCutOptions(options);
  const { start = "user", ...target } = options;
  const { codec, request } = locate(input, target);
  const { users, turns } = findCuts(guard(() => outlineOf(codec, request)));
  return start === "user" ? [...users] : [...users, ...turns].toSorted((a, b) => a - b);
}

/** Removes the oldest messages of a history at a cut point. */
export function trim<T>(input: T, options: TrimOptions): Trimmed<T> {
  validateTrimOptions(options);
  const { keep, countTokens, ...target } = options;
  const { codec, request, wrap } = locate(input, target);
  const { list } = request;
  const count = "messages" in keep ? () => 1 : counterOf(codec, countTokens);
  const most = "messages" in keep ? keep.messages : keep.tokens;
  const cut = guard(() => chooseCut(outlineOf(codec, request), list.map(count), most));
  if (cut === undefined) return { output: input, removed: [] };
  const { kept, removed } = applyCut(list, cut);
  return { output: wrap(kept, undefined) as T, removed }; // the same shape as the input
}

function counterOf(codec: Codec, countTokens: TrimOptions["countTokens"]): (message: unknown) => number {
  if (countTokens === undefined) return (message) => estimateTokens(codec.counted?.(message) ?? message);
  return (message) => {
    const tokens: unknown = countTokens(message);
    if (typeof tokens === "number" && tokens >= 0) return tokens;
    const allowed = ["a function that returns a number of tokens"];
    throw new UndangleError("options/value", { option: "countTokens", value: tokens, allowed });
  };
}

/**
 * The outline of a request. Calls and results are paired as a repair pairs them, so that the cut points of a broken
 * history are valid for the pairs that it has.
 */
function outlineOf(codec: Codec, request: Request): Outline {
  const { list: given } = request;
  const profile = codec.profile(request);
  const { list } = plainList(given, [{ start: 0, end: given.length, isOpen: false }], codec);
  const journal = createJournal({ format: codec.format, provider: request.provider, listKey: codec.listKey });
  const reading = codec.open({ ...request, list }, profile, defaultPolicy, journal);
  const read = reading.read(0, list.length) ?? [];
  const entries = reading.prepare?.(read) ?? read;
  const speakers = speakersIn(entries, list);
  const { pairs, pending } = linksOf(entries, {
    dialect: reading.dialect,
    policy: defaultPolicy,
    journal,
    unread: undefined,
  });
  const needs = list.map((_, i) => i);
  const bind = (a: number, b: number): void => {
    const last = Math.max(a, b);
    needs[last] = Math.min(needs[last] ?? last, a, b);
  };
  for (const { call, result } of pairs) bind(call, result);
  const { closing, waiting } = bindOthers(codec, list, bind);
  const messages = speakers.map(({ role, isUser }, i): OutlinedMessage => {
    const message = list[i];
    const isThinking = isRecord(message) && codec.startsWithThinking?.(message) === true;
    // The response to a request, such as an approval, cannot be first.
    const isResponse = role !== "assistant" && closing.has(i);
    return { role: isResponse ? "result" : role, isUser: isUser && !isResponse, needs: needs[i] ?? i, isThinking };
  });
  const lastUser = messages.findLastIndex(({ isUser }) => isUser);
  const open = [...waiting, ...(pending === undefined ? [] : [pending])].filter((i) => i > lastUser || i === pending);
  return { messages, pending: open.length === 0 ? undefined : open.reduce((a, b) => Math.min(a, b)) };
}

/** Binds messages that belong together for other reasons than calls of functions: approvals, tools of providers. */
function bindOthers(
  codec: Codec,
  list: readonly unknown[],
  bind: (a: number, b: number) => void,
): { readonly closing: ReadonlySet<number>; readonly waiting: Iterable<number> } {
  const opened = new Map<string, number>();
  const waiting = new Map<string, number>();
  const closing = new Set<number>();
  if (codec.eachLink === undefined) return { closing, waiting: [] };
  for (const [i, message] of list.entries()) {
    if (!isRecord(message)) continue;
    codec.eachLink(message, (id, side) => {
      if (typeof id !== "string") return;
      if (side === "opens") {
        opened.set(id, i);
        waiting.set(id, i);
        return;
      }
      const at = opened.get(id);
      if (at === undefined) return;
      waiting.delete(id);
      closing.add(i);
      bind(at, i);
    });
  }
  return { closing, waiting: waiting.values() };
}

type Speaker = Pick<OutlinedMessage, "role" | "isUser">;

/** Who starts each message, and whether a user speaks in it. */
function speakersIn(entries: readonly Entry[], list: readonly unknown[]): readonly Speaker[] {
  const speakers: (Speaker | undefined)[] = list.map(() => undefined);
  for (const { role, source } of entries) {
    if (source === undefined || role === "span") continue;
    const given = role === "system" ? roleIn(list[source.index]) : role;
    const first = speakers[source.index]?.role ?? given;
    const isUser = speakers[source.index]?.isUser === true || given === "user";
    speakers[source.index] = { role: first, isUser };
  }
  return speakers.map((speaker) => speaker ?? { role: "result", isUser: false });
}

/** The role of a message that was not read further, such as a UI message. */
function roleIn(message: unknown): OutlinedMessage["role"] {
  const role = roleOf(message);
  if (role === "user" || role === "assistant") return role;
  return role === "tool" || role === "function" ? "result" : "system";
}
