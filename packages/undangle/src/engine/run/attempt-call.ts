import { setTimeout as pause } from "node:timers/promises";

import type { LedgerCall, Outcome, SettledState } from "../ledger/call.ts";
import { toolError, toolResult } from "../tool-result.ts";
import type { Tool, ToolContext } from "../tool.ts";
import type { Abortable } from "./abortable.ts";
import type { Book } from "./book.ts";
import type { Session } from "./session.ts";

/** What came of a call. */
export interface Ended {
  readonly state: SettledState;
  readonly outcome: Outcome;
}

export interface Attempt {
  readonly tool: Tool;
  readonly call: LedgerCall;
  readonly attempt: number;
  readonly abortable: Abortable;
  readonly args: unknown;
}

/** One start of a tool. `isFinal`: it was no failure of the tool that starting it again could mend. */
export async function attemptCall(session: Session, given: Attempt): Promise<Ended & { readonly isFinal?: boolean }> {
  const { setup } = session;
  const { tool, abortable } = given;
  try {
    const returned = setup.execute({ tool, arguments: given.args, context: new CallContext(session, given) });
    const value = isThenable(returned) ? await withinTime(Promise.resolve(returned), tool, abortable) : returned;
    if (value === timedOut) return { state: "timed-out", outcome: { type: "notice", cause: "timed-out" } };
    const result = toolResult(value, setup.language);
    return { state: result.isError ? "failed" : "succeeded", outcome: { type: "result", ...result }, isFinal: true };
  } catch (error) {
    return { state: "failed", outcome: { type: "result", ...toolError(error, setup.language) } };
  }
}

/** Promises of others, too. */
const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  value instanceof Promise ||
  (typeof value === "object" && value !== null && "then" in value && typeof value.then === "function");

const timedOut = Symbol("timed out");

/** What a promise gives, or that the time of the tool is over. */
async function withinTime(promise: Promise<unknown>, { timeout }: Tool, abortable: Abortable): Promise<unknown> {
  if (timeout === undefined) return promise;
  const done = new AbortController();
  const over = pause(timeout, timedOut, { signal: done.signal });
  try {
    const value = await Promise.race([promise, over]);
    if (value === timedOut) abortable.abort(new DOMException("The tool took too long.", "TimeoutError"));
    return value;
  } finally {
    done.abort();
    over.catch(() => undefined);
    promise.catch(() => undefined); // what a tool throws after its time is over is nobody's
  }
}

/** What a tool gets to know; made of what it asks for, because most ask for nothing. */
class CallContext implements ToolContext {
  readonly threadId: string;
  readonly callId: string;
  readonly attempt: number;
  readonly #book: Book;
  readonly #given: Attempt;

  constructor({ book }: Session, given: Attempt) {
    this.threadId = book.threadId;
    this.callId = given.call.id;
    this.attempt = given.attempt;
    this.#book = book;
    this.#given = given;
  }

  get idempotencyKey(): string {
    return `${this.#book.ledger().key}-${this.callId}`;
  }

  get signal(): AbortSignal {
    return this.#given.abortable.signal();
  }

  /** Bound to its context: people take it out of there. */
  get progress(): ToolContext["progress"] {
    return (progress) => {
      const { callId: id, attempt } = this;
      const { name } = this.#given.call;
      if (!this.#isRunning()) return; // nobody asks any more
      this.#book.mention({ type: "tool_call_running", data: { id, name, attempt, progress } });
    };
  }

  get state(): ToolContext["state"] {
    const book = this.#book;
    return {
      get(key) {
        const { state } = book.ledger();
        return Object.hasOwn(state, key) ? copyOf(state[key]) : undefined;
      },
      set: (key, value) => {
        if (this.#isRunning()) book.apply({ type: "remember", key, value: copyOf(value) });
      },
    };
  }

  #isRunning(): boolean {
    return this.#book.callOf(this.callId)?.state === "running";
  }
}

/** A copy that nobody else can change. */
const copyOf = (value: unknown): unknown =>
  value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown); // JSON is all that a thread keeps
