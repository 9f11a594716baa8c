import { UndangleError } from "#core";

import type { ThreadJournal } from "../journal/thread-journal.ts";
import type { Setup } from "../run/setup.ts";
import { resumeOwed } from "./commands/recover.ts";
import type { ExpiryTimers } from "./expiry-timers.ts";
import { OpenThread } from "./open-thread.ts";
import type { ThreadEnvironment } from "./open-thread.ts";
import type { Cacheable } from "./thread-cache.ts";

/** One thread in this process: its state, and the mailbox for its commands. Every command in `commands/` gets it. */
export class ThreadActor implements Cacheable {
  readonly threadId: string;
  readonly setup: Setup;
  readonly timers: ExpiryTimers;
  readonly thread: OpenThread;
  readonly mailbox = new Mailbox();

  constructor(threadId: string, environment: ThreadEnvironment) {
    this.threadId = threadId;
    this.setup = environment.setup;
    this.timers = environment.timers;
    this.thread = new OpenThread(threadId, {
      ...environment,
      isWriting: () => !this.mailbox.isEmpty(),
      onOwing: (runs) => resumeOwed(this, runs),
    });
  }

  /** Runs a command after all earlier ones, and repeats it if another process wrote in between. */
  exclusive<T>(command: () => Promise<T>, cancel?: () => void): Promise<T> {
    return this.mailbox.run(() => this.thread.retryOnConflict(command), cancel);
  }

  /** A command or a run of this process may change the thread. */
  isWriting(): boolean {
    return this.thread.state().phase === "running" || !this.mailbox.isEmpty();
  }

  isAtRest(): boolean {
    return !this.isWriting() && !this.mailbox.hasDelayed() && this.thread.journal()?.hasUnsaved() !== true; // unsaved changes exist only in this process
  }

  isIdle(): boolean {
    return this.isAtRest() && this.thread.listeners.size === 0;
  }

  weight(): number {
    return this.thread.journal()?.weight() ?? 0;
  }

  forget(): void {
    this.thread.forget();
  }

  /** The thread for reading. Interrupted calls are settled in the result, not in the store. */
  async read(): Promise<ThreadJournal> {
    await this.mailbox.whenFree();
    return this.thread.view();
  }

  /** Resolves when all requested work has finished, and is saved if the store is available. */
  async settled(): Promise<void> {
    const { thread, mailbox, setup, threadId } = this;
    do {
      await mailbox.delayed();
      await mailbox.run(() => Promise.resolve());
      await thread.over();
    } while (this.isWriting() || mailbox.hasDelayed());
    const current = thread.journal();
    if (current?.hasUnsaved() !== true) return;
    try {
      await thread.save(current);
    } catch (error) {
      if (!(error instanceof UndangleError && error.is("store/conflict"))) throw error;
      thread.forget();
      const message = "Another process has taken over the thread; local changes are discarded";
      setup.logger.warn({ threadId, err: error }, message);
    }
  }
}

/** Milliseconds that readers wait for a command that waits for user code. */
const longestStall = 100;

/** Runs the commands of one thread, one after the other. */
class Mailbox {
  #tail: Promise<unknown> = Promise.resolve();
  #length = 0;
  readonly #delayed = new Set<Promise<void>>();
  #stall = Promise.withResolvers<void>();
  #hasStalled = false;
  readonly #cancels = new Set<() => void>();

  /** Runs a command after all earlier ones. `cancel` ends it before it changes anything. */
  run<T>(command: () => Promise<T>, cancel?: () => void): Promise<T> {
    this.#length++;
    if (cancel !== undefined) this.#cancels.add(cancel);
    const done = this.#tail.then(command).finally(() => {
      this.#length--;
      if (cancel !== undefined) this.#cancels.delete(cancel);
    });
    this.#tail = done.catch(() => undefined);
    return done;
  }

  /** The current command waits for user code, which may never return. Readers do not wait for it. */
  async whileWaiting<T>(waiting: Promise<T>): Promise<T> {
    const timer = setTimeout(() => {
      this.#hasStalled = true;
      this.#stall.resolve();
    }, longestStall);
    try {
      return await waiting;
    } finally {
      clearTimeout(timer);
      if (this.#hasStalled) this.#stall = Promise.withResolvers<void>(); // otherwise readers wait for it
      this.#hasStalled = false;
    }
  }

  /** Cancels all commands that can be cancelled, running or queued. A command after them does not wait for user code. */
  cancelAll(): void {
    for (const cancel of this.#cancels) cancel();
  }

  /** Resolves when all earlier commands finished, or the current one waits for user code. */
  async whenFree(): Promise<void> {
    await Promise.race([this.#tail, this.#stall.promise]);
  }

  /** Runs work after a promise. Until it is done, the thread stays in memory: another mailbox would not know about it. */
  delay(until: Promise<unknown>, work: () => Promise<void>): void {
    const done = until.then(work).finally(() => this.#delayed.delete(done));
    this.#delayed.add(done);
  }

  hasDelayed(): boolean {
    return this.#delayed.size > 0;
  }

  /** Resolves when the delayed work of now is done. */
  async delayed(): Promise<void> {
    await Promise.allSettled(this.#delayed);
  }

  /** No command runs or is queued. */
  isEmpty(): boolean {
    return this.#length === 0;
  }
}
