import type { CallView, DecideOptions, Input, PendingCall, Run, Thread } from "undangle/agent";

import { ApiError } from "../responses/api-error.ts";
import type { ThreadNote } from "../projects/project-threads.ts";
import { fieldsIn } from "../record.ts";
import { readHandle } from "./call-handle.ts";
import type { ChatMessage } from "./chat-request.ts";
import { bad } from "./fields.ts";
import { argumentsOf } from "./fingerprint.ts";
import { textOf } from "./message-text.ts";
import { inputOf } from "./user-input.ts";

/** The new content for a thread: results by call id, and messages of the user. */
export interface Fresh {
  readonly results: ReadonlyMap<string, string>;
  readonly input: Input | undefined;
}

/** Reads the messages after the last assistant message. `from` is the index of the first in the request. */
export function readFresh(threadId: string, fresh: readonly ChatMessage[], from: number): Fresh {
  const results = new Map<string, string>();
  const parts: Exclude<Input, string>[number][] = [];
  fresh.forEach(({ role, tool_call_id: handle, content }, i) => {
    const at = `messages[${from + i}]`;
    if (role === "user") {
      const input = inputOf(content, `${at}.content`);
      parts.push(...(typeof input === "string" ? [input] : input));
    } else if (role === "tool") {
      if (typeof handle !== "string") throw bad(`${at}.tool_call_id`, "the id of a call", handle);
      const found = readHandle(handle);
      if (found !== undefined && found.threadId !== threadId)
        throw bad(`${at}.tool_call_id`, `the id of a call of the thread ${threadId}`, handle);
      results.set(found?.callId ?? handle, textOf(content));
    }
  });
  if (results.size + parts.length === 0)
    throw bad("messages", "a list that ends with a new user message or tool result", fresh);
  const [first] = parts;
  return {
    results,
    input: parts.length === 1 && typeof first === "string" ? first : parts.length === 0 ? undefined : parts,
  };
}

export function threadOfResults(fresh: readonly ChatMessage[]): string | undefined {
  for (const { role, tool_call_id: id } of fresh) {
    const handle = role === "tool" ? readHandle(id) : undefined;
    if (handle !== undefined) return handle.threadId;
  }
  return undefined;
}

/** The results of a request, compared with the calls of the thread. */
export interface SortedResults {
  /** Results of pending calls. */
  readonly waiting: ReadonlyMap<string, string>;
  /** The ids of calls that are neither pending nor have a result from the client. */
  readonly strange: readonly string[];
}

/** Separates results of pending calls from results that the client repeats with the history. */
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
 * Refuses results of calls that do not belong to the client. A result for a server tool is a decision and needs the
 * scope for it. A call that is not pending yet is refused too, because it may become a call of the server.
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

/** The names of the tools that the client runs. */
export const namesOf = ({ clientTools = [] }: ThreadNote): ReadonlySet<string> =>
  new Set(clientTools.map(({ name }) => name));

/**
 * The messages with the call ids of the thread, for clients that generate their own ids. Calls match if their order,
 * names and arguments match.
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
    const { id, function: called } = fieldsIn(call);
    const { name, arguments: raw } = fieldsIn(called);
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

/** Sends results to their pending calls, and then the new messages. */
export function sendFresh(
  thread: Thread,
  { results, input }: Fresh,
  { by, describe, maxMode }: Pick<DecideOptions, "by" | "describe" | "maxMode">,
): Run {
  if (results.size === 0) return thread.send(input ?? [], { describe, maxMode });
  const decisions = Object.fromEntries([...results].map(([id, result]) => [id, { type: "respond" as const, result }]));
  return thread.decide(decisions, { by, describe, input, maxMode });
}
