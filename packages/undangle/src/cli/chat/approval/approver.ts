import type { AgentEvent, Run, Thread } from "#engine";

import type { Desk } from "../desk.ts";
import type { Manner } from "../manner.ts";
import { printRemark } from "../view/show-event.ts";
import { decidePending } from "./decide-pending.ts";

/** Prompts the user for pending calls, once each, and never while the user is typing. */
export interface Approver {
  readonly ask: (isSudden?: boolean) => Promise<void>;
  /** True if a call is pending and the user can be prompted. */
  readonly isDue: () => boolean;
  /** Dismisses the prompt of a call that is no longer pending. */
  readonly heard: (event: AgentEvent) => void;
  readonly isBusy: () => boolean;
  /** Runs other work that prompts the user. No approval prompt appears meanwhile. */
  readonly hold: <T>(work: () => Promise<T>) => Promise<T>;
  /** Resets the state for another thread. */
  readonly forget: () => void;
}

export interface ApproverOptions {
  readonly desk: Desk;
  readonly manner: Manner;
  readonly thread: () => Thread;
  /** The reason why a run did not start. */
  readonly watch: (run: Run) => Promise<string | undefined>;
}

export function createApprover({ desk, manner, thread, watch }: ApproverOptions): Approver {
  let asked: string | undefined; // the call of the current prompt
  let [isBusy, isPutOff] = [false, false];
  const announced = new Set<string>(); // a call of a sub-agent is announced again when the agent begins to wait
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
      // Without a request from the user, they have just decided all calls, and the view has not received every event yet.
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
      return isWaiting && !isPutOff && !isBusy && !desk.isAsking() && desk.draft() === ""; // a typed letter must not decide
    },
    heard({ type, data }) {
      if (type === "approval_required" && !announced.has(data.id)) {
        announced.add(data.id);
        isPutOff = false;
      }
      if ((type === "tool_call_end" || type === "tool_call_running") && data.id === asked) desk.dismiss();
    },
    isBusy: () => isBusy,
    hold,
    forget() {
      announced.clear();
      isPutOff = false;
    },
  };
}
