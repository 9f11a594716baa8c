import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createAgent } from "#engine";
import type { Agent, AgentEvent, Thread } from "#engine";
import type { ModelRequest } from "#model";
import { scriptedModel } from "#testing";
import type { ScriptedModel } from "#testing";

export type Calls = readonly { readonly name: string; readonly arguments?: Readonly<Record<string, unknown>> }[];

export interface SystemStage {
  readonly agent: Agent;
  readonly model: ScriptedModel;
  readonly thread: Thread;
  readonly events: readonly AgentEvent[];
  /** The results of all calls, errors with a leading `!`. */
  readonly results: readonly string[];
  /** The system text of each request. */
  readonly systems: readonly string[];
  readonly warnings: readonly string[];
}

/** Runs an agent whose model makes these calls, one list for each turn. */
export async function staged(
  options: Partial<Parameters<typeof createAgent>[0]>,
  turns: readonly Calls[] = [],
  files: Readonly<Record<string, string | Uint8Array>> = {},
): Promise<SystemStage> {
  const model = scriptedModel([
    ...turns.map((calls) => ({ calls })),
    { text: "Done." },
    { text: "Done." },
    { text: "Done." },
  ]);
  const agent = createAgent({ model, ...options });
  const thread = agent.thread("t");
  const events = await eventsOf(thread.send("Go.", { files }));
  const calls = await thread.calls();
  return {
    agent,
    model,
    thread,
    events,
    results: calls.map(({ status, result, error }) =>
      status === "succeeded" ? String(result) : `!${error ?? status}`,
    ),
    systems: model.requests.map(systemOf),
    warnings: warningsIn(events),
  };
}

export async function eventsOf(run: AsyncIterable<AgentEvent>): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of run) events.push(event);
  return events;
}

export const systemOf = ({ system }: ModelRequest): string => system.map(({ text }) => text).join("");

export const warningsIn = (events: readonly AgentEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === "warning" ? [event.data.message] : []));

/** Runs work with a folder of its own. */
export async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "undangle-planning-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
