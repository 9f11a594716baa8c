import { UndangleError } from "#core";
import type { Store, StoredEvent } from "#store";

import { childActor, childAgentOf } from "../children/child-thread.ts";
import { parentOf, usageOfHead } from "../journal/thread-head.ts";
import { noUsage } from "../ledger/ledger.ts";
import type { ParentCall } from "../ledger/ledger.ts";
import type { LedgerCall } from "../ledger/call.ts";
import type { ThreadActor } from "../thread/thread-actor.ts";
import { timesIn } from "./trace.ts";
import type { ThreadTrace, Traced } from "./trace.ts";
import { traceThread } from "./trace-thread.ts";
import type { TracedCall } from "./trace-thread.ts";

/** Reads the trace of a thread and its child threads. */
export async function readTrace(actor: ThreadActor): Promise<ThreadTrace> {
  const { threadId, setup } = actor;
  const { store, now } = setup;
  const head = await store.load(threadId);
  if (head?.deletedAt !== undefined) throw new UndangleError("thread/deleted", { threadId });
  const traced = await tracedThread(store, { threadId, actor, path: [] });
  const tokens = head === undefined ? noUsage : usageOfHead(head);
  const at = now();
  return { at, ...traced, totals: { ...timesIn(traced.spans, at), tokens } };
}

interface ThreadPlace {
  readonly threadId: string;
  /** Undefined if the agent of a child thread is not known any more. */
  readonly actor: ThreadActor | undefined;
  readonly path: readonly string[];
}

async function tracedThread(store: Store, { threadId, actor, path }: ThreadPlace): Promise<Traced> {
  const unsaved = actor?.thread.journal()?.events.unsaved() ?? []; // read first: they may be saved meanwhile
  const events = await allEvents(store, threadId);
  const last = events.at(-1)?.seq ?? 0;
  const at = actor?.setup.now() ?? 0;
  for (const { id, type, data } of unsaved) {
    const seq = Number.parseInt(id, 10);
    if (seq > last) events.push({ seq, type, data, at });
  }
  const calls = new Map<string, TracedCall>();
  const children = new Map<string, Traced>();
  for (const { id, entry, value } of await store.calls(threadId)) {
    const call = value as LedgerCall; // written by the ledger
    calls.set(id, { call, entry });
    if (call.child === undefined || !(await isChildOf(store, call.child.thread, { thread: threadId, call: id })))
      continue;
    const agent = actor === undefined ? undefined : childAgentOf(actor.setup, call);
    const child = agent === undefined ? undefined : childActor(agent, threadId, id);
    children.set(id, await tracedThread(store, { threadId: call.child.thread, actor: child, path: [...path, id] }));
  }
  return traceThread({ events, callOf: (id) => calls.get(id), path, agent: actor?.setup.name, children });
}

/** True if a call runs the thread, according to the thread itself. */
async function isChildOf(
  store: Store,
  threadId: string,
  { thread, call }: Pick<ParentCall, "thread" | "call">,
): Promise<boolean> {
  const head = await store.load(threadId);
  const parent = head === undefined ? undefined : parentOf(head);
  return parent?.thread === thread && parent.call === call;
}

const atOnce = 500;

/** All events of a thread, without the texts of deltas. */
async function allEvents(store: Store, threadId: string): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  for (;;) {
    const page = await store.events(threadId, { after: events.at(-1)?.seq ?? 0, limit: atOnce });
    for (const event of page) events.push(event.type.endsWith("_delta") ? { ...event, data: {} } : event);
    if (page.length < atOnce) return events;
  }
}
