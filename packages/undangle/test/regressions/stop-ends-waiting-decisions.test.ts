import { createAgent, tool } from "#engine";
import { scriptedModel } from "#testing";
import { expect, test } from "vitest";
import { z } from "zod";

import { promised, quiet, soon } from "../engine/promised.ts";
import { statesOf } from "../engine/recorded.ts";

/** A thread with two pending calls of a tool whose schema waits for a promise if `n` is 9. */
async function createStage(afterAgent?: () => Promise<void>) {
  const validated = promised<boolean>();
  const paid: number[] = [];
  const pay = tool({
    name: "pay",
    description: "Pays.",
    approval: true,
    input: z.object({ n: z.number().refine((n) => (n === 9 ? validated.promise : true)) }),
    execute: ({ n }) => void paid.push(n),
  });
  const calls = [1, 2].map((n) => ({ name: "pay", arguments: { n } }));
  const model = scriptedModel([{ calls }, { text: "Done." }]);
  const middleware = afterAgent === undefined ? [] : [{ name: "slow-end", afterAgent }];
  const agent = createAgent({ model, tools: [pay], middleware });
  const thread = agent.thread("t");
  const run = thread.send("Go.");
  if (afterAgent === undefined) await run.result;
  return { agent, thread, model, paid, validated };
}

const edited = { call_1: { type: "edit" as const, arguments: { n: 9 } } };

test("a stop ends all decisions that wait, and nothing runs after it", async () => {
  const { agent, thread, model, paid, validated } = await createStage();
  const decided = [thread.decide(edited), thread.decide(edited), thread.approveAll(), thread.rejectAll("No.")];
  await quiet();
  await soon(thread.stop(), 1000);
  const ends = await soon(Promise.all(decided.map(({ result }) => result)), 1000);
  expect(ends.map(({ status }) => status)).toEqual(["stopped", "stopped", "stopped", "stopped"]);
  expect((await thread.calls()).map(({ status, decision }) => [status, decision])).toEqual([
    ["stopped", undefined],
    ["stopped", undefined],
  ]);
  validated.resolve(true);
  await quiet();
  expect([paid, model.requests.length]).toEqual([[], 1]);
  expect(await statesOf(agent.store, "t")).toEqual({ pay: "stopped" });
});

test("a decision after the stop fails, because the calls are settled", async () => {
  const { thread } = await createStage();
  void thread.decide(edited);
  await quiet();
  const stopped = thread.stop();
  const late = await soon(thread.approveAll().result, 1000);
  await stopped;
  expect(late).toMatchObject({ status: "failed", error: { code: "decision/none" } });
});

test("a stop while a run ends does not wait for decisions about the calls that it leaves", async () => {
  const ending = promised();
  const { thread, paid } = await createStage(async () => {
    ending.resolve(undefined);
    await new Promise(() => undefined);
  });
  await ending.promise; // the run is about to wait for decisions
  const decided = [thread.decide(edited), thread.decide(edited), thread.approveAll()];
  await quiet();
  await soon(thread.stop(), 3000);
  const ends = await soon(Promise.all(decided.map(({ result }) => result)), 1000);
  expect(ends.map(({ status }) => status)).toEqual(["stopped", "stopped", "stopped"]);
  expect((await thread.calls()).map(({ status }) => status)).toEqual(["stopped", "stopped"]);
  expect(paid).toEqual([]);
});
