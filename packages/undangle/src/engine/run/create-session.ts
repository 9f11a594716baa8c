import { rules } from "#core";
import type { Edit } from "#core";
import type { ModelRequest, ModelStream } from "#model";

import type { ThreadJournal } from "../journal/thread-journal.ts";
import type { HookedRun, RunHooks } from "../middleware/hooks.ts";
import { createCallDrafts } from "../step/call-drafts.ts";
import { createRequestGuard, refuseInvalid } from "../step/guard-request.ts";
import { createToolGuard } from "../step/guard-tool.ts";
import { createOfferedTools } from "../step/offered-tools.ts";
import { storedFiles, storedState } from "../thread/stored-state.ts";
import { createRunNotices } from "./notice-texts.ts";
import type { LiveRun } from "./run.ts";
import type { Ending, Session } from "./session.ts";
import type { Setup } from "./setup.ts";

export function createSession(run: LiveRun, journal: ThreadJournal, setup: Setup): Session {
  const abort = new AbortController();
  const running: Session["running"] = new Map();
  let hooks: RunHooks | undefined;
  let ending: Ending | undefined;
  let isWoken = false;
  let listener: (() => void) | undefined;
  const { promise: over, resolve: finish } = Promise.withResolvers<undefined>();
  const waiters: ((nothing: undefined) => void)[] = []; // few entries: a set would be recreated each time it becomes empty
  const orOver = <T>(promise: Promise<T>): Promise<T | undefined> => {
    const { promise: either, resolve, reject } = Promise.withResolvers<T | undefined>();
    if (ending === undefined) waiters.push(resolve);
    else resolve(undefined);
    const leave = (): void => void waiters.splice(waiters.indexOf(resolve), 1);
    promise.then(
      (value) => {
        if (ending === undefined) leave();
        return resolve(value);
      },
      (error: unknown) => {
        if (ending === undefined) leave();
        return reject(error);
      },
    );
    return either;
  };
  const wake = (): void => {
    isWoken = true;
    listener?.();
  };
  const session: Session = {
    run,
    journal,
    setup,
    signal: abort.signal,
    hooks() {
      if (setup.hooks.around !== undefined) hooks ??= setup.hooks.around(hookedRun(session));
      return hooks;
    },
    running,
    validated: new Map(),
    drafts: createCallDrafts({ journal, now: setup.now }),
    ended: [],
    isClosing: false,
    owed: [],
    queued: new Map(),
    isOverCalls: false,
    reminders: 0,
    ending: () => ending,
    end(given) {
      if (ending !== undefined) return;
      ending = given;
      abort.abort(given.error ?? new DOMException("The run was stopped.", "AbortError"));
      for (const each of running.values()) each.abort(abort.signal.reason);
      finish(undefined);
      for (const each of waiters.splice(0)) each(undefined);
      wake();
    },
    over,
    orOver,
    wake,
    async woken() {
      if (!isWoken) {
        await new Promise<void>((resolve) => {
          listener = resolve;
        });
        listener = undefined;
      }
      isWoken = false;
    },
  };
  return session;
}

/** The view of a run that its hooks need. */
function hookedRun(session: Session): HookedRun {
  const { journal, run, signal, setup } = session;
  const report = (edits: readonly Edit[]): void => {
    for (const { rule, callId: id } of edits) {
      const message = `${rules[rule].title}${id === undefined ? "" : `: ${id}`}`;
      journal.emit({ type: "repair", data: { rule, message } }); // reports what a hook broke, before the model receives the request
    }
  };
  const notices = createRunNotices(journal.shownNotices, report);
  const requests = createRequestGuard({ onEdits: report, words: notices.current });
  const offered = createOfferedTools();
  const isCurrent = (): boolean => journal.ledger().run?.id === run.id; // nothing is written after the run has ended
  const ask = (request: ModelRequest): ModelStream | Promise<ModelStream> => {
    const record = (stream: ModelStream): ModelStream => {
      offered.ask(request, stream);
      return stream;
    };
    const stream: unknown = setup.model.stream(request);
    if (stream instanceof Promise) return (stream as Promise<ModelStream>).then(record); // a model without types may return a promise
    return record(stream as ModelStream); // validated when it is read
  };
  return {
    threadId: journal.threadId,
    runId: run.id,
    agent: { name: setup.name, model: setup.model.name },
    signal,
    language: setup.language,
    warn(message, id) {
      setup.logger.warn({ threadId: journal.threadId, ...(id !== undefined && { callId: id }) }, message);
      journal.emit({ type: "warning", data: { message, ...(id !== undefined && { id }) } });
    },
    notices,
    memory: storedState(journal, isCurrent),
    files: storedFiles(journal, isCurrent),
    draftOf: (callId) => ({ memory: session.drafts.stateOf(callId), files: session.drafts.filesOf(callId) }),
    show(request) {
      offered.begin(request);
      return requests.show(request);
    },
    see(request) {
      if (!requests.isTouched(request)) return;
      refuseInvalid(request);
      if (Array.isArray(request.tools)) offered.see(request);
    },
    hiddenFrom: offered.hiddenFrom,
    ask(request) {
      const whole = requests.read(request);
      return whole instanceof Promise ? whole.then(ask) : ask(whole);
    },
    tools: createToolGuard(session),
  };
}
