import { allowedInThread } from "../approvals/allowances.ts";
import type { Allowance } from "../events.ts";
import type { ThreadJournal } from "../journal/thread-journal.ts";
import type { ThreadActor } from "../thread/thread-actor.ts";
import { childOf } from "./child-thread.ts";

/** The allowances of a thread, and of the child threads of its open calls. Those of other children apply to no call. */
export async function allowedInTree(actor: ThreadActor, journal: ThreadJournal): Promise<readonly Allowance[]> {
  const ofChildren = await Promise.all(
    openChildren(actor, journal).map(async (child) => allowedInTree(child, await child.read())),
  );
  return [...allowedInThread(journal), ...ofChildren.flat()];
}

/** The thread with an allowance: the thread itself, or one of those children. Undefined if there is none. */
export async function holderOf(actor: ThreadActor, allowance: unknown): Promise<ThreadActor | undefined> {
  const journal = await actor.read();
  if (journal.ledger().allowed.some(({ id }) => id === allowance)) return actor;
  for (const child of openChildren(actor, journal)) {
    const holder = await holderOf(child, allowance);
    if (holder !== undefined) return holder;
  }
  return undefined;
}

const openChildren = ({ threadId, setup }: ThreadActor, journal: ThreadJournal): readonly ThreadActor[] =>
  (journal.ledger().turn?.calls ?? []).flatMap((call) => childOf(call, threadId, setup) ?? []);
