import { rules } from "#core";

import type { HookedRun } from "../middleware/hooks.ts";
import { createRequestGuard } from "./guard-request.ts";
import { createToolGuard } from "./guard-tool.ts";
import { wordsOf } from "./last-words.ts";
import type { Session } from "./session.ts";
import { threadMemory } from "./thread-memory.ts";

/** A run as its hooks are put around it. */
export function hookedRun(session: Session): HookedRun {
  const { book, run, signal, setup } = session;
  const requests = createRequestGuard({
    onEdits(edits) {
      for (const { rule, callId: id } of edits) {
        const message = `${rules[rule].title}${id === undefined ? "" : `: ${id}`}`;
        book.tell({ type: "repair", data: { rule, message } }); // what a hook had broken, before the model sees it
      }
    },
    words: () => wordsOf(signal),
  });
  return {
    threadId: book.threadId,
    runId: run.id,
    agent: { name: setup.name, model: setup.model.name },
    signal,
    memory: threadMemory(book, () => book.ledger().run?.id === run.id), // not when it is over
    show: requests.show,
    ask(request) {
      const whole = requests.read(request);
      return whole instanceof Promise ? whole.then((each) => setup.model.stream(each)) : setup.model.stream(whole);
    },
    tools: createToolGuard(book),
  };
}
