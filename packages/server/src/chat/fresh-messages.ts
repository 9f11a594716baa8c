import type { CallView, DecideOptions, Input, PendingCall, Run, Thread } from "undangle/agent";

import { ApiError } from "../answers/api-error.ts";
import type { ThreadNote } from "../desk/desk.ts";
import { fieldsIn } from "../record.ts";
import { readHandle } from "./call-handle.ts";
import type { ChatMessage } from "./chat-request.ts";
import { bad } from "./fields.ts";
import { argumentsOf } from "./fingerprint.ts";
import { textOf } from "./message-text.ts";
import { inputOf } from "./user-input.ts";

/** What is new in a thread: what came of calls, by their ids, and what a person says. */
export interface Fresh {
  readonly results: ReadonlyMap<string, string>;
  readonly input: Input | undefined;
}

/** Reads the messages behind the last answer; `from` is the number of the first of them in the request. */
export function readFresh(threadId: string, fresh: readonly ChatMessage[], from: number): Fresh {
  const results = new Map<string, string>();
  const pieces: Exclude<Input, string>[number][] = [];
  fresh.forEach(({ role, tool_call_id: handle, content }, i) => {
    const at = `messages[${from + i}]`;
    if (role === "user") {
      const input = inputOf(content, `${at}.content`);
      pieces.push(...(typeof input === "string" ? [input] : input));
    } else if (role === "tool") {
      if (typeof handle !== "string") throw bad(`${at}.tool_call_id`, "the id of a call", handle);
      const found = readHandle(handle);
      if (found !== undefined && found.threadId !== threadId)
        throw bad(`${at}.tool_call_id`, `the id of a call of the thread ${threadId}`, handle);
      results.set(found?.callId ?? handle, textOf(content));
    }
  });
  if (results.size + pieces.length === 0)
    throw bad("messages", "a list that ends with a new user message or tool result", fresh);
  const [first] = pieces;
  return {
    results,
    input: pieces.length === 1 && typeof first === "string" ? first : pieces.length === 0 ? undefined : pieces,
  };
}

/** The thread that results of calls belong to, by the ids of the calls. */
export function threadOfResults(fresh: readonly ChatMessage[]): string | undefined {
  for (const { role, tool_call_id: id } of fresh) {
    const handle = role === "tool" ? readHandle(id) : undefined;
    if (handle !== undefined) return handle.threadId;
  }
  return undefined;
}

/** What results in a request are to their thread. */
export interface SortedResults {
  /** Those of calls that wait. */
  readonly waiting: ReadonlyMap<string, string>;
  /** The ids of calls that neither wait nor had a result of the caller before. */
  readonly strange: readonly string[];
}

/** Tells results that are wanted from those that are sent once more with the history. */
export function sortResults(
  results: Fresh["results"],
  pending: readonly PendingCall[],
  calls: readonly CallView[],
): SortedResults {
  const isPending = (id: string): boolean => pending.some((call) => call.id === id);
  const isKnown = (id: string): boolean => calls.some((call) => call.id === id && call.decision?.type === "respond");
  return {
    waiting: new Map([...results].filter(([id]) => isPending(id))),
    strange: [...results.keys()].filter((id) => !isPending(id) && !isKnown(id)),
  };
}

/**
 * Refuses results of calls that are not the caller's: to answer for a tool of the server is a decision, and needs its scope. A call
 * that does not wait yet is refused too, for by the time it does it may be one of the server.
 */
export function demandOwn(
  note: ThreadNote,
  { waiting, strange }: SortedResults,
  pending: readonly PendingCall[],
): void {
  const [unknown] = strange;
  if (unknown !== undefined)
    throw new ApiError(
      409,
      "decision/refused",
      `The call ${JSON.stringify(unknown)} is not waiting for a result in this thread.`,
      { param: "messages" },
    );
  const own = namesOf(note);
  for (const { id, name, decisions } of pending) {
    if (!waiting.has(id) || (own.has(name) && decisions.every((type) => type === "respond"))) continue;
    throw new ApiError(
      403,
      "call-not-yours",
      `The call ${id} of ${name} runs on the server and waits for a decision: POST /threads/:id/decisions.`,
      { param: "messages" },
    );
  }
}

/** The tools that the caller of a thread runs itself. */
export const namesOf = ({ clientTools = [] }: ThreadNote): ReadonlySet<string> =>
  new Set(clientTools.map(({ name }) => name));

/**
 * The same messages, whose results have the ids of the calls that wait in a thread, where a client has made ids of its own: calls
 * are the same that come in the same order, with the same names and arguments.
 */
export function withOwnIds(
  fresh: readonly ChatMessage[],
  replies: readonly ChatMessage[],
  { note, pending }: { readonly note: ThreadNote; readonly pending: readonly PendingCall[] },
): readonly ChatMessage[] {
  const own = namesOf(note);
  const waiting = pending.filter(({ name }) => own.has(name));
  const made = replies.flatMap(({ tool_calls: calls }) => (Array.isArray(calls) ? (calls as readonly unknown[]) : []));
  const ids = new Map<unknown, string>();
  for (const call of made) {
    const { id, function: said } = fieldsIn(call);
    const { name, arguments: raw } = fieldsIn(said);
    const at = waiting.findIndex(
      (each) => each.name === name && JSON.stringify(argumentsOf(each.arguments)) === JSON.stringify(argumentsOf(raw)),
    );
    const [same] = at === -1 ? [] : waiting.splice(at, 1);
    if (same !== undefined) ids.set(id, same.id);
  }
  return fresh.map((message) => {
    const id = message.role === "tool" ? ids.get(message["tool_call_id"]) : undefined;
    return id === undefined ? message : { ...message, tool_call_id: id };
  });
}

/** Gives results to the calls that wait for them, and says what was said. */
export function sayFresh(
  thread: Thread,
  { results, input }: Fresh,
  { by, describe }: Pick<DecideOptions, "by" | "describe">,
): Run {
  if (results.size === 0) return thread.send(input ?? [], { describe });
  const decisions = Object.fromEntries([...results].map(([id, result]) => [id, { type: "respond" as const, result }]));
  return thread.decide(decisions, { by, describe, input });
}
