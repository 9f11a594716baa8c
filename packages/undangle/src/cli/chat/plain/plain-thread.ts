import type { AgentEvent, Run, Thread } from "#engine";

import { newThreadId, openAgentIn } from "../open-chat.ts";
import type { OpenedAgent } from "../open-chat.ts";
import type { Beginning } from "../chat.ts";
import { recoverThread } from "../recover-thread.ts";

/** A thread without a person: where it stood at the start, and what goes on in it since. */
export interface PlainThread {
  readonly agent: OpenedAgent;
  readonly thread: Thread;
  /** The last event before anything was done. */
  readonly start: number;
  /** Whether a dead process had left it, and it is gone on with. */
  readonly isGoingOn: boolean;
}

/** Opens the thread; one that a dead process has left is gone on with. */
export async function openPlainThread({ place, manner, thread: id }: Beginning): Promise<PlainThread> {
  const agent = openAgentIn(place, manner);
  const thread = agent.agent.thread(id ?? newThreadId());
  const head = await place.store.load(thread.id);
  const run = head === undefined ? undefined : await recoverThread(thread);
  const now = run === undefined ? head : await place.store.load(thread.id);
  return {
    agent,
    thread,
    start: head?.lastEvent ?? 0,
    isGoingOn: now?.status === "running" && now.version !== head?.version,
  };
}

/** The events of a run that was found going on, up to its end. */
export async function* goingOn({ thread, start }: PlainThread): AsyncGenerator<AgentEvent, void, undefined> {
  let begun = "";
  for await (const event of thread.events({ after: start })) {
    if (event.type === "run_start") begun = event.data.runId;
    yield event;
    if (event.type === "run_end" && event.data.runId === begun) return;
  }
}

/** Closes the agent; what still goes on when something went wrong is stopped before, for nobody hears of it any more. */
export async function closePlainThread({ agent, thread }: PlainThread, isBroken: boolean): Promise<void> {
  if (isBroken) await thread.stop();
  await agent.agent.close();
}

/** The exit code of a program that was told to end, as shells have it for Ctrl-C. */
export const stoppedCode = 130;

/** Decides about everything that waits, as the command line says. */
export const decideAll = (thread: Thread, which: string, reason: string): Run =>
  which === "all" ? thread.approveAll() : thread.rejectAll(reason);
