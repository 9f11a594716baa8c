import { check, formats } from "#codecs";
import type { Format } from "#codecs";
import { createAgent, tool } from "#engine";
import { memoryStore } from "#store";
import { scriptedModel } from "#testing";
import type { ScriptedAnswer } from "#testing";
import { describe, expect, test } from "vitest";

import { judge } from "../judge/judge.ts";
import { promised, quiet, soon, until } from "./promised.ts";
import { callsOf, shapeOf, statesOf, toldOf } from "./recorded.ts";
import { watchedStore } from "./watched-store.ts";

const gated = tool({ name: "gated", description: "Gated.", approval: true, execute: () => "gated result" });
const quick = tool({ name: "quick", description: "Quick.", execute: () => "quick result" });

describe("a thread that nobody has spoken in", () => {
  test.each(formats)("has an empty history in %s", async (format) => {
    const agent = createAgent({ model: scriptedModel([]) });
    expect(await agent.thread("t").history(format)).toEqual([]);
  });

  test("has nothing pending and no state, and looking or stopping does not make it", async () => {
    const store = watchedStore(memoryStore());
    const agent = createAgent({ model: scriptedModel([]), store });
    const thread = agent.thread("t");
    expect([await thread.pending(), await thread.state()]).toEqual([[], {}]);
    await thread.stop();
    expect((await thread.approveAll().result).status).toBe("failed");
    expect(await agent.recover()).toEqual([]);
    expect([store.commits, await agent.threads()]).toEqual([[], []]);
  });
});

describe("a history", () => {
  const busy = async () => {
    const calls = ["gated", "quick", "none"].map((name) => ({ name }));
    const model = scriptedModel([{ text: "I will.", reasoning: "Hm.", calls }]);
    const agent = createAgent({ model, instructions: "Be brief.", tools: [gated, quick] });
    const thread = agent.thread("t");
    await thread.send("Go.").result;
    return thread;
  };

  test.each(formats)("is healthy in %s while calls wait", async (format) => {
    const history = await (await busy()).history(format);
    expect(check(history, { format })).toEqual([]);
    expect(judge(history, { format })).toEqual([]);
    expect(JSON.stringify(history)).toContain("quick result");
  });

  test("begins with the instructions, where the format has a place for them among its messages", async () => {
    const thread = await busy();
    expect(JSON.stringify(await thread.history("openai-chat"))).toContain("Be brief.");
  });

  test("of a format or for a provider that does not exist is refused", async () => {
    const thread = await busy();
    await expect(thread.history("openia-chat" as Format)).rejects.toThrow(/openia-chat/u);
    await expect(thread.history("openai-chat", { provider: "nobody" })).rejects.toThrow(/nobody/u);
  });
});

describe("threads", () => {
  test("are listed by what was said last, and found by what was said", async () => {
    let now = 1;
    const agent = createAgent({ model: scriptedModel([{ text: "Fine." }], { loop: true }), now: () => now++ });
    for (const text of ["About apples", "About pears", "About plums"])
      await agent.thread(text.slice(6)).send(text).result;
    expect((await agent.threads()).map(({ id }) => id)).toEqual(["plums", "pears", "apples"]);
    expect((await agent.threads({ search: "PEARS" })).map(({ title }) => title)).toEqual(["About pears"]);
  });

  test("that are deleted take nothing more, and are there again when they are restored", async () => {
    const agent = createAgent({ model: scriptedModel([{ text: "One." }, { text: "Two." }]) });
    const thread = agent.thread("t");
    await thread.send("Go.").result;
    expect(await agent.delete("t")).toBe(true);
    expect(await thread.send("And?").result).toMatchObject({ status: "failed", error: { code: "thread/deleted" } });
    await expect(thread.history("openai-chat")).rejects.toMatchObject({ code: "thread/deleted" });
    expect(await agent.threads()).toEqual([]);
    expect(await agent.restore("t")).toBe(true);
    expect((await thread.send("And?").result).text).toBe("Two.");
    expect(await shapeOf(thread)).toBe("H:Go. A:One. H:And? A:Two.");
    expect([await agent.delete("none"), await agent.restore("none")]).toEqual([false, false]);
  });

  test("do not know of each other: a hundred at once, each with its own answer", async () => {
    const store = memoryStore();
    const answer: ScriptedAnswer = ({ messages }) => ({
      text: `after ${messages.length}`,
      ...(messages.length === 1 && { calls: [{ name: "quick" }] }),
    });
    const model = scriptedModel([answer], { loop: true });
    const agent = createAgent({ model, store, tools: [quick] });
    const ids = Array.from({ length: 100 }, (_, n) => `t${n}`);
    const ends = await Promise.all(ids.map((id) => agent.thread(id).send(`I am ${id}.`).result));
    expect(new Set(ends.map(({ text }) => text))).toEqual(new Set(["after 3"]));
    for (const id of ids) expect((await callsOf(store, id)).map((call) => call.id)).toEqual(["call_1"]);
  });

  test("more than an agent keeps in mind are read again from the store", async () => {
    const agent = createAgent({ model: scriptedModel([{ text: "Fine." }], { loop: true }) });
    const ids = Array.from({ length: 600 }, (_, n) => `t${n}`);
    for (const id of ids) await agent.thread(id).send("One.").result;
    await agent.thread("t0").send("Two.").result;
    expect(await shapeOf(agent.thread("t0"))).toBe("H:One. A:Fine. H:Two. A:Fine.");
  });
});

describe("an agent that is closed", () => {
  test("waits for what was said a moment ago, and for the run that goes on", async () => {
    const slow = promised();
    const store = memoryStore();
    const model = scriptedModel([{ calls: [{ name: "slow" }] }, { text: "Done." }]);
    const agent = createAgent({
      model,
      store,
      tools: [tool({ name: "slow", description: "Slow.", execute: () => slow.promise })],
    });
    const run = agent.thread("t").send("Go.");
    let isClosed = false;
    const closed = agent.close().then(() => {
      isClosed = true;
      return isClosed;
    });
    await until(async () => (await statesOf(store, "t"))["slow"] === "running");
    await quiet();
    expect(isClosed).toBe(false);
    slow.resolve("ok");
    expect(await soon(closed)).toBe(true);
    expect((await soon(run.result)).text).toBe("Done.");
  });

  test("does not wait for people", async () => {
    const agent = createAgent({ model: scriptedModel([{ calls: [{ name: "gated" }] }]), tools: [gated] });
    await agent.thread("t").send("Go.").result;
    await expect(soon(agent.close())).resolves.toBeUndefined();
  });
});

describe("between two commits", () => {
  /** A store that holds back the commit in which calls start. */
  const held = () => {
    const gate = promised();
    let isHeld = true;
    const isStart = (value: unknown): boolean => JSON.stringify(value).includes('"state":"running"');
    const store = watchedStore(memoryStore(), {
      before: ({ calls }) => (isHeld && calls.some(({ value }) => isStart(value)) ? gate.promise : undefined),
    });
    const release = (): void => {
      isHeld = false;
      gate.resolve(undefined);
    };
    return { store, release };
  };

  test.each(["stop", "supersede"])(
    "a %s that comes while a start is being saved: the tool does not begin, and is told so",
    async (how) => {
      const { store, release } = held();
      let starts = 0;
      const pay = tool({ name: "pay", description: "Pays.", execute: () => ++starts });
      const model = scriptedModel([{ calls: [{ name: "pay" }] }, { text: "Well." }]);
      const agent = createAgent({ model, store, tools: [pay] });
      const thread = agent.thread("t");
      const run = thread.send("Go.");
      await until(() => model.calls === 1);
      await quiet();
      const ended = how === "stop" ? run.stop() : thread.send("No!").result;
      await quiet();
      release();
      await soon(ended);
      expect(starts).toBe(0);
      expect((await toldOf(thread))["pay"]).toMatch(/was not executed|was cancelled/u);
      expect(await statesOf(store, "t")).toEqual({ pay: how === "stop" ? "stopped" : "superseded" });
    },
  );

  test("decisions about two calls in the same moment are both taken", async () => {
    const store = watchedStore(memoryStore());
    const model = scriptedModel([{ calls: [{ name: "gated" }, { name: "gated" }] }, { text: "Well." }]);
    const thread = createAgent({ model, store, tools: [gated] }).thread("t");
    await thread.send("Go.").result;
    const runs = [thread.decide({ call_2: { type: "approve" } }), thread.decide({ call_1: { type: "reject" } })];
    const ends = await soon(Promise.all(runs.map(({ result }) => result)));
    expect(ends.map(({ status }) => status)).toContain("done");
    expect((await callsOf(store, "t")).map(({ state }) => state)).toEqual(["rejected", "succeeded"]);
    expect(model.calls).toBe(2);
  });
});
