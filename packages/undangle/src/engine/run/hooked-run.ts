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

/** A run as its hooks are put around it. */
export function hookedRun(session: Session): HookedRun {
  const { journal, run, signal, setup } = session;
  const report = (edits: readonly Edit[]): void => {
    for (const { rule, callId: id } of edits) {
      const message = `${rules[rule].title}${id === undefined ? "" : `: ${id}`}`;
      journal.tell({ type: "repair", data: { rule, message } }); // what a hook had broken, before the model sees it
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
    if (stream instanceof Promise) return (stream as Promise<ModelStream>).then(heard); // of a model without types
    return heard(stream as ModelStream); // what it is, is looked at when it is read
  };
  return {
    threadId: journal.threadId,
    runId: run.id,
    agent: { name: setup.name, model: setup.model.name },
    signal,
    notices,
    memory: threadMemory(journal, () => journal.ledger().run?.id === run.id), // not when it is over
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
