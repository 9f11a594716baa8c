import { createAgent, memoryStore, tool } from "undangle/agent";
import type { Store } from "undangle/agent";
import { answerOf } from "./scripted-stream.ts";
import type { ToolInput } from "./tool-input.ts";
import { scriptedCall, tools } from "./workload.ts";
import type { Script } from "./workload.ts";

/** What a store is given. */
export type Commit = Parameters<Store["commit"]>[0];

/** What a store is to be given for a thread in which everything was said that a script has before its run. */
export type Seed = (threadId: string) => Commit;

/** Lets the engine have the conversation, and makes one commit of all that it saves; undefined where nothing was said before. */
export async function seedOf({ prior }: Script, { schema }: ToolInput): Promise<Seed | undefined> {
  if (prior.turns.length === 0) return undefined;
  const commits: Commit[] = [];
  const answers = prior.turns.flatMap(({ calls, answer = "" }) => [
    answerOf(calls.map(scriptedCall), ""),
    answerOf([], answer),
  ]);
  const nextAnswer = answers.values();
  const nextResult = prior.turns.flatMap(({ calls }) => calls.map(({ result }) => result)).values();
  const agent = createAgent({
    model: { name: "bench", stream: () => given(nextAnswer)() },
    tools: tools.map((each) => tool({ ...each, input: schema, execute: () => given(nextResult) })),
    store: recording(memoryStore(), commits),
  });
  const thread = agent.thread();
  for (const { question } of prior.turns) {
    const { status, error } = await thread.send(question).result;
    if (status !== "done") throw new Error("The conversation before could not be had.", { cause: error });
  }
  await agent.close();
  const whole = joined(commits);
  return (id) => ({ ...whole, thread: id });
}

/** A store that notes what it is given. */
export function recording(store: Store, commits: Commit[]): Store {
  return {
    ...store,
    async commit(commit) {
      commits.push(commit);
      await store.commit(commit);
    },
  };
}

/** All commits of a thread as one. */
function joined(commits: readonly Commit[]): Commit {
  const last = commits.at(-1);
  if (last === undefined) throw new Error("Nothing was saved.");
  const calls = new Map(commits.flatMap((commit) => commit.calls).map((call) => [call.id, call])); // the last state of each
  return {
    ...last,
    version: 0,
    entries: commits.flatMap(({ entries }) => entries),
    calls: [...calls.values()],
    events: commits.flatMap(({ events }) => events),
  };
}

function given<T>(list: Iterator<T, undefined>): T {
  const next = list.next();
  if (next.done === true) throw new Error("There is nothing more.");
  return next.value;
}
