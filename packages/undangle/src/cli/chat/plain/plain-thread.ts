import { UndangleError } from "#core";
import type { AgentEvent, CallView, PendingCall, Run, RunMode, Thread } from "#engine";
import type { Store } from "#store";

import { noteAgent, otherAgent } from "../../noted-agent.ts";
import { chatTextsIn } from "../manner.ts";
import { newThreadId, openAgentIn } from "../open-chat.ts";
import type { OpenedAgent } from "../open-chat.ts";
import type { Beginning } from "../chat.ts";
import { recoverThread } from "../recover-thread.ts";

/** A thread without a user interface: its state at the start, and its agent. */
export interface PlainThread {
  readonly agent: OpenedAgent;
  readonly thread: Thread;
  readonly store: Store;
  /** The mode of messages. */
  readonly mode: RunMode | undefined;
  /** The last event at the start. */
  readonly start: number;
  /** The calls at the start. */
  readonly calls: readonly CallView[];
  /** Those that wait, with those of sub-agents. */
  readonly pending: readonly PendingCall[];
  /** True if a dead process left the thread, and it resumes. */
  readonly isGoingOn: boolean;
  /** The agent that responded before, if it is another agent. */
  readonly otherAgent: string | undefined;
}

/** Opens the thread and resumes it after a crash. */
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
    mode: manner.mode(),
    start: head?.lastEvent ?? 0,
    calls,
    pending: head === undefined ? [] : await thread.pending(),
    isGoingOn: now?.status === "running" && now.version !== head?.version,
    otherAgent: await otherAgent(thread.id, agent),
  };
}

/** The events of a run that was already running, up to its end. */
export async function* goingOn({ thread, start }: PlainThread): AsyncGenerator<AgentEvent, void, undefined> {
  let begun = "";
  for await (const event of thread.events({ after: start })) {
    if (event.type === "run_start") begun = event.data.runId;
    yield event;
    if (event.type === "run_end" && event.data.runId === begun) return;
  }
}

/** Sends a message, records the agent, and returns the result of `follow`. */
export async function say<T>(
  { thread, agent, mode }: PlainThread,
  message: string,
  follow: (run: Run) => Promise<T>,
): Promise<T> {
  const [outcome] = await Promise.all([follow(thread.send(message, { mode })), noteAgent(thread, agent)]);
  return outcome;
}

/** Closes the agent. After an error, running work is stopped first, because nothing would report it. */
export async function closePlainThread(opened: PlainThread, isBroken: boolean): Promise<void> {
  if (isBroken) await stopRunning(opened);
  await opened.agent.agent.close();
}

/** Stops the run of this process. Pending calls stay pending, and runs of other processes continue. */
export async function stopRunning({ thread, store }: PlainThread): Promise<void> {
  const head = await store.load(thread.id);
  if (head?.status !== "running") return;
  try {
    await thread.stop();
  } catch (error) {
    if (!(error instanceof UndangleError && error.is("thread/owned"))) throw error;
  }
}

/** Decides all pending calls as the command line requests. The reason is in the language of the model. */
export const decideAll = ({ thread, agent }: PlainThread, which: string): Run =>
  which === "all" ? thread.approveAll() : thread.rejectAll(chatTextsIn(agent.language).plain.nobody);
