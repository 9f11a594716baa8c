import { UndangleError } from "#core";

import type { ThreadJournal } from "../journal/thread-journal.ts";
import type { Setup } from "../run/setup.ts";
import { resumeOwed } from "./commands/recover.ts";
import type { ExpiryTimers } from "./expiry-timers.ts";
import { createMailbox } from "./mailbox.ts";
import type { Mailbox } from "./mailbox.ts";
import { createOpenThread } from "./open-thread.ts";
import type { OpenThread, ThreadEnvironment } from "./open-thread.ts";
import type { Cacheable } from "./thread-cache.ts";

/** One thread in this process: its state, and the mailbox for its commands. Every command in `commands/` gets it. */
export interface ThreadActor extends Cacheable {
  readonly threadId: string;
  readonly setup: Setup;
  readonly timers: ExpiryTimers;
  readonly thread: OpenThread;
  readonly mailbox: Mailbox;
  /** Runs a command after all earlier ones, and repeats it if another process wrote in between. */
  readonly exclusive: <T>(command: () => Promise<T>) => Promise<T>;
}

export function createThreadActor(threadId: string, environment: ThreadEnvironment): ThreadActor {
  const { setup, timers } = environment;
  const mailbox = createMailbox();
  const thread = createOpenThread(threadId, {
    ...environment,
    isWriting: () => !mailbox.isEmpty(),
    onOwing: (runs) => resumeOwed(actor, runs),
  });
  const actor: ThreadActor = {
    threadId,
    setup,
    timers,
    thread,
    mailbox,
    exclusive: (command) => mailbox.run(() => thread.retryOnConflict(command)),
    isAtRest: () => !isWriting(actor) && !mailbox.hasDelayed() && thread.journal()?.hasUnsaved() !== true, // unsaved changes exist only in this process
    isIdle: () => actor.isAtRest() && thread.listeners.size === 0,
    weight: () => thread.journal()?.weight() ?? 0,
    forget: thread.forget,
  };
  return actor;
}

/** A command or a run of this process may change the thread. */
const isWriting = ({ thread, mailbox }: ThreadActor): boolean =>
  thread.state().phase === "running" || !mailbox.isEmpty();

/** The thread for reading. Interrupted calls are settled in the result, not in the store. */
export async function readThread({ thread, mailbox }: ThreadActor): Promise<ThreadJournal> {
  await mailbox.whenFree();
  return thread.view();
}

/** Resolves when all requested work has finished, and is saved if the store is available. */
export async function settled(actor: ThreadActor): Promise<void> {
  const { thread, mailbox, setup, threadId } = actor;
  do {
    await mailbox.run(() => Promise.resolve());
    await thread.over();
  } while (isWriting(actor));
  const current = thread.journal();
  if (current?.hasUnsaved() !== true) return;
  try {
    await thread.save(current);
  } catch (error) {
    if (!(error instanceof UndangleError && error.is("store/conflict"))) throw error;
    thread.forget();
    setup.logger.warn(
      { threadId, err: error },
      "Another process has taken over the thread; local changes are discarded",
    );
  }
}
