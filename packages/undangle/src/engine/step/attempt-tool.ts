import { setTimeout as pause } from "node:timers/promises";

import type { Language, UndangleError } from "#core";

import type { LedgerCall, Outcome, SettledState } from "../ledger/call.ts";
import { isThenable } from "../is-thenable.ts";
import { writeJson } from "../result/write-json.ts";
import { toolError, toolResult } from "../tool-result.ts";
import type { Tool, ToolContext } from "../tool.ts";
import type { Abortable } from "../run/abortable.ts";
import { asError } from "../run/as-error.ts";
import type { ThreadJournal } from "../journal/thread-journal.ts";
import { CallRefused } from "./guard-tool.ts";
import type { Session } from "../run/session.ts";
import { threadMemory, toolMemory } from "../thread/thread-memory.ts";

/** The outcome of a call. */
export interface Ended {
  readonly state: SettledState;
  readonly outcome: Outcome;
  /** A hook around the tool has failed. The run ends with this error. */
  readonly fault?: UndangleError;
}

export interface Attempt {
  readonly tool: Tool;
  readonly call: LedgerCall;
  readonly attempt: number;
  readonly abortable: Abortable;
  readonly args: unknown;
}

/** The outcome of one attempt. */
export interface Attempted extends Ended {
  /** True if a retry cannot change the outcome. */
  readonly isFinal?: boolean;
  /** False if a hook failed before the tool was started. */
  readonly hasBegun?: boolean;
}

/** Runs one attempt of a tool. Synchronous if the tool is. */
export function attemptCall(session: Session, given: Attempt): Attempted | Promise<Attempted> {
  const { tool, args } = given;
  const context = new CallContext(session, given);
  try {
    const hooks = session.hooks();
    const returned =
      hooks === undefined ? tool.execute(args, context) : hooks.execute({ tool, arguments: args, context });
    return isThenable(returned)
      ? awaited(session, { ...given, context }, Promise.resolve(returned))
      : returning(session, context, returned);
  } catch (error) {
    return throwing(session, context, error);
  }
}

async function awaited(
  session: Session,
  { tool, abortable, context }: Attempt & { readonly context: ToolContext },
  promise: Promise<unknown>,
): Promise<Attempted> {
  try {
    const value = tool.timeout === undefined ? await promise : await withinTime(promise, tool.timeout, abortable);
    return returning(session, context, value);
  } catch (error) {
    return throwing(session, context, error);
  }
}

function returning(session: Session, context: ToolContext, value: unknown): Attempted {
  const { setup } = session;
  const refusal = session.hooks()?.refusalOf(context); // takes precedence over any result that a hook returned
  if (refusal !== undefined) return throwing(session, context, refusal);
  if (value === timedOut) return { state: "timed-out", outcome: { type: "notice", cause: "timed-out" } };
  const { parts, isError } = toolResult(value, setup.language);
  return { state: isError ? "failed" : "succeeded", outcome: { type: "result", parts, isError }, isFinal: true };
}

function throwing(session: Session, context: ToolContext, error: unknown): Attempted {
  const { hooks, language } = session.setup;
  if (error instanceof CallRefused) return { state: "failed", outcome: error.outcome, isFinal: true };
  if (hooks.isFault(error)) return { ...beforeFault(session, context), fault: asError(error), isFinal: true };
  return { state: "failed", outcome: { type: "result", ...toolError(error, language) } };
}

/** The outcome of a call at the time a hook around its tool failed. */
function beforeFault(session: Session, context: ToolContext): Attempted {
  const hooks = session.hooks();
  const refusal = hooks?.refusalOf(context);
  if (refusal !== undefined) return throwing(session, context, refusal);
  const { hasBegun, settled } = hooks?.progressOf(context) ?? { hasBegun: false, settled: undefined };
  if (settled?.isThrown === true) return throwing(session, context, settled.value);
  if (settled !== undefined) return returning(session, context, settled.value);
  const hasRun = hasBegun || context.attempt > 1; // in this process, or in one that died
  return { state: "stopped", outcome: { type: "notice", cause: hasRun ? "stopped-running" : "stopped" }, hasBegun };
}

const timedOut = Symbol("timed out");

/** The text emitted for a progress report that is not JSON. The tool itself does not fail because of it. */
const unpassable: Readonly<Record<Language, (tool: string, reason: string) => string>> = {
  en: (tool, reason) => `What ${tool} reports of its progress cannot be passed on: ${reason}.`,
  zh: (tool, reason) => `${tool} 报告的进度无法传递：${reason}。`,
};

/** The value of a promise, or a timeout. */
async function withinTime(promise: Promise<unknown>, timeout: number, abortable: Abortable): Promise<unknown> {
  const done = new AbortController();
  const over = pause(timeout, timedOut, { signal: done.signal });
  try {
    const value = await Promise.race([promise, over]);
    if (value === timedOut) abortable.abort(new DOMException("The tool took too long.", "TimeoutError"));
    return value;
  } finally {
    done.abort();
    over.catch(() => undefined);
    promise.catch(() => undefined); // errors of a tool after its timeout are ignored
  }
}

/** The context of a tool. Its fields are computed on demand, because most tools read none of them. */
class CallContext implements ToolContext {
  readonly threadId: string;
  readonly callId: string;
  readonly attempt: number;
  readonly language: Language;
  readonly #journal: ThreadJournal;
  readonly #given: Attempt;
  readonly #owners: ReadonlySet<string>;

  constructor({ journal, setup }: Session, given: Attempt) {
    this.threadId = journal.threadId;
    this.callId = given.call.id;
    this.attempt = given.attempt;
    this.#journal = journal;
    this.#given = given;
    this.#owners = setup.stateOwners;
    this.language = setup.language;
  }

  get idempotencyKey(): string {
    return `${this.#journal.ledger().key}-${this.callId}`;
  }

  get signal(): AbortSignal {
    return this.#given.abortable.signal();
  }

  /** Bound to the context, because tools destructure it. */
  get progress(): ToolContext["progress"] {
    return (value = null) => {
      const { callId: id, attempt } = this;
      if (!this.#isRunning()) return; // the run has ended
      const { name } = this.#journal.callOf(id) ?? this.#given.call; // a hook may have substituted another tool
      const written = writeJson(value, this.language); // copied now, because tools often report the same object again
      if ("json" in written) {
        const progress: unknown = JSON.parse(written.json);
        this.#journal.mention({ type: "tool_call_running", data: { id, name, attempt, progress } });
      } else {
        const message = unpassable[this.language](name, written.reason);
        this.#journal.mention({ type: "warning", data: { id, message } });
      }
    };
  }

  get state(): ToolContext["state"] {
    return toolMemory(
      threadMemory(this.#journal, () => this.#isRunning()),
      this.#owners,
    );
  }

  #isRunning(): boolean {
    return this.#journal.callOf(this.callId)?.state === "running";
  }
}
