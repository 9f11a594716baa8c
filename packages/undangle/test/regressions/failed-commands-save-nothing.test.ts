import { expect, test } from "vitest";

import { UndangleError } from "#core";
import { memoryStore } from "#store";

import { promised, quiet, until } from "../engine/promised.ts";
import { shapeOf, statesOf } from "../engine/recorded.ts";
import { createRunStage } from "../engine/run-stage.ts";
import type { RunStage } from "../engine/run-stage.ts";
import { watchedStore } from "../engine/watched-store.ts";

/** A run whose slow tool is running, in a store that can fail the next commits. */
async function createStage(calls: readonly string[] = ["slow"]) {
  let failing: (() => Promise<void>)[] = [];
  const store = watchedStore(memoryStore(), {
    async before() {
      const during = failing.shift();
      await during?.();
      if (during !== undefined) throw new UndangleError("store/full", { path: "x", canRetry: false });
    },
  });
  const stage = createRunStage(calls, { store });
  const { thread } = stage;
  await thread.describe({ title: "Before", meta: { kept: 1, changed: "before" } });
  await thread.writeFile("/given.txt", "before");
  const run = thread.send("Go.");
  for await (const { type } of run) if (type === "tool_call_running") break;
  const failNext = (...during: readonly (() => Promise<void>)[]): void => {
    failing = [...during];
  };
  return { ...stage, run, failNext };
}

/** The thread as the store has it. */
async function saved({ agent, thread }: Pick<RunStage, "agent" | "thread">) {
  const { title, meta } = (await agent.find("t")) ?? {};
  const { files } = await thread.export();
  return { title, meta, files };
}

const unchanged = {
  title: "Before",
  meta: { kept: 1, changed: "before" },
  files: [{ path: "/given.txt", text: "before" }],
};
const atOnce = async (): Promise<void> => undefined;
const about = { title: "After", meta: { changed: "after", added: true } };
const files = { "/given.txt": "after", "/new.txt": "new" };

test("a queued message that cannot be saved leaves no message, title, metadata or file", async () => {
  const stage = await createStage();
  const { thread, run, failNext } = stage;
  failNext(atOnce);
  const sent = thread.send("And this.", { onInput: "queue", describe: about, files });
  expect(await sent.result).toMatchObject({ status: "failed", error: { code: "store/full" } });
  expect((await run.result).status).toBe("failed");
  expect(await saved(stage)).toEqual(unchanged);
  expect(JSON.stringify(await thread.export())).not.toContain("And this");
});

test("a queued message that cannot be saved leaves nothing if the calls before it end during the save", async () => {
  const stage = await createStage();
  const { thread, run, slow, failNext } = stage;
  failNext(async () => {
    slow.resolve("slow result");
    await quiet();
  }, atOnce);
  const sent = thread.send("And this.", { onInput: "queue", describe: about, files });
  expect((await sent.result).status).toBe("failed");
  expect((await run.result).status).toBe("failed");
  expect(await saved(stage)).toEqual(unchanged);
  expect(await shapeOf(thread)).toBe("H:Go. A(slow) T");
  expect(await statesOf(stage.agent.store, "t")).toEqual({ slow: "succeeded" });
  expect((await thread.send("Again.").result).status).toBe("done");
});

test("a decision that cannot be saved leaves no message and no description", async () => {
  const stage = await createStage(["slow", "gated"]);
  const { thread, run, failNext } = stage;
  failNext(atOnce);
  const decided = thread.approveAll({ input: "And this.", describe: about });
  expect((await decided.result).status).toBe("failed");
  expect((await run.result).status).toBe("failed");
  expect(await saved(stage)).toEqual(unchanged);
  expect(JSON.stringify(await thread.export())).not.toContain("And this");
});

test.each([
  ["describe()", ({ thread }: RunStage) => thread.describe(about)],
  ["writeFile()", ({ thread }: RunStage) => thread.writeFile("/given.txt", "after")],
])("%s during a run has no effect if it cannot be saved", async (_, change) => {
  const stage = await createStage();
  const { run, failNext } = stage;
  failNext(atOnce);
  await expect(change(stage)).rejects.toMatchObject({ code: "store/full" });
  expect((await run.result).status).toBe("failed");
  expect(await saved(stage)).toEqual(unchanged);
});

test("a command that a later save includes has succeeded, although its own save failed", async () => {
  const stage = await createStage();
  const { agent, thread, run, slow, failNext } = stage;
  failNext(async () => {
    slow.resolve("slow result"); // its save follows at once
    await quiet();
  });
  await thread.describe(about);
  expect((await run.result).status).toBe("done");
  expect(await agent.find("t")).toMatchObject({ title: "After", meta: { kept: 1, changed: "after", added: true } });
});

test.each([
  ["describe()", ({ thread }: RunStage) => thread.describe(about)],
  ["writeFile()", ({ thread }: RunStage) => thread.writeFile("/given.txt", "after")],
])("%s while the model responds does not take the response from a queued message", async (_, change) => {
  const stage = createRunStage([], {}, [
    async () => {
      await response.promise;
      return { text: "One." };
    },
    { text: "Two." },
  ]);
  const response = promised();
  const { thread, model } = stage;
  const run = thread.send("Go.");
  await until(() => model.requests.length === 1);
  const queued = thread.send("And this.", { onInput: "queue" });
  await quiet();
  await change(stage);
  response.resolve(undefined);
  await Promise.all([run.result, queued.result]);
  expect(await shapeOf(thread)).toBe("H:Go. A:One. H:And this. A:Two.");
});
