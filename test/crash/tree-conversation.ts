import { setTimeout as pause } from "node:timers/promises";

import { createAgent } from "../../packages/undangle/src/engine/index.ts";
import type { PendingCall, Run } from "../../packages/undangle/src/engine/index.ts";
import { subagents } from "../../packages/undangle/src/middleware/index.ts";
import type { ModelRequest } from "../../packages/undangle/src/model/index.ts";
import { scriptedModel } from "../../packages/undangle/src/testing/index.ts";
import type { ScriptedCall, ScriptedTurn } from "../../packages/undangle/src/testing/index.ts";
import { openStore } from "../../packages/undangle/test/store/open-store.ts";
import { writeLine } from "./diary.ts";
import { watchedStore } from "./watched-store.ts";
import { gatedTools, watchedTools } from "./watched-tools.ts";

export interface TreeConversation {
  readonly path: string;
  readonly diary: string;
  /** The person decides while other tasks run, and not only when everything waits. */
  readonly isEager: boolean;
  /** Says that the process has come to a place where it may die. */
  readonly visit: (point: string) => void;
}

const call = (name: string, about: string): ScriptedCall => ({ name, arguments: { about } });
const task = (description: string): ScriptedCall => ({
  name: "task",
  arguments: { description, subagent_type: "general-purpose" },
});

/** The turns of each thread. A parent delegates three tasks; two of them wait for the person, and go on for several turns. */
const plays: Readonly<
  Record<string, { readonly first: string; readonly turns: readonly (readonly ScriptedCall[])[] }>
> = {
  t: { first: "Go.", turns: [[task("One."), task("Two."), task("Three.")], [call("note", "the end")]] },
  "t/call_1": { first: "One.", turns: [[call("charge", "one")], [call("note", "one")]] },
  "t/call_2": { first: "Two.", turns: [[call("charge", "two")], [call("slow", "two"), call("note", "two")]] },
  "t/call_3": { first: "Three.", turns: [[call("note", "three")], [call("note", "three")], [call("slow", "three")]] },
};

export const treeThreads = Object.keys(plays);

/** The last text of a thread. */
export const lastWords = (thread: string): string => `${thread} is done.`;

/** What the person decides, by the id in the parent. */
export const verdicts: Readonly<Record<string, "approve" | "reject">> = {
  "call_1/call_1": "approve",
  "call_2/call_1": "reject",
};

/** Starts the conversation or continues it, and decides one call at a time, until everything is done. */
export async function converseInTree({
  path,
  diary,
  isEager,
  visit,
}: TreeConversation): Promise<readonly ModelRequest[]> {
  const store = await openStore(path);
  const model = scriptedModel([(request) => turnOf(request, diary, visit)], { loop: true });
  const agent = createAgent({
    model,
    tools: watchedTools(diary, visit),
    approvals: [{ tools: gatedTools }],
    middleware: [subagents()],
    store: watchedStore(store, (point) => {
      if (point !== "read" && point !== "beat") visit(point);
    }),
  });
  const thread = agent.thread("t");
  visit("recover");
  const runs: Run[] = [...(await agent.recover())];
  if ((await store.load("t")) === undefined) runs.push(thread.send("Go."));

  const lookAt = async (): Promise<readonly PendingCall[]> => {
    const pending = await thread.pending();
    for (const { id } of pending) writeLine(diary, { type: "asked", ...placeOf(id) });
    return pending;
  };
  for (;;) {
    if (!isEager) await Promise.all(runs.map(({ result }) => result));
    const [next] = await lookAt();
    if (next === undefined) {
      if ((await store.load("t"))?.status === "idle") break;
      await pause(2);
      continue;
    }
    const type = verdicts[next.id] ?? "approve";
    const line = { ...placeOf(next.id), decision: type };
    writeLine(diary, { type: "decide", ...line });
    visit("decide");
    const run = thread.decide({ [next.id]: { type } }, { by: "Ana" });
    runs.push(run);
    if (!isEager) await run.result;
    while ((await thread.pending()).some(({ id }) => id === next.id)) await pause(1);
    writeLine(diary, { type: "decided", ...line });
    visit("decided");
  }
  for (const { result } of runs) {
    const { status, error } = await result;
    if (status === "failed") writeLine(diary, { type: "fault", thread: "t", code: error.code, message: String(error) });
  }
  visit("idle");
  await agent.close();
  await store.close();
  return model.requests;
}

/** The thread and the id of a call, by its id in the parent. */
function placeOf(id: string): { readonly thread: string; readonly call: string } {
  const at = id.lastIndexOf("/");
  return { thread: `t/${id.slice(0, at)}`, call: id.slice(at + 1) };
}

/** The turn of a thread, by its first message and the number of turns that it has. */
function turnOf({ messages }: ModelRequest, diary: string, visit: (point: string) => void): ScriptedTurn {
  const [first] = messages;
  const said =
    first?.role === "user" ? first.parts.map((part) => (part.type === "text" ? part.text : "")).join("") : "";
  const turn = messages.filter(({ role }) => role === "assistant").length;
  const [thread = ""] = Object.entries(plays).find(([, play]) => play.first === said) ?? [];
  writeLine(diary, { type: "request", thread, turn });
  visit("request");
  const calls = plays[thread]?.turns[turn];
  const usage = { prompt_tokens: 1, completion_tokens: 0, total_tokens: 1 };
  return calls === undefined ? { text: lastWords(thread), usage } : { calls, usage };
}
