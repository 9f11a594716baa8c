import type { Message } from "#codecs";
import { project } from "#engine";
import type { AgentEvent, CallState, LedgerCall, Run, Thread } from "#engine";
import type { Store } from "#store";

import { notRetracted } from "../../src/engine/ledger/recorded.ts";
import { readThreadJournal } from "../../src/engine/journal/thread-journal.ts";

/** The calls of a thread as the store has them. */
export async function callsOf(store: Store, id: string): Promise<readonly LedgerCall[]> {
  return (await store.calls(id)).map(({ value }) => value as LedgerCall); // the ledger put them there
}

/** The states of the calls of a thread, by the names of their tools. */
export async function statesOf(store: Store, id: string): Promise<Readonly<Record<string, CallState>>> {
  return Object.fromEntries((await callsOf(store, id)).map(({ name, state }) => [name, state]));
}

/** What a model would get to see of a thread, by what the store has and nothing else. */
export async function messagesIn(store: Store, id: string): Promise<readonly Message[]> {
  const head = await store.load(id);
  if (head === undefined) return [];
  const { recorded } = await readThreadJournal(store, head);
  return notRetracted(recorded).flatMap((each) => project(each, { language: "en", longestResult: 400_000 }));
}

/** A message of a chat. */
export interface ChatMessage {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
}

/** A thread as a chat. */
export async function chatOf(thread: Thread): Promise<readonly ChatMessage[]> {
  return (await thread.history("openai-chat")) as readonly ChatMessage[]; // that is its format
}

/** What the model is told of calls, by the names of their tools. */
export async function toldOf(thread: Thread): Promise<Readonly<Record<string, string>>> {
  const chat = await chatOf(thread);
  const names = new Map(
    chat.flatMap(({ tool_calls: calls = [] }) => calls.map(({ id, function: { name } }) => [id, name] as const)),
  );
  return Object.fromEntries(
    chat.flatMap(({ tool_call_id: id, content }) => (id === undefined ? [] : [[names.get(id) ?? id, content ?? ""]])),
  );
}

/** A thread in few words: who speaks, and which calls are made and answered. */
export async function shapeOf(thread: Thread): Promise<string> {
  const chat = await chatOf(thread);
  return chat
    .map(({ role, content, tool_calls: calls }) => {
      if (role === "tool") return "T";
      if (calls !== undefined) return `A(${calls.map(({ function: { name } }) => name).join(",")})`;
      return `${role === "user" ? "H" : "A"}:${content ?? ""}`;
    })
    .join(" ");
}

/** All events of a run. */
export async function eventsOf(run: Run): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of run) events.push(event);
  return events;
}

/** How often each call ended, by the events in the store. */
export async function endsOf(store: Store, id: string): Promise<ReadonlyMap<string, number>> {
  const ends = new Map<string, number>();
  for (const { type, data } of await store.events(id)) {
    if (type !== "tool_call_end") continue;
    const { id: call } = data as { readonly id: string }; // of such an event
    ends.set(call, (ends.get(call) ?? 0) + 1);
  }
  return ends;
}
