import type { DecideOptions, Input, PendingCall, Run, Thread } from "undangle/agent";

import { ApiError } from "../answers/api-error.ts";
import type { DeskThread, ThreadNote } from "../desk/desk.ts";
import { readHandle } from "./call-handle.ts";
import type { ChatMessage } from "./chat-request.ts";
import { bad } from "./fields.ts";
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
    throw bad("messages", "a list that ends with something new: what a person says, or the result of a call", fresh);
  const [first] = pieces;
  return {
    results,
    input: pieces.length === 1 && typeof first === "string" ? first : pieces.length === 0 ? undefined : pieces,
  };
}

/** True when a request with nothing but results is sent again, because its answer was lost: they are all known. */
export async function isSentAgain(
  { thread }: DeskThread,
  { results, input }: Fresh,
  pending: readonly PendingCall[],
): Promise<boolean> {
  if (input !== undefined || pending.length > 0) return false;
  const calls = new Map((await thread.calls()).map((call) => [call.id, call]));
  return [...results.keys()].every((id) => calls.get(id)?.decision?.type === "respond");
}

/**
 * Refuses results of calls that are not the caller's: to answer for a tool of the server is a decision, and needs its scope. A call
 * that does not wait yet is refused too, for by the time it does it may be one of the server.
 */
export function demandOwn({ note }: DeskThread, { results }: Fresh, pending: readonly PendingCall[]): void {
  const own = namesOf(note);
  for (const id of results.keys()) {
    const call = pending.find((each) => each.id === id);
    if (call === undefined)
      throw new ApiError(
        409,
        "decision/refused",
        `The call ${JSON.stringify(id)} does not wait for a result in this thread.`,
        { param: "messages" },
      );
    if (own.has(call.name) && call.decisions.every((type) => type === "respond")) continue;
    throw new ApiError(
      403,
      "call-not-yours",
      `The call ${id} of ${call.name} is run by the server and waits for a person: POST /threads/:id/decisions.`,
      { param: "messages" },
    );
  }
}

/** The tools that the caller of a thread runs itself. */
export const namesOf = ({ clientTools = [] }: ThreadNote): ReadonlySet<string> =>
  new Set(clientTools.map(({ name }) => name));

/** Gives results to the calls that wait for them, and says what was said. */
export function sayFresh(
  thread: Thread,
  { results, input }: Fresh,
  { by, describe }: Pick<DecideOptions, "by" | "describe">,
): Run {
  if (results.size === 0) return thread.send(input ?? [], { describe });
  const decisions = Object.fromEntries([...results].map(([id, result]) => [id, { type: "respond" as const, result }]));
  const decided = thread.decide(decisions, { by, describe });
  return input === undefined ? decided : thread.send(input, { onInput: "queue" });
}
