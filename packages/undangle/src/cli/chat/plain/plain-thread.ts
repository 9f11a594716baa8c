import { UndangleError } from "#core";
import type { AgentEvent, CallView, Run, Thread } from "#engine";
import type { Store } from "#store";

import { noteAgent, otherAgent } from "../../noted-agent.ts";
import { chatTextsIn } from "../manner.ts";
import { newThreadId, openAgentIn } from "../open-chat.ts";
import type { OpenedAgent } from "../open-chat.ts";
import type { Beginning } from "../chat.ts";
import { recoverThread } from "../recover-thread.ts";

/** A thread without a person: where it stood at the start, and what goes on in it since. */
export interface PlainThread {
  readonly agent: OpenedAgent;
  readonly thread: Thread;
  readonly store: Store;
  /** The last event before anything was done. */
  readonly start: number;
  /** The calls that it had then. */
  readonly calls: readonly CallView[];
  /** Whether a dead process had left it, and it is gone on with. */
  readonly isGoingOn: boolean;
  /** Who has answered in it so far, where that is another agent. */
  readonly otherAgent: string | undefined;
}

/** Opens the thread; one that a dead process has left is gone on with. */
export async function openPlainThread({ place, manner, thread: id }: Beginning): Promise<PlainThread> {
  const agent = openAgentIn(place, manner);
  const thread = agent.agent.thread(id ?? newThreadId());
  const head = await place.store.load(thread.id);
  const calls = head === undefined ? [] : await thread.calls();
  const run = head === undefined ? undefined : await recoverThread(thread);
  const now = run === undefined ? head : await place.store.load(thread.id);
  return {
    agent,
    thread,
    store: place.store,
    start: head?.lastEvent ?? 0,
    calls,
    isGoingOn: now?.status === "running" && now.version !== head?.version,
    otherAgent: await otherAgent(thread.id, agent),
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

/** Says something, notes who answers, and gives what comes of following that. */
export async function say<T>(
  { thread, agent }: PlainThread,
  message: string,
  follow: (run: Run) => Promise<T>,
): Promise<T> {
  const [outcome] = await Promise.all([follow(thread.send(message)), noteAgent(thread, agent)]);
  return outcome;
}

/** Closes the agent; what still goes on when something went wrong is stopped before, for nobody hears of it any more. */
export async function closePlainThread(opened: PlainThread, isBroken: boolean): Promise<void> {
  if (isBroken) await stopRunning(opened);
  await opened.agent.agent.close();
}

/** Stops what goes on here. Calls that only wait for a decision go on waiting, and what another process runs is its own affair. */
export async function stopRunning({ thread, store }: PlainThread): Promise<void> {
  const head = await store.load(thread.id);
  if (head?.status !== "running") return;
  try {
    await thread.stop();
  } catch (error) {
    if (!(error instanceof UndangleError && error.is("thread/owned"))) throw error;
  }
}

/** Decides about everything that waits, as the command line says; the model is told why in its own language. */
export const decideAll = ({ thread, agent }: PlainThread, which: string): Run =>
  which === "all" ? thread.approveAll() : thread.rejectAll(chatTextsIn(agent.language).plain.nobody);
