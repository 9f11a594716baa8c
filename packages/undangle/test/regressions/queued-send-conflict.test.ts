import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";

import { UndangleError } from "#core";
import { createAgent, tool } from "#engine";
import { memoryStore } from "#store";
import type { Store } from "#store";
import { scriptedModel } from "#testing";

test("a queued message that meets a conflict is performed once, and reports the run that responds to it", async () => {
  const store = memoryStore();
  let conflicts = 0;
  const contested: Store = {
    ...store,
    commit(commit) {
      if (conflicts === 0) return store.commit(commit);
      conflicts--;
      const data = { threadId: commit.thread, expected: 1, actual: 2, canRetry: false };
      return Promise.reject(new UndangleError("store/conflict", data));
    },
  };
  const slow = tool({
    name: "slow",
    description: "Takes its time.",
    execute: async (_, { signal }) => pause(10_000, undefined, { signal }),
  });
  const agent = createAgent({
    model: scriptedModel([{ calls: [{ name: "slow" }] }, { text: "Here I am." }]),
    store: contested,
    tools: [slow],
  });
  const thread = agent.thread("t");
  const first = thread.send("Go.");
  for await (const { type } of first) if (type === "tool_call_running") break;
  conflicts = 1;
  const queued = await thread.send("And you?", { onInput: "queue" }).result;
  expect(queued).toMatchObject({ status: "done", text: "Here I am." });
  expect((await first.result).status).toBe("failed");
  const history = JSON.stringify(await thread.history("openai-chat"));
  expect(history.split("And you?")).toHaveLength(2);
});
