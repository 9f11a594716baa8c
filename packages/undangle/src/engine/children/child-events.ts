import { UndangleError } from "#core";

import type { AgentEvent, EventDraft } from "../events.ts";
import { readEvents } from "../journal/read-events.ts";
import type { EventsOptions } from "../journal/read-events.ts";
import type { LedgerCall } from "../ledger/call.ts";
import type { ThreadActor } from "../thread/thread-actor.ts";
import { fromChild } from "../views/call-view.ts";
import { childActor, childAgentOf, readChild } from "./child-thread.ts";

/** The events of a thread or, with a path, of the child thread at that path. */
export async function* eventsAt(
  actor: ThreadActor,
  path: readonly string[],
  options: EventsOptions,
): AsyncGenerator<AgentEvent, void, undefined> {
  const { threadId, setup } = actor;
  const [callId, ...rest] = path;
  if (callId === undefined) return yield* readEvents(threadId, setup.store, actor.thread, options);
  const { call, child } = await childAt(actor, callId);
  for await (const event of eventsAt(child, rest, options)) {
    const draft = eventFromChild(call, event);
    yield draft === undefined ? { ...event, path } : { ...draft, id: event.id }; // also the start and the end of a run
  }
}

/** The thread at a path: the thread itself, or a descendant. */
export async function actorAt(actor: ThreadActor, path: readonly string[]): Promise<ThreadActor> {
  let found = actor;
  for (const callId of path) found = (await childAt(found, callId)).child;
  return found;
}

/** A call that an agent runs, and its thread. */
async function childAt(
  actor: ThreadActor,
  callId: string,
): Promise<{ readonly call: LedgerCall; readonly child: ThreadActor }> {
  const { threadId, setup } = actor;
  const call = (await actor.read()).callOf(callId);
  const agent = call === undefined ? undefined : childAgentOf(setup, call);
  const child = agent === undefined ? undefined : childActor(agent, threadId, callId);
  if (call === undefined || child === undefined || (await readChild(child)) === undefined)
    throw new UndangleError("options/value", {
      option: "path",
      value: callId,
      allowed: ["the ids of calls that agents run"],
    });
  return { call, child };
}

/**
 * An event of a child thread for the readers of its parent. Undefined for the start and the end of a run: the call of the
 * parent shows these.
 */
export function eventFromChild(call: LedgerCall, event: AgentEvent): EventDraft | undefined {
  const path = [call.id, ...(event.path ?? [])];
  switch (event.type) {
    case "run_start":
    case "run_end":
      return undefined;
    case "approval_required":
      return { type: event.type, data: fromChild(call, event.data), path };
    case "tool_call_start":
    case "tool_call_delta":
    case "tool_call_ready":
    case "tool_call_running":
    case "tool_call_end": {
      const draft: unknown = { type: event.type, data: { ...event.data, id: `${call.id}/${event.data.id}` }, path };
      return draft as EventDraft; // data of this type
    }
    case "warning": {
      const { id } = event.data;
      const data = id === undefined ? event.data : { ...event.data, id: `${call.id}/${id}` };
      return { type: event.type, data, path };
    }
    default: {
      const { id: _number, ...draft } = event; // without a call id
      return { ...draft, path };
    }
  }
}
