import { createAgent, tool } from "#engine";
import { memoryStore } from "#store";
import type { Store } from "#store";
import { scriptedModel } from "#testing";
import type { ScriptedAnswer } from "#testing";
import { describe, expect, test } from "vitest";

const pay = tool({ name: "pay", description: "Pays.", approval: true, execute: () => "paid" });
const history = [
  { role: "user", content: "Weather?" },
  { role: "assistant", content: "Warm." },
];

/** An agent, and how many commits its store got before the model was asked for the first time. */
function stage(turns: readonly ScriptedAnswer[], own: Store = memoryStore()) {
  const commits: string[] = [];
  const store: Store = {
    ...own,
    async commit(commit) {
      await own.commit(commit);
      commits.push(commit.events.map(({ type }) => type).join(" "));
    },
  };
  const model = scriptedModel(turns, { loop: true });
  return { agent: createAgent({ model, tools: [pay], store }), model, store, commits };
}

describe("a thread that begins", () => {
  test.each([
    ["with a message", { input: "And tomorrow?" }, ["user"]],
    ["with a history and a message", { history, input: "And tomorrow?" }, ["user", "assistant", "user"]],
    ["with a history that ends with a message", { history: history.slice(0, 1) }, ["user"]],
  ])("%s: what is noted of it, its history and its message are one commit", async (_, beginning, roles) => {
    const { agent, model, commits } = stage([{ text: "Cold." }]);
    const run = agent.thread("t").begin({ ...beginning, describe: { title: "Weather", meta: { owner: "me" } } });
    expect((await run.result).text).toBe("Cold.");
    expect(commits[0]).toBe("run_start");
    expect(model.requests[0]?.messages.map(({ role }) => role)).toEqual(roles);
    expect(await agent.find("t")).toMatchObject({ title: "Weather", meta: { owner: "me" } });
  });

  test("is refused where there is one, and nothing is changed", async () => {
    const { agent, store } = stage([{ text: "Cold." }]);
    await agent.thread("t").send("Hi.").result;
    const before = await store.load("t");
    const again = await agent.thread("t").begin({ history, input: "Hi.", describe: { title: "Other" } }).result;
    expect(again).toMatchObject({ status: "failed", error: { code: "thread/exists" } });
    expect(await store.load("t")).toEqual(before);
  });

  test("of two that begin it at once in two processes one does", async () => {
    const own = memoryStore();
    const runs = [1, 2].map((number) => {
      const { agent } = stage([{ text: "Hello." }], own);
      return agent.thread("t").begin({ input: `Hi from ${number}.` });
    });
    const ends = await Promise.all(runs.map((run) => run.result));
    expect(ends.map(({ status }) => status).toSorted()).toEqual(["done", "failed"]);
    expect(await own.entries("t")).toHaveLength(2);
  });

  test("a pending action in its history waits, or is superseded by the message", async () => {
    const action = { messages: history, pendingAction: { functionCall: { id: "a", name: "pay", arguments: "{}" } } };
    const { agent } = stage([{ text: "Well." }]);
    expect(await agent.thread("waits").begin({ history: action }).result).toMatchObject({
      status: "waiting",
      pending: [{ name: "pay" }],
    });
    expect((await agent.thread("not").begin({ history: action, input: "No." }).result).text).toBe("Well.");
    expect(await agent.thread("not").calls()).toMatchObject([{ name: "pay", status: "superseded" }]);
  });
});

describe("what is noted with something that is refused is not noted", () => {
  const about = { title: "Other", meta: { other: true } };

  test("a message, a decision and another answer", async () => {
    const { agent, store } = stage([{ calls: [{ name: "pay" }] }]);
    const thread = agent.thread("t");
    await thread.send("Pay.").result;
    const before = await store.load("t");
    const ends = await Promise.all([
      thread.send("More.", { onInput: "refuse", describe: about }).result,
      thread.decide({ call_1: { type: "approve", digest: "another" } }, { describe: about }).result,
      agent.thread("empty").regenerate({ describe: about }).result,
    ]);
    expect(ends.map(({ status }) => status)).toEqual(["failed", "failed", "failed"]);
    expect([await store.load("t"), await store.load("empty")]).toEqual([before, undefined]);
  });

  test.each([
    ["a message", () => ({ input: "More." })],
    ["a queued message", () => ({ input: "More.", onInput: "queue" as const })],
    ["a decision", () => ({})],
  ])("%s that is taken notes it", async (_, wish) => {
    const { agent } = stage([{ calls: [{ name: "pay" }] }, { text: "Done." }]);
    const thread = agent.thread("t");
    await thread.send("Pay.").result;
    const { input, onInput } = { onInput: undefined, input: undefined, ...wish() };
    const run =
      input === undefined
        ? thread.approveAll({ describe: about })
        : thread.send(input, { describe: about, ...(onInput !== undefined && { onInput }) });
    await run.result;
    expect(await agent.find("t")).toMatchObject({ title: "Other", meta: { other: true } });
  });

  test("an import notes it in its own commit", async () => {
    const { agent, commits } = stage([]);
    await agent.thread("t").import(history, { describe: about });
    expect(commits).toHaveLength(1);
    expect(await agent.find("t")).toMatchObject({ title: "Other", meta: { other: true } });
  });
});

describe("a message with decisions", () => {
  const calls = [{ name: "pay" }, { name: "pay" }];

  test("is one commit with them, and the model reads it after the results", async () => {
    const { agent, model, commits } = stage([{ calls }, { text: "Done." }]);
    const thread = agent.thread("t");
    await thread.send("Pay.").result;
    const before = commits.length;
    await thread.approveAll({ input: "And hurry." }).result;
    expect(commits[before]).toBe("run_start");
    expect(model.requests.at(-1)?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
  });

  test("waits with the calls that are not decided, and is not said where a decision is refused", async () => {
    const { agent, model } = stage([{ calls }, { text: "Done." }]);
    const thread = agent.thread("t");
    await thread.send("Pay.").result;
    const refused = await thread.decide({ call_9: { type: "approve" } }, { input: "Refused." }).result;
    const waiting = await thread.decide({ call_1: { type: "reject" } }, { input: "And hurry." }).result;
    await thread.decide({ call_2: { type: "reject" } }).result;
    expect([refused.status, waiting.status]).toEqual(["failed", "waiting"]);
    const said = model.requests.at(-1)?.messages.filter(({ role }) => role === "user");
    expect(JSON.stringify(said)).toMatch(/Pay\..*And hurry\./u);
    expect(JSON.stringify(said)).not.toContain("Refused.");
  });
});

describe("how a run ended", () => {
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

  test("`usage` is that of the run, `threadUsage` that of its thread, in the end and in the event", async () => {
    const { agent, store } = stage([
      { calls: [{ name: "none" }], usage },
      { text: "Well.", usage },
    ]);
    const thread = agent.thread("t");
    const totals: (readonly number[])[] = [];
    for (const said of ["One.", "Two.", "Three."]) {
      const end = await thread.send(said).result;
      totals.push([end.usage.totalTokens, end.threadUsage.totalTokens]);
    }
    expect(totals).toEqual([
      [30, 30],
      [30, 60],
      [30, 90],
    ]);
    const ends = (await store.events("t")).filter(({ type }) => type === "run_end").map(({ data }) => data);
    expect(ends).toMatchObject(
      [30, 60, 90].map((total) => ({ usage: { totalTokens: 30 }, threadUsage: { totalTokens: total } })),
    );
    expect(
      (await thread.send("Four.", { onInput: "refuse", signal: AbortSignal.abort() }).result).usage.totalTokens,
    ).toBe(0);
  });

  test("a run whose place another one took says so; one that was stopped does not", async () => {
    const asked = Promise.withResolvers<void>();
    const { agent, store } = stage([
      () => {
        asked.resolve();
        return { text: "Never.", delay: 60_000 };
      },
      { text: "Now." },
      { text: "Never.", delay: 60_000 },
    ]);
    const thread = agent.thread("t");
    const first = thread.send("One.");
    await asked.promise;
    await thread.send("Two.").result;
    expect(await first.result).toMatchObject({ status: "stopped", cause: "superseded" });
    const third = thread.send("Three.");
    await thread.stop();
    expect(await third.result).not.toHaveProperty("cause");
    const ends = (await store.events("t")).filter(({ type }) => type === "run_end").map(({ data }) => data);
    expect(ends.map((data) => (data as { cause?: string }).cause)).toEqual(["superseded", undefined, undefined]);
  });

  test.each(["stopped", "superseded"] as const)("calls that wait are settled with the cause %s", async (cause) => {
    const { agent } = stage([{ calls: [{ name: "pay" }] }]);
    const thread = agent.thread("t");
    await thread.send("Pay.").result;
    await thread.stop({ cause });
    expect(await thread.calls()).toMatchObject([{ status: cause }]);
  });
});
