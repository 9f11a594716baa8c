import { UndangleError } from "#core";
import type { Language } from "#core";
import type { AgentEvent, CallView, PendingCall, Thread } from "#engine";

import { otherAgent } from "../noted-agent.ts";
import type { Desk } from "./desk.ts";
import type { Manner } from "./manner.ts";
import { commandLine, newThreadId, openAgentIn } from "./open-chat.ts";
import type { OpenedAgent, Place } from "./open-chat.ts";
import { recentTalk, talkStep } from "./recent-talk.ts";
import { recoverThread } from "./recover-thread.ts";
import { printRemark, printSaid } from "./view/show-event.ts";
import { newView, pathTo, withCall } from "./view/view.ts";
import type { OpenCall, View } from "./view/view.ts";
import { welcomeStep } from "./welcome.ts";
import { wordsSince } from "./words-since.ts";

/** The current thread and its agent. Both can be changed. */
export interface Seat {
  readonly agent: () => OpenedAgent;
  readonly thread: () => Thread;
  /** Prints the welcome text, and resumes the thread after a crash. */
  readonly sitDown: () => Promise<void>;
  /** Switches to another thread, and resumes it after a crash. */
  readonly enter: (id: string) => Promise<void>;
  /** Continues in a copy of this thread. */
  readonly fork: () => Promise<void>;
  readonly switchModel: (name: string) => Promise<void>;
  readonly setLanguage: (language: Language) => Promise<void>;
  /** Stops the events and closes the agent. */
  readonly leave: () => Promise<void>;
}

export interface SeatOptions {
  readonly desk: Desk;
  readonly place: Place;
  readonly manner: Manner;
  readonly version: string;
  readonly now: () => number;
  readonly heard: (event: AgentEvent) => void;
  /** True if this chat started the run. */
  readonly isOwn: (runId: string) => boolean;
  readonly guard: (work: Promise<unknown>) => void;
}

/** The first thread and agent. */
export interface FirstSeat {
  readonly agent: OpenedAgent;
  /** Undefined for a new thread. */
  readonly thread: string | undefined;
}

/** Milliseconds between checks whether the process that runs the thread has died. */
const lookInterval = 10_000;

export function openSeat(options: SeatOptions, first: FirstSeat): Seat {
  const { desk, place, manner, version, now, heard, isOwn, guard } = options;
  let { agent } = first;
  let thread = agent.agent.thread(first.thread ?? newThreadId());
  let model = place.options.model;
  let listening = new AbortController();
  let entries = 0; // entries of the thread that are known here
  // Another window may die during a run of this thread. The next action reports errors of this check.
  const looking = setInterval(() => void recoverThread(thread).catch(() => undefined), lookInterval).unref();
  const remark = (text: string): void => desk.show((view, face) => printRemark(view, text, face));

  const listen = (after: number): void => {
    listening.abort();
    listening = new AbortController();
    const { signal } = listening;
    const { id } = thread;
    const events = thread.events({ after, signal });
    const hear = async (): Promise<void> => {
      for await (const event of events) {
        if (event.type === "run_start" && !isOwn(event.data.runId)) await showElsewhere(id, signal);
        if (signal.aborted) return;
        heard(event);
        if (event.type === "run_end") await countEntries(id, signal);
      }
    };
    guard(hear());
  };

  /** Shows messages from other windows and programs before their response. */
  const showElsewhere = async (id: string, signal: AbortSignal): Promise<void> => {
    const since = await wordsSince(place.store, id, entries).catch(storeIsAway);
    if (signal.aborted || since === undefined) return;
    entries = since.next;
    for (const text of since.texts) desk.show((view, face) => printSaid(view, text, face, face.texts.elsewhere));
  };

  /** Counts the entries that are known here. */
  const countEntries = async (id: string, signal: AbortSignal): Promise<void> => {
    const head = await place.store.load(id).catch(storeIsAway);
    if (!signal.aborted) entries = head?.entries ?? entries;
  };

  /** Shows a thread, follows its events, and resumes it after a crash. */
  const attend = async (greet: (isNew: boolean) => void): Promise<void> => {
    const head = await place.store.load(thread.id);
    const calls = head === undefined ? [] : await thread.calls();
    const pending = head === undefined ? [] : await thread.pending();
    desk.reset(viewOf({ calls, pending }, desk.view(), now()));
    greet(head === undefined);
    if (head !== undefined) {
      const talk = await recentTalk(thread, place.store, calls);
      const kept = ["store", "config"] as const;
      const command = commandLine(place, { command: "threads show", operands: [thread.id], options: [], kept });
      desk.show((view, face) => talkStep(view, face, { talk, command }));
    }
    entries = head?.entries ?? 0;
    const other = await otherAgent(thread.id, agent);
    if (other !== undefined) remark(desk.face().texts.otherAgent(other, agent.name));
    listen(head?.lastEvent ?? 0);
    if (head !== undefined) await recoverThread(thread);
  };

  /** The agent with another model. An invalid name is reported as an argument of the command, not as an option. */
  const openWith = (name: string): OpenedAgent => {
    try {
      return openAgentIn(place, manner, name);
    } catch (error) {
      if (!(error instanceof UndangleError)) throw error;
      const { cause } = error;
      if (error.is("config/refused"))
        throw new UndangleError("config/refused", { ...error.data, place: "/model" }, cause);
      if (error.is("config/name")) throw new UndangleError("config/name", { ...error.data, place: "/model" }, cause);
      throw error;
    }
  };

  /** Continues the thread with another agent. */
  const reopen = async (open: () => OpenedAgent): Promise<void> => {
    const next = open(); // an unknown name changes nothing
    listening.abort();
    await agent.agent.close();
    agent = next;
    thread = agent.agent.thread(thread.id);
    listen((await place.store.load(thread.id))?.lastEvent ?? 0);
  };

  return {
    agent: () => agent,
    thread: () => thread,
    async sitDown() {
      await attend((isNew) =>
        desk.show((view, face) => welcomeStep(view, face, { version, agent, place, thread: thread.id, isNew })),
      );
    },
    async enter(id) {
      thread = agent.agent.thread(id);
      await attend((isNew) => remark(desk.face().texts.commands.thread(id, isNew)));
    },
    async fork() {
      thread = await thread.fork(undefined, { id: newThreadId() });
      const head = await place.store.load(thread.id);
      entries = head?.entries ?? 0;
      listen(head?.lastEvent ?? 0);
      remark(desk.face().texts.commands.forked(thread.id));
    },
    async switchModel(name) {
      await reopen(() => openWith(name));
      model = name;
      remark(desk.face().texts.commands.model(agent.model));
    },
    async setLanguage(language) {
      await reopen(() => openAgentIn(place, { language: () => language, isAsked: () => true }, model));
      manner.setLanguage(language);
    },
    async leave() {
      clearInterval(looking);
      listening.abort();
      await agent.agent.close();
    },
  };
}

/** Continues without the store; events still arrive. */
function storeIsAway(error: unknown): undefined {
  if (!(error instanceof UndangleError)) throw error;
}

/** The display of open calls. A running call belongs to another window, because calls of dead processes are settled. */
const openStates: Readonly<Partial<Record<CallView["status"], OpenCall["state"]>>> = {
  awaiting: "waiting",
  proposed: "ready",
  approved: "ready",
  running: "running",
  delegated: "delegated",
};

interface KnownCalls {
  readonly calls: readonly CallView[];
  /** With those of sub-agents, which are not among the calls. */
  readonly pending: readonly PendingCall[];
}

/** The view of a thread with its open calls, after the earlier output. */
function viewOf({ calls, pending }: KnownCalls, before: View, at: number): View {
  const isRunning = calls.some(({ status }) => status === "running");
  const fresh = { ...newView(calls), last: before.last, isRunning };
  const own = calls.reduce((view, { id, name, arguments: args, status }) => {
    const state = openStates[status];
    return state === undefined ? view : withCall(view, id, { name, arguments: args, state, since: at });
  }, fresh);
  const inner = pending.filter(({ path }) => path !== undefined);
  return inner.reduce((view, call) => {
    const { id, name, arguments: args } = call;
    return withCall(view, id, { name, path: pathTo(call), arguments: args, state: "waiting", since: at });
  }, own);
}
