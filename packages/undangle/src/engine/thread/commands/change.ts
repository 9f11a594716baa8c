import type { Language } from "#core";
import type { FileChange } from "#store";

import { unknownAllowance } from "../../approvals/allowances.ts";
import { refuseChild } from "../../children/child-thread.ts";
import type { HeldEvent, ThreadJournal } from "../../journal/thread-journal.ts";
import type { LedgerEvent } from "../../ledger/ledger.ts";
import type { ThreadActor } from "../thread-actor.ts";
import { mustResume, resumeWith } from "./recover.ts";
import { descriptionEvent } from "./request.ts";
import type { Description } from "./request.ts";

export interface RevokeOptions {
  /** The person who revokes it. */
  readonly by?: string | undefined;
}

/** Sets the title and metadata of a thread. */
export const describeThread = (actor: ThreadActor, about: Description): Promise<void> =>
  change(actor, () => descriptionEvent(about));

/** Revokes an allowance of the thread, so that its calls need decisions again. Throws if there is no such allowance. */
export const revokeAllowance = (actor: ThreadActor, id: unknown, { by }: RevokeOptions): Promise<void> =>
  change(actor, (journal) => {
    const { threadId, setup } = actor;
    const { allowed } = journal.ledger();
    const found = allowed.find((each) => each.id === id);
    if (found === undefined) throw unknownAllowance(id, "thread", allowed);
    journal.events.emitOnSave({ type: "warning", data: { message: revoked[setup.language](found.tool, by) } });
    setup.logger.info({ threadId, tool: found.tool, allowance: found.id, by }, "Allowance revoked");
    return { type: "revoke", ids: [found.id] };
  });

const revoked: Readonly<Record<Language, (tool: string, by: string | undefined) => string>> = {
  en: (tool, by) => `${tool} is not allowed any more without a decision${by === undefined ? "" : ` (${by})`}`,
  zh: (tool, by) => `${tool} 不再自动允许，需要重新决定${by === undefined ? "" : `（${by}）`}`,
};

/** Changes files of the thread. */
export const writeThreadFiles = (actor: ThreadActor, changes: readonly FileChange[]): Promise<void> =>
  change(actor, () => ({ type: "write-files", changes }));

type Revocation = Extract<LedgerEvent, { type: "revoke" }>;

/** Changes the thread independently of its current run. */
function change(actor: ThreadActor, eventFor: (journal: ThreadJournal) => HeldEvent | Revocation): Promise<void> {
  const { thread } = actor;
  return actor
    .exclusive(async () => {
      const journal = await thread.open();
      const event = eventFor(journal);
      const session = thread.session();
      if (session === undefined && mustResume(journal)) {
        refuseChild(journal);
        return resumeWith(actor, event); // settled in the commit that starts the run
      }
      if (event.type === "revoke") journal.apply(event); // no call starts with it while it is saved
      await thread.saveOrForget(journal, session, { held: event.type === "revoke" ? [] : [event] });
      if (thread.state().phase !== "running") thread.scheduleNext();
      return undefined;
    })
    .finally(() => thread.forgetTentative());
}
