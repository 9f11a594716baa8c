import { createAgent, tool } from "#engine";
import type { LedgerCall } from "#engine";
import { memoryStore } from "#store";
import type { StoredCall } from "#store";
import { UndangleError } from "#core";
import { scriptedModel } from "#testing";
import { describe, expect, test } from "vitest";

import { afterDeath } from "./after-death.ts";
import { refusals } from "./all-formats.ts";
import { promised, quiet, soon, until } from "./promised.ts";
import { callsOf, endsOf, messagesIn, statesOf, toldOf } from "./recorded.ts";
import { everythingOf, watchedStore } from "./watched-store.ts";

const input = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const;

describe("I1", () => {
  test("any stored thread projects to a healthy history, after every single commit", async () => {
    const slow = promised();
    const wrong: string[] = [];
    const inner = memoryStore();
    const store = watchedStore(inner, {
      async after() {
        wrong.push(...refusals({ messages: await messagesIn(inner, "t") }));
      },
    });
    const model = scriptedModel([
      {
        text: "First.",
        calls: [{ name: "slow" }, { name: "gated", arguments: { n: 1 } }, { name: "boom" }, { name: "none" }],
      },
      {
        calls: [
          { name: "gated", arguments: { n: 2 } },
          { name: "gated", raw: "{n:1}" },
        ],
      },
      {
        calls: [
          { name: "gated", arguments: { n: 3 } },
          { name: "gated", raw: '{"n":' },
        ],
      },
      { text: "Done." },
    ]);
    const agent = createAgent({
      model,
      store,
      tools: [
        tool({ name: "slow", description: "Slow.", execute: () => slow.promise }),
        tool({ name: "gated", description: "Gated.", input, approval: true, execute: ({ n }) => n }),
        tool({
          name: "boom",
          description: "Throws.",
          execute: () => {
            throw new Error("boom");
          },
        }),
      ],
    });
    const thread = agent.thread("t");
    void thread.send("Go.");
    await until(async () => (await thread.pending()).length === 1);
    const decided = thread.approveAll();
    await quiet();
    slow.resolve("at last");
    expect((await decided.result).status).toBe("waiting");
    expect((await thread.rejectAll().result).status).toBe("done");
    expect(wrong).toEqual([]);
    expect(store.commits.length).toBeGreaterThan(5);
    for (const request of model.requests) expect(refusals(request)).toEqual([]);
  });
});

describe("I2", () => {
  test("a tool starts once for an approval, however often and by however many it is given", async () => {
    let starts = 0;
    const store = memoryStore();
    const make = () =>
      createAgent({
        model: scriptedModel([{ calls: [{ name: "pay" }] }, { text: "Paid." }]),
        store,
        tools: [tool({ name: "pay", description: "Pays.", approval: true, execute: () => ++starts })],
      });
    const [one, other] = [make(), make()];
    await one.thread("t").send("Pay.").result;
    const [call] = await one.thread("t").pending();
    const decision = { [call?.id ?? ""]: { type: "approve" as const } };
    const ends = await Promise.all([one, other, one, other].map((agent) => agent.thread("t").decide(decision).result));
    expect(starts).toBe(1);
    expect(ends.filter(({ status }) => status === "done").length).toBe(1);
    for (const { error } of ends.filter(({ status }) => status === "failed"))
      expect(error).toBeInstanceOf(UndangleError);
  });

  test("one that had started when its process died is lost, and one that declares itself idempotent starts again with its key", async () => {
    const store = memoryStore();
    const never = promised();
    const starts: string[] = [];
    const tools = (result: () => unknown) => [
      tool({
        name: "charge",
        description: "Charges.",
        execute: (_: unknown, { idempotencyKey }) => {
          starts.push(`charge ${idempotencyKey}`);
          return result();
        },
      }),
      tool({
        name: "fetch",
        description: "Fetches.",
        idempotent: true,
        execute: (_: unknown, { idempotencyKey }) => {
          starts.push(`fetch ${idempotencyKey}`);
          return result();
        },
      }),
    ];
    const dead = createAgent({
      model: scriptedModel([{ calls: [{ name: "charge" }, { name: "fetch" }] }]),
      store,
      tools: tools(() => never.promise),
    });
    void dead.thread("t").send("Go.");
    await until(() => starts.length === 2);
    const model = scriptedModel([{ text: "Recovered." }]);
    const agent = createAgent({ model, store: afterDeath(store), tools: tools(() => "page") });
    const [run] = await agent.recover();
    expect((await run?.result)?.text).toBe("Recovered.");
    expect(starts).toEqual([
      expect.stringMatching(/^charge .*-call_1$/u),
      expect.stringMatching(/^fetch .*-call_2$/u),
      starts[1], // with its key
    ]);
    expect(await statesOf(store, "t")).toEqual({ charge: "lost", fetch: "succeeded" });
    expect((await toldOf(agent.thread("t")))["charge"]).toMatch(
      /was running when the process ended. Its outcome is unknown/u,
    );
  });
});

describe("I3", () => {
  test("a result that was saved is neither lost nor replaced by a stop, a message, a crash or the same tool's late words", async () => {
    const store = memoryStore();
    const slow = promised();
    const model = scriptedModel([{ calls: [{ name: "quick" }, { name: "slow" }] }, { text: "Fine." }]);
    const agent = createAgent({
      model,
      store,
      tools: [
        tool({ name: "quick", description: "Quick.", execute: () => "the result" }),
        tool({ name: "slow", description: "Slow.", execute: () => slow.promise }),
      ],
    });
    const thread = agent.thread("t");
    const run = thread.send("Go.");
    await until(async () => (await statesOf(store, "t"))["quick"] === "succeeded");
    const saved = (await callsOf(store, "t"))[0];
    await run.stop();
    slow.resolve("too late");
    await quiet();
    await thread.send("And?").result;
    expect((await callsOf(store, "t"))[0]).toEqual(saved);
    expect(await toldOf(thread)).toMatchObject({
      quick: "the result",
      slow: expect.stringMatching(/outcome is unknown/u) as unknown,
    });
    expect([...(await endsOf(store, "t")).values()]).toEqual([1, 1]);
  });

  test("while the store is away a result is kept, and saved when it is back", async () => {
    let away = 0;
    const store = watchedStore(memoryStore(), {
      before({ calls }) {
        const isResult = calls.some(({ value }) => (value as LedgerCall).state === "succeeded"); // of the ledger
        if (isResult && away++ < 2) throw new UndangleError("store/busy", { path: "x", canRetry: true });
      },
    });
    let starts = 0;
    const agent = createAgent({
      model: scriptedModel([{ calls: [{ name: "pay" }] }, { text: "Paid." }]),
      store,
      tools: [tool({ name: "pay", description: "Pays.", execute: () => `receipt ${++starts}` })],
    });
    expect(await agent.thread("t").send("Pay.").result).toMatchObject({ status: "done", text: "Paid." });
    expect(away).toBe(3);
    expect(await toldOf(agent.thread("t"))).toEqual({ pay: "receipt 1" });
  });

  test("a store that stays away fails the run, and the result is saved with the next touch", async () => {
    let isAway = false;
    const store = watchedStore(memoryStore(), {
      before() {
        if (isAway) throw new UndangleError("store/full", { path: "x", canRetry: true });
      },
    });
    const agent = createAgent({
      model: scriptedModel([{ calls: [{ name: "pay" }] }, { text: "Paid." }]),
      store,
      limits: { storeWait: 1 },
      tools: [
        tool({
          name: "pay",
          description: "Pays.",
          execute() {
            isAway = true;
            return "receipt";
          },
        }),
      ],
    });
    const end = await agent.thread("t").send("Pay.").result;
    expect(end).toMatchObject({ status: "failed", error: { code: "store/full" } });
    isAway = false;
    expect(await agent.thread("t").send("And?").result).toMatchObject({ status: "done", text: "Paid." });
    expect(await statesOf(store, "t")).toEqual({ pay: "succeeded" });
  });
});

describe("I4", () => {
  const stage = () => {
    const ran: number[] = [];
    const slow = promised();
    const store = memoryStore();
    const agent = createAgent({
      model: scriptedModel([{ calls: [{ name: "pay", arguments: { n: 1 } }, { name: "slow" }] }, { text: "Paid." }]),
      store,
      tools: [
        tool({ name: "pay", description: "Pays.", input, approval: true, execute: ({ n }) => void ran.push(n) }),
        tool({ name: "slow", description: "Slow.", execute: () => slow.promise }),
      ],
    });
    return { agent, thread: agent.thread("t"), ran, slow, store };
  };

  test.each(["while a sibling runs", "when nothing runs"])(
    "what runs is what was approved, also edited %s",
    async (when) => {
      const { thread, ran, slow } = stage();
      const run = thread.send("Pay.");
      await until(async () => (await thread.pending()).length === 1);
      const [call] = await thread.pending();
      if (when === "when nothing runs") {
        slow.resolve(0);
        await run.result;
      }
      const decided = thread.decide({ [call?.id ?? ""]: { type: "edit", arguments: { n: 99 } } });
      await quiet();
      slow.resolve(0);
      expect((await decided.result).status).toBe("done");
      expect(ran).toEqual([99]);
    },
  );

  test("a decision about another call than the one that was shown is refused, and changes nothing", async () => {
    const { thread, ran, slow, store } = stage();
    const run = thread.send("Pay.");
    slow.resolve(0);
    const { pending } = await run.result;
    const before = await everythingOf(store, "t");
    const id = pending[0]?.id ?? "";
    const { status, error } = await thread.decide({ [id]: { type: "approve", digest: "0".repeat(64) } }).result;
    expect(status).toBe("failed");
    expect(error).toMatchObject({ code: "decision/refused", data: { problems: [{ callId: id }] } });
    expect(await everythingOf(store, "t")).toEqual(before);
    expect(await thread.decide({ [id]: { type: "approve", digest: pending[0]?.digest ?? "" } }).result).toMatchObject({
      status: "done",
    });
    expect(ran).toEqual([1]);
  });
});

describe("I4, when somebody else writes to the store", () => {
  test("a call that is not the one that was approved any more does not run", async () => {
    const inner = memoryStore();
    const isStart = ({ value }: StoredCall): boolean => (value as LedgerCall).state === "running"; // of the ledger
    const store = watchedStore(inner, {
      before: ({ calls }) => (calls.some(isStart) ? new Promise<never>(() => undefined) : undefined), // it dies
    });
    const ran: number[] = [];
    const tools = [
      tool({ name: "pay", description: "Pays.", input, approval: true, execute: ({ n }) => void ran.push(n) }),
    ];
    const dead = createAgent({
      model: scriptedModel([{ calls: [{ name: "pay", arguments: { n: 1 } }] }]),
      store,
      tools,
    });
    await dead.thread("t").send("Pay.").result;
    void dead.thread("t").approveAll();
    await until(async () => (await statesOf(inner, "t"))["pay"] === "approved");
    const head = await inner.load("t");
    const [call] = await inner.calls("t");
    if (head === undefined || call === undefined) throw new Error("They were saved.");
    const forged = { ...call, value: { ...(call.value as LedgerCall), raw: '{"n":1000000}' } }; // a call of the ledger
    await inner.commit({ thread: "t", version: head.version, at: 1, head, entries: [], calls: [forged], events: [] });
    const agent = createAgent({ model: scriptedModel([{ text: "I see." }]), store: afterDeath(inner), tools });
    const [run] = await agent.recover();
    expect((await run?.result)?.text).toBe("I see.");
    expect(ran).toEqual([]);
    expect(await statesOf(inner, "t")).toEqual({ pay: "failed" });
  });
});

describe("I5", () => {
  test("only complete, strictly parsed arguments that fit the schema run", async () => {
    const ran: unknown[] = [];
    const raws = ['{"n":1}}', "{n:1}", '{"n":"1"}', '{"n":null}', "[]", '"{}"', "", '{"n":1,}', "null", '{"n":7}'];
    const store = memoryStore();
    const agent = createAgent({
      model: scriptedModel([{ calls: raws.map((raw) => ({ name: "pay", raw })) }, { text: "Done." }]),
      store,
      tools: [tool({ name: "pay", description: "Pays.", input, execute: (args) => void ran.push(args) })],
    });
    expect((await agent.thread("t").send("Pay.").result).status).toBe("done");
    expect(ran).toEqual([{ n: 7 }]);
    const calls = await callsOf(store, "t");
    expect(calls.map(({ state }) => state)).toEqual([...Array<string>(9).fill("failed"), "succeeded"]);
  });
});

describe("I5, of an answer that was cut off", () => {
  test("nothing runs, also of the calls that were whole, and the model is told so", async () => {
    const ran: unknown[] = [];
    const store = memoryStore();
    const calls = [
      { name: "pay", arguments: { n: 1 } },
      { name: "pay", raw: '{"n":' },
    ];
    const agent = createAgent({
      model: scriptedModel([{ calls }, { calls, finish: "length" }, { text: "Once more." }]),
      store,
      tools: [tool({ name: "pay", description: "Pays.", input, execute: (args) => void ran.push(args) })],
    });
    expect(await agent.thread("t").send("Pay.").result).toMatchObject({ status: "done", text: "Once more." });
    expect(ran).toEqual([]);
    expect((await callsOf(store, "t")).map(({ state }) => state)).toEqual(["failed", "failed", "failed", "failed"]);
  });
});

describe("I6", () => {
  test("a decision on one call never touches its siblings, in whatever state they are", async () => {
    const slow = promised();
    const store = watchedStore(memoryStore());
    const calls = ["gated", "gated", "gated", "auto", "slow", "boom"].map((name) => ({ name }));
    const agent = createAgent({
      model: scriptedModel([{ calls }, { text: "Done." }]),
      store,
      tools: [
        tool({ name: "gated", description: "Gated.", approval: true, execute: () => "ran" }),
        tool({ name: "auto", description: "Auto.", execute: () => "ran" }),
        tool({ name: "slow", description: "Slow.", execute: () => slow.promise }),
        tool({ name: "boom", description: "Throws.", execute: () => Promise.reject(new Error("boom")) }),
      ],
    });
    const thread = agent.thread("t");
    void thread.send("Go.");
    await until(async () => (await callsOf(store, "t")).some(({ state }) => state === "failed"));
    const others = async (id: string) => (await callsOf(store, "t")).filter((call) => call.id !== id);
    for (const [id, type] of [
      ["call_2", "reject"],
      ["call_3", "respond"],
      ["call_1", "approve"],
    ] as const) {
      const before = await others(id);
      const decision = type === "respond" ? { type, result: "blue" } : { type };
      void thread.decide({ [id]: decision });
      await until(async () => (await callsOf(store, "t")).find((call) => call.id === id)?.decision !== undefined);
      await quiet();
      expect(await others(id)).toEqual(before);
    }
    slow.resolve("ran");
    await until(async () => (await store.load("t"))?.owner === undefined);
    expect((await callsOf(store, "t")).map(({ state }) => state)).toEqual(
      "succeeded rejected responded succeeded succeeded failed".split(" "),
    );
  });
});

describe("I7", () => {
  test("a writer whose thread was taken over is refused, and does no harm", async () => {
    const store = watchedStore(memoryStore());
    const slow = promised();
    const stale = createAgent({
      model: scriptedModel([{ calls: [{ name: "slow" }] }, { text: "From the grave." }]),
      store,
      tools: [tool({ name: "slow", description: "Slow.", execute: () => slow.promise })],
    });
    const run = stale.thread("t").send("Go.");
    await until(async () => (await statesOf(store, "t"))["slow"] === "running");
    const heir = createAgent({
      model: scriptedModel([{ text: "I went on." }]),
      store: afterDeath(store),
      tools: [tool({ name: "slow", description: "Slow.", execute: () => "quick" })],
    });
    for (const each of await heir.recover()) expect((await each.result).text).toBe("I went on.");
    const before = await everythingOf(store, "t");
    slow.resolve("a result that nobody waits for");
    const end = await soon(run.result);
    expect(end).toMatchObject({ status: "failed", error: { code: "store/conflict" } });
    expect(await everythingOf(store, "t")).toEqual(before);
    expect(await statesOf(store, "t")).toEqual({ slow: "lost" });
    expect(await stale.thread("t").history("gemini")).toEqual(await heir.thread("t").history("gemini"));
  });

  test("a thread that somebody runs is not run by another, who is told so", async () => {
    const store = memoryStore();
    const slow = promised();
    const make = () =>
      createAgent({
        model: scriptedModel([{ calls: [{ name: "slow" }] }, { text: "Done." }]),
        store,
        tools: [tool({ name: "slow", description: "Slow.", execute: () => slow.promise })],
      });
    const run = make().thread("t").send("Go.");
    await until(async () => (await statesOf(store, "t"))["slow"] === "running");
    expect(await make().thread("t").send("Me too.").result).toMatchObject({
      status: "failed",
      error: { code: "thread/owned" },
    });
    expect(await make().recover()).toEqual([]);
    slow.resolve("ok");
    expect((await run.result).text).toBe("Done.");
  });
});

describe("I8", () => {
  test("a tool that throws anything, or does not exist, is an error result and not the end of the run", async () => {
    const thrown = [
      new Error("boom"),
      "a string",
      undefined,
      null,
      7,
      { code: "E" },
      Object.create(null),
      Symbol("odd"),
    ];
    const model = scriptedModel([
      {
        calls: [
          ...thrown.map((_, n) => ({ name: "boom", arguments: { n } })),
          { name: "none" },
          { name: "later", arguments: { n: 0 } },
        ],
      },
      { text: "I see." },
    ]);
    const store = memoryStore();
    const agent = createAgent({
      model,
      store,
      tools: [
        tool({
          name: "boom",
          description: "Throws.",
          input,
          execute({ n }) {
            throw thrown[n];
          },
        }),
        tool({ name: "later", description: "Rejects.", input, execute: ({ n }) => Promise.reject(thrown[n]) }),
      ],
    });
    expect(await agent.thread("t").send("Go.").result).toMatchObject({ status: "done", text: "I see." });
    const calls = await callsOf(store, "t");
    expect(new Set(calls.map(({ state }) => state))).toEqual(new Set(["failed"]));
    expect((await toldOf(agent.thread("t")))["none"]).toBe("none is not a valid tool, try one of [boom, later].");
    for (const request of model.requests) expect(refusals(request)).toEqual([]);
  });
});
