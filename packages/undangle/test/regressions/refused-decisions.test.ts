import { UndangleError } from "#core";
import { createAgent, tool } from "#engine";
import type { Decision, Thread } from "#engine";
import { scriptedModel } from "#testing";
import { describe, expect, test } from "vitest";

import { eventsOf, toldOf } from "../engine/recorded.ts";

const pay = tool({ name: "pay", description: "Pays.", approval: true, execute: () => "paid" });

/** A thread in which two calls wait. */
async function waiting(language: "en" | "zh" = "en"): Promise<Thread> {
  const model = scriptedModel([{ calls: [{ name: "pay" }, { name: "pay" }] }, { text: "Done." }]);
  const thread = createAgent({ model, tools: [pay], language }).thread("t");
  expect((await thread.send("Go.").result).status).toBe("waiting");
  return thread;
}

const refusals: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "an unknown call": { call_9: { type: "approve" } },
  "another digest": { call_1: { type: "approve", digest: "of another" } },
  "no decision": { call_1: { type: "perhaps" } },
  "arguments that do not fit": { call_1: { type: "edit", arguments: 5 } },
  "an unknown tool": { call_1: { type: "edit", name: "none", arguments: {} } },
};

describe.each(Object.entries(refusals))("a decision that is refused: %s", (_, decisions) => {
  const decide = (thread: Thread) => thread.decide(decisions as Readonly<Record<string, Decision>>).result; // what is wrong is the point

  test("leaves the pending calls in the end of its run", async () => {
    const thread = await waiting();
    const { status, error, pending } = await decide(thread);
    expect([status, error?.code]).toEqual(["failed", "decision/refused"]);
    expect(pending).toEqual(await thread.pending());
    expect(pending.map(({ id }) => id)).toEqual(["call_1", "call_2"]);
  });

  test("is reported in one language", async () => {
    const { error } = await decide(await waiting("zh"));
    expect(error?.message).toMatch(/^没有作出任何决定：call_\d：.*\p{Script=Han}.*。$/u);
    expect(error?.message).not.toMatch(/\b(?:nothing|decided|is|not|the|settled)\b/iu);
    const { error: english } = await decide(await waiting("en"));
    expect(english?.message).toMatch(/^Nothing was decided: call_\d: /u);
    expect(english?.message).not.toMatch(/\p{Script=Han}/u);
  });
});

test("a decision about a settled call is refused in one language, and lists the calls that wait", async () => {
  const thread = await waiting("zh");
  await thread.decide({ call_1: { type: "reject" } }).result;
  const { error, pending } = await thread.decide({ call_1: { type: "approve" } }).result;
  expect(error?.message).toBe("没有作出任何决定：call_1：它的状态是“已拒绝”，不等待决定。");
  expect(pending.map(({ id }) => id)).toEqual(["call_2"]);
});

test("a run that is refused for another reason lists the calls that wait, too", async () => {
  const thread = await waiting();
  const { error, pending } = await thread.send("And?", { onInput: "refuse" }).result;
  expect(error?.code).toBe("thread/busy");
  expect(pending).toHaveLength(2);
});

test("an error as JSON has its message", async () => {
  const { error } = await (await waiting()).decide({ call_9: { type: "approve" } }).result;
  const { message, code, data } = error ?? {};
  expect(JSON.parse(JSON.stringify({ error }))).toEqual({ error: { name: "UndangleError", code, message, data } });
  expect(message).toMatch(/^Nothing was decided/u);
  expect(JSON.stringify(new UndangleError("thread/empty", { threadId: "t" }))).toContain("message");
});

test.each([
  ["en", "The user rejected this operation"],
  ["zh", "用户拒绝了此操作"],
] as const)(
  "the end of a rejected call carries the sentence, and the model reads its JSON (%s)",
  async (language, sentence) => {
    const thread = await waiting(language);
    const run = thread.rejectAll("no");
    await run.result;
    const ends = (await eventsOf(run)).flatMap(({ type, data }) => (type === "tool_call_end" ? [data] : []));
    expect(ends).toMatchObject([
      { id: "call_1", status: "rejected", error: sentence, userRejected: true, decision: { reason: "no" } },
      { id: "call_2", status: "rejected", error: sentence, userRejected: true, decision: { reason: "no" } },
    ]);
    const json = JSON.stringify({ success: false, error: sentence, userRejected: true, reason: "no" });
    expect(await toldOf(thread)).toEqual({ pay: json });
  },
);
