import { editText } from "#core";
import type { Edit, UndangleError } from "#core";
import type { ModelRequest, ModelStream } from "#model";

import type { GatedCall } from "../approvals/rules.ts";
import type { ThreadJournal } from "../journal/thread-journal.ts";
import type { InputEntry } from "../ledger/entry.ts";
import type { ThreadActor } from "../thread/thread-actor.ts";
import type { Closing, DelegatedCall, EndedCall } from "../ledger/ledger.ts";
import type { HookedRun, RunHooks } from "../middleware/hooks.ts";
import { complete } from "../step/complete.ts";
import { RequestGuard } from "../step/guard-request.ts";
import { ToolGuard } from "../step/guard-tool.ts";
import { CallDrafts, storedFiles, storedState } from "../thread/stored-state.ts";
import { andThen } from "../tool-result.ts";
import type { Tool } from "../tool.ts";
import { RunNotices } from "./notice-texts.ts";
import type { LiveRun } from "./run.ts";
import { acceptsCalls } from "./run-mode.ts";
import type { RunMode } from "./run-mode.ts";
import type { Setup } from "./setup.ts";

/** How open calls are settled, or the error with which the run fails. */
export type Ending =
  | { readonly how: Closing; readonly error?: UndangleError }
  | { readonly how: "fault"; readonly error: UndangleError };

/** A run that is in progress in this process. */
export class Session {
  readonly run: LiveRun;
  readonly journal: ThreadJournal;
  readonly setup: Setup;
  readonly reason: HookedRun["reason"];
  /** Aborted when the run must end. */
  readonly signal: AbortSignal;
  /** The running tools, by call id, with the controllers that abort them. */
  readonly running = new Map<string, AbortController>();
  /** The arguments of the last turn's calls as validated in this run, with the text they were validated from. */
  readonly validated = new Map<string, { readonly name: string; readonly raw: string; readonly value: unknown }>();
  /** What running calls have written, before it is saved. */
  readonly drafts: CallDrafts;
  /** Calls whose tools have finished, before they are saved. */
  readonly ended: EndedCall[] = [];
  /** Calls whose child threads have begun to wait, before they are saved. */
  readonly delegated: DelegatedCall[] = [];
  /** Child threads that waited when their calls were closed. They are stopped after that is saved. */
  readonly abandoned: ThreadActor[] = [];
  /** Child threads that run. */
  readonly children = new Set<Promise<unknown>>();
  /** Reports to the child threads that run that there are decisions for them, by call id. */
  readonly deciding = new Map<string, () => void>();
  /** The runs of messages that were queued in this run. */
  readonly queued = new Map<InputEntry, LiveRun>();
  /** Resolves when the run must end. */
  readonly over: Promise<undefined>;
  /** The run has reached its end: later commands apply to the next run. */
  isClosing = false;
  /** Messages that were queued when a hook ended the run and have no response: they need another run. */
  owed: readonly InputEntry[] = [];
  /** Calls were settled because the run has reached its limit of calls. */
  isOverCalls = false;
  /** How often the model was reminded to give its final answer. */
  reminders = 0;
  readonly #abort = new AbortController();
  readonly #finish: (nothing: undefined) => void;
  readonly #waiters: ((nothing: undefined) => void)[] = []; // few entries: a set would be recreated each time it becomes empty
  #hooks: RunHooks | undefined;
  #ending: Ending | undefined;
  #isWoken = false;
  #listener: (() => void) | undefined;

  constructor({ run, journal, setup, reason }: Pick<Session, "run" | "journal" | "setup" | "reason">) {
    this.run = run;
    this.journal = journal;
    this.setup = setup;
    this.reason = reason;
    this.signal = this.#abort.signal;
    this.drafts = new CallDrafts(journal, setup.now);
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.over = promise;
    this.#finish = resolve;
  }

  /** The hooks of the run. Undefined if there are none. */
  hooks(): RunHooks | undefined {
    if (this.setup.hooks.around !== undefined) this.#hooks ??= this.setup.hooks.around(hookedRun(this));
    return this.#hooks;
  }

  /** The mode of the run. */
  mode(): RunMode {
    return this.journal.ledger().mode ?? this.setup.mode;
  }

  /** Whether a call needs a decision in this run. */
  gate(call: GatedCall, tool: Tool): ReturnType<Setup["gate"]> {
    const { gate, now } = this.setup;
    return gate(call, tool.approval, { at: now(), isAccepted: acceptsCalls(this.mode(), tool) });
  }

  /** Why the run must end. Undefined while it may continue. */
  ending(): Ending | undefined {
    return this.#ending;
  }

  /** Ends the run. Only the first call has an effect. */
  end(ending: Ending): void {
    if (this.#ending !== undefined) return;
    this.#ending = ending;
    this.#abort.abort(ending.error ?? new DOMException("The run was stopped.", "AbortError"));
    for (const each of this.running.values()) each.abort(this.signal.reason);
    this.#finish(undefined);
    for (const each of this.#waiters.splice(0)) each(undefined);
    this.wake();
  }

  /** The value of a promise, or undefined if the run must end first. Does not retain the promise after that. */
  orOver<T>(promise: Promise<T>): Promise<T | undefined> {
    const { promise: either, resolve, reject } = Promise.withResolvers<T | undefined>();
    if (this.#ending === undefined) this.#waiters.push(resolve);
    else resolve(undefined);
    const leave = (): void => {
      if (this.#ending === undefined) this.#waiters.splice(this.#waiters.indexOf(resolve), 1);
    };
    promise.then(
      (value) => {
        leave();
        return resolve(value);
      },
      (error: unknown) => {
        leave();
        return reject(error);
      },
    );
    return either;
  }

  /** Wakes the run after something it may be waiting for has happened. */
  wake(): void {
    this.#isWoken = true;
    this.#listener?.();
  }

  /** Resolves at the next `wake`. */
  async woken(): Promise<void> {
    if (!this.#isWoken) {
      await new Promise<void>((resolve) => {
        this.#listener = resolve;
      });
      this.#listener = undefined;
    }
    this.#isWoken = false;
  }
}

/** The view of a run that its hooks need. */
function hookedRun(session: Session): HookedRun {
  const { journal, run, signal, setup } = session;
  const report = (edits: readonly Edit[]): void => {
    const at = setup.now();
    for (const edit of edits) {
      const data = { rule: edit.rule, message: editText(edit), at, edit: brief(edit) };
      journal.events.emit({ type: "repair", data }); // reports what a hook broke, before the model receives the request
    }
  };
  const notices = new RunNotices(journal.shownNotices, report);
  const requests = new RequestGuard(report, notices);
  const isCurrent = (): boolean => journal.ledger().run?.id === run.id; // nothing is written after the run has ended
  const ask = (request: ModelRequest): ModelStream | Promise<ModelStream> => {
    const stream: unknown = setup.model.stream(request); // a model without types may return a promise; validated when it is read
    return andThen(stream as ModelStream | Promise<ModelStream>, (found) => requests.asked(request, found));
  };
  return {
    threadId: journal.threadId,
    runId: run.id,
    reason: session.reason,
    agent: { name: setup.name, model: setup.model.name },
    signal,
    language: setup.language,
    depth: journal.ledger().parent?.depth ?? 0,
    warn(message, id) {
      setup.logger.warn({ threadId: journal.threadId, ...(id !== undefined && { callId: id }) }, message);
      journal.events.emit({ type: "warning", data: { message, at: setup.now(), ...(id !== undefined && { id }) } });
    },
    complete: (request, options) => complete(session, request, options),
    hasEntry: (entry) => journal.hasEntry(entry),
    notices,
    memory: storedState(journal, isCurrent),
    files: storedFiles(journal, isCurrent),
    draftOf: (callId) => ({ memory: session.drafts.stateOf(callId), files: session.drafts.filesOf(callId) }),
    requests,
    ask: (request) => andThen(requests.read(request), ask),
    tools: new ToolGuard(session),
  };
}

/** The longest values of an edit that an event contains, in characters of JSON. */
const longestEdit = 20_000;

/** An edit for an event, which is stored for every request that is repaired. */
function brief(edit: Edit): Edit {
  if (JSON.stringify(edit).length <= longestEdit) return edit;
  const { before: _before, after: _after, ...rest } = edit;
  return rest;
}
