import { rules } from "#core";
import type { Edit } from "#core";
import type { ModelRequest, ModelStream } from "#model";

import type { HookedRun } from "../middleware/hooks.ts";
import { createRequestGuard, refuseOdd } from "../step/guard-request.ts";
import { createToolGuard } from "../step/guard-tool.ts";
import { createRunNotices } from "./notice-texts.ts";
import { createOfferedTools } from "../step/offered-tools.ts";
import type { Session } from "./session.ts";
import { threadMemory } from "../thread/thread-memory.ts";

/** The view of a run that its hooks need. */
export function hookedRun(session: Session): HookedRun {
  const { journal, run, signal, setup } = session;
  const report = (edits: readonly Edit[]): void => {
    for (const { rule, callId: id } of edits) {
      const message = `${rules[rule].title}${id === undefined ? "" : `: ${id}`}`;
      journal.tell({ type: "repair", data: { rule, message } }); // reports what a hook broke, before the model receives the request
    }
  };
  const notices = createRunNotices(journal.told, report);
  const requests = createRequestGuard({ onEdits: report, words: notices.current });
  const offered = createOfferedTools();
  const ask = (request: ModelRequest): ModelStream | Promise<ModelStream> => {
    const heard = (stream: ModelStream): ModelStream => {
      offered.ask(request, stream);
      return stream;
    };
    const stream: unknown = setup.model.stream(request);
    if (stream instanceof Promise) return (stream as Promise<ModelStream>).then(heard); // a model without types may return a promise
    return heard(stream as ModelStream); // validated when it is read
  };
  return {
    threadId: journal.threadId,
    runId: run.id,
    agent: { name: setup.name, model: setup.model.name },
    signal,
    language: setup.language,
    warn(message, id) {
      setup.logger.warn({ threadId: journal.threadId, ...(id !== undefined && { callId: id }) }, message);
      journal.tell({ type: "warning", data: { message, ...(id !== undefined && { id }) } });
    },
    notices,
    memory: threadMemory(journal, () => journal.ledger().run?.id === run.id), // not after the run has ended
    show(request) {
      offered.begin(request);
      return requests.show(request);
    },
    see(request) {
      if (!requests.isTouched(request)) return;
      refuseOdd(request);
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
