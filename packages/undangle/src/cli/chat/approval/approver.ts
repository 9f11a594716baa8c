import type { AgentEvent, Run, Thread } from "#engine";

import type { Desk } from "../desk.ts";
import type { Manner } from "../manner.ts";
import { printRemark } from "../view/show-event.ts";
import { decidePending } from "./decide-pending.ts";

/** Sees to it that a person is asked about calls that wait, once, and not in the middle of a word. */
export interface Approver {
  /** Asks now. */
  readonly ask: (isSudden?: boolean) => Promise<void>;
  /** True when there is something to ask, and the person is free for it. */
  readonly isDue: () => boolean;
  /** Takes a question away whose call waits no more. */
  readonly heard: (event: AgentEvent) => void;
  readonly isBusy: () => boolean;
  /** Does something else that asks the person, and nothing is asked in between. */
  readonly hold: <T>(work: () => Promise<T>) => Promise<T>;
  /** Begins anew, for another thread. */
  readonly forget: () => void;
}

export interface ApproverOptions {
  readonly desk: Desk;
  readonly manner: Manner;
  readonly thread: () => Thread;
  /** What keeps a run from beginning. */
  readonly watch: (run: Run) => Promise<string | undefined>;
}

export function createApprover({ desk, manner, thread, watch }: ApproverOptions): Approver {
  let asked: string | undefined; // the call that the person is asked about
  let [isBusy, isPutOff] = [false, false];
  const hold = async <T>(work: () => Promise<T>): Promise<T> => {
    isBusy = true;
    try {
      return await work();
    } finally {
      isBusy = false;
    }
  };
  const decide = async (isSudden: boolean): Promise<void> => {
    const current = thread();
    if ((await current.pending()).length === 0) {
      // Who has not asked for it has just decided about all of them, and the view has not heard of each yet.
      if (!isSudden) desk.show((view, face) => printRemark(view, face.texts.approval.none, face));
      return;
    }
    const { by } = manner;
    const outcome = await decidePending({
      desk,
      isSudden,
      thread: current,
      decide: (decisions) => watch(current.decide(decisions, by === undefined ? {} : { by })),
      explain: (fault) => manner.explainJson(fault),
      asking: (id) => {
        asked = id;
      },
    });
    isPutOff = outcome === "later";
  };
  return {
    ask: async (isSudden = false) => (isBusy ? undefined : hold(() => decide(isSudden))),
    isDue() {
      const isWaiting = desk.view().calls.some(({ state }) => state === "waiting");
      return isWaiting && !isPutOff && !isBusy && !desk.isAsking() && desk.draft() === ""; // a letter must not decide
    },
    heard({ type, data }) {
      if (type === "approval_required") isPutOff = false;
      if ((type === "tool_call_end" || type === "tool_call_running") && data.id === asked) desk.dismiss();
    },
    isBusy: () => isBusy,
    hold,
    forget() {
      isPutOff = false;
    },
  };
}
