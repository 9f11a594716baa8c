import { image, tool } from "#engine";
import type { AgentOptions, LedgerCall } from "#engine";
import { memoryStore } from "#store";
import type { ScriptedAnswer } from "#testing";
import { describe, expect, test } from "vitest";

import { afterDeath } from "./after-death.ts";
import { call, createStage } from "./acceptance-stage.ts";
import type { Stage } from "./acceptance-stage.ts";
import { faultsOf } from "./health.ts";
import { quiet, soon, until } from "./promised.ts";
import { callsOf, eventsOf, shapeOf, statesOf, toldOf } from "./recorded.ts";
import { everythingOf, watchedStore } from "./watched-store.ts";

describe("what others get wrong", () => {
  /** What a person does with two gated calls beside a free one, request by request. */
  const both = [call("gated", { n: 1 }), call("gated", { n: 2 }), call("free")];

  test.each([
    [
      "one decision is missing: what is decided happens, the rest waits",
      [{ call_1: "approve" }],
      "waiting",
      ["succeeded", "awaiting", "succeeded"],
    ],
    [
      "decisions in two requests",
      [{ call_1: "approve" }, { call_2: "reject" }],
      "done",
      ["succeeded", "rejected", "succeeded"],
    ],
    [
      "decisions in two requests, reversed",
      [{ call_2: "approve" }, { call_1: "reject" }],
      "done",
      ["rejected", "succeeded", "succeeded"],
    ],
    ["both at once", [{ call_2: "approve", call_1: "reject" }], "done", ["rejected", "succeeded", "succeeded"]],
  ] as const)("%s", async (_, requests, status, states) => {
    const stage = createStage([{ calls: both }, { text: "Done." }]);
    let end = await stage.thread.send("Go.").result;
    for (const request of requests) {
      const decisions = Object.fromEntries(Object.entries(request).map(([id, type]) => [id, { type }]));
      end = await stage.thread.decide(decisions).result;
    }
    expect(end.status).toBe(status);
    expect((await callsOf(stage.store, "t")).map(({ state }) => state)).toEqual(states);
    expect(stage.model.calls).toBe(status === "done" ? 2 : 1);
    expect(await faultsOf(stage.store, stage.model.requests)).toEqual([]);
  });

  test("a rejection and a message in the same breath: the rejection holds, and then the message is answered", async () => {
    const stage = createStage([{ calls: both }, { text: "Then what?" }, { text: "All right." }]);
    await stage.thread.send("Go.").result;
    const rejected = stage.thread.rejectAll("not now");
    const said = stage.thread.send("Tell me a joke.");
    expect((await soon(said.result)).status).toBe("done");
    await rejected.result;
    expect((await callsOf(stage.store, "t")).map(({ state }) => state)).toEqual(["rejected", "rejected", "succeeded"]);
    expect(await shapeOf(stage.thread)).toMatch(
      /^H:Go. A\(gated,gated,free\) T T T (A:Then what\? )?H:Tell me a joke. A:/u,
    );
    expect(await faultsOf(stage.store, stage.model.requests)).toEqual([]);
  });

  test("a call that was approved and never ran, because the process died, and then a message: it is told as not executed", async () => {
    const inner = memoryStore();
    const store = watchedStore(inner, {
      before: ({ calls }) =>
        calls.some(({ value }) => (value as LedgerCall).state === "running")
          ? new Promise<never>(() => undefined)
          : undefined, // a call of the ledger
    });
    const dead = createStage([{ calls: [call("gated")] }], { store });
    await dead.thread.send("Go.").result;
    void dead.thread.approveAll();
    await until(async () => (await statesOf(inner, "t"))["gated"] === "approved");
    const stage = createStage([{ text: "I see." }], { store: afterDeath(inner) });
    expect((await stage.thread.send("Never mind.").result).text).toBe("I see.");
    expect((await toldOf(stage.thread))["gated"]).toMatch(/was cancelled - another message came in/u);
    expect([...dead.ran, ...stage.ran]).toEqual([]);
    expect(await faultsOf(stage.store, stage.model.requests)).toEqual([]);
  });

  test("a call that was approved and never ran, because the process died, runs when somebody recovers", async () => {
    const inner = memoryStore();
    const store = watchedStore(inner, {
      before: ({ calls }) =>
        calls.some(({ value }) => (value as LedgerCall).state === "running")
          ? new Promise<never>(() => undefined)
          : undefined, // a call of the ledger
    });
    const dead = createStage([{ calls: [call("gated")] }], { store });
    await dead.thread.send("Go.").result;
    void dead.thread.approveAll();
    await until(async () => (await statesOf(inner, "t"))["gated"] === "approved");
    const stage = createStage([{ text: "I see." }], { store: afterDeath(inner) });
    const [run] = await stage.agent.recover();
    expect((await run?.result)?.text).toBe("I see.");
    expect([...dead.ran, ...stage.ran]).toEqual(["gated {}"]);
    expect(await faultsOf(stage.store, stage.model.requests)).toEqual([]);
  });

  test("the same approval sent again, also by another process, runs nothing again", async () => {
    const stage = createStage([{ calls: both }, { text: "Done." }]);
    await stage.thread.send("Go.").result;
    const decisions = { call_1: { type: "approve" as const }, call_2: { type: "approve" as const } };
    await stage.thread.decide(decisions).result;
    const other = createStage([], { store: stage.store });
    const before = await everythingOf(stage.store, "t");
    for (const { thread } of [stage, other]) {
      expect((await thread.decide(decisions).result).error?.message).toMatch(
        /call_1: it is settled: succeeded.*call_2/u,
      );
    }
    expect(await everythingOf(stage.store, "t")).toEqual(before);
    expect([stage.ran.length, other.ran.length]).toEqual([3, 0]);
  });

  test("recovery of a thread that is in order does nothing", async () => {
    const stage = createStage([{ calls: both }, { text: "Done." }]);
    await stage.thread.send("Go.").result;
    const other = createStage([], { store: afterDeath(stage.store) });
    const before = await everythingOf(stage.store, "t");
    expect(await other.agent.recover()).toEqual([]);
    expect(await everythingOf(stage.store, "t")).toEqual(before);
    expect((await stage.thread.pending()).length).toBe(2);
  });

  test("ids that begin anew every turn are told apart, and each result stands behind its call", async () => {
    const turn = (n: number) => ({
      calls: [
        { id: "functions.free:0", ...call("free", { n }) },
        { id: "functions.free:1", ...call("boom", { n }) },
      ],
    });
    const stage = createStage([turn(1), turn(2), turn(3), { text: "Done." }]);
    const run = stage.thread.send("Go.");
    expect((await run.result).status).toBe("done");
    const ids = (await callsOf(stage.store, "t")).map(({ providerId }) => providerId);
    expect(new Set(ids).size).toBe(6);
    expect(stage.ran.length).toBe(6);
    expect((await eventsOf(run)).filter(({ type }) => type === "warning" || type === "repair").length).toBeGreaterThan(
      0,
    );
    expect(await faultsOf(stage.store, stage.model.requests)).toEqual([]);
  });

  test("the same id twice in one turn, and calls without ids, are calls of their own, and a warning says so", async () => {
    const warned: string[] = [];
    const logger = {
      info: () => undefined,
      warn: (_: object, line: string) => void warned.push(line),
      error: () => undefined,
    };
    const stage = createStage(
      [
        {
          calls: [
            { id: "x", ...call("free", { n: 1 }) },
            { id: "x", ...call("free", { n: 2 }) },
            { id: "", ...call("free", { n: 3 }) },
          ],
        },
        { text: "Done." },
      ],
      { logger },
    );
    expect((await stage.thread.send("Go.").result).status).toBe("done");
    expect(stage.ran.toSorted()).toEqual(['free {"n":1}', 'free {"n":2}', 'free {"n":3}']);
    expect(warned.some((line) => /has no id; generated/u.test(line))).toBe(true);
    expect(await faultsOf(stage.store, stage.model.requests)).toEqual([]);
  });

  test("every cause has words of its own, and each is marked as an error", async () => {
    const told = new Map<string, string>();
    const note = async (cause: string, stage: Stage, name = "gated"): Promise<void> => {
      const text = (await toldOf(stage.thread))[name] ?? "";
      told.set(cause, text.replaceAll(/ with id \S+/gu, ""));
      const events = await stage.store.events("t");
      const end = events.find(({ type, data }) => type === "tool_call_end" && (data as { name: string }).name === name);
      expect(end?.data).toMatchObject({ success: false });
    };
    const gated: readonly ScriptedAnswer[] = [{ calls: [call("gated"), call("slow")] }, { text: "Done." }];
    const begun = async (options: Partial<AgentOptions> = {}): Promise<Stage> => {
      const stage = createStage(gated, options);
      void stage.thread.send("Go.");
      await until(async () => (await statesOf(stage.store, "t"))["slow"] === "running");
      return stage;
    };
    const superseded = await begun();
    await superseded.thread.send("No.").result;
    await note("superseded", superseded);
    await note("stopped-running", superseded, "slow");
    const stopped = await begun();
    await stopped.thread.stop();
    await note("stopped", stopped);
    const rejected = await begun();
    rejected.slow.resolve(1);
    await rejected.thread.rejectAll().result;
    await note("rejected", rejected);
    const limited = createStage([{ calls: [call("free"), call("gated")] }, { text: "" }], {
      limits: { calls: 1 },
      approvals: [{ tools: "*", required: false }],
    });
    await limited.thread.send("Go.").result;
    await note("limit", limited);
    const crashed = await begun();
    const heir = createStage([{ text: "Hm." }], { store: afterDeath(crashed.store) });
    for (const run of await heir.agent.recover()) await run.result;
    await note("crashed", heir, "slow");
    const malformed = createStage([
      {
        calls: [
          { name: "gated", raw: "{x:1}" },
          { name: "free", raw: "{}" },
        ],
      },
      { text: "Hm." },
    ]);
    await malformed.thread.send("Go.").result;
    await note("malformed", malformed);
    const late = tool({ name: "gated", description: "Late.", timeout: 5, execute: () => new Promise(() => undefined) });
    const timedOut = createStage([{ calls: [call("gated")] }, { text: "Hm." }], { tools: [late] });
    await timedOut.thread.send("Go.").result;
    await note("timed-out", timedOut);
    let now = 1;
    const expired = createStage([{ calls: [call("gated")] }, { text: "Hm." }], {
      now: () => now,
      approvals: [{ tools: "*", expiresAfter: 1e6 }],
    });
    await expired.thread.send("Go.").result;
    now += 2e6;
    for (const run of await expired.agent.recover()) await run.result;
    await note("expired", expired);
    expect(new Set(told.values()).size).toBe(told.size);
    expect([...told].filter(([, text]) => text === "")).toEqual([]);
  });

  test("what the model is told of an open call stays the same to the byte, however often the history is read", async () => {
    const stage = createStage([{ calls: both }]);
    await stage.thread.send("Go.").result;
    const once = JSON.stringify(await stage.thread.history("anthropic"));
    await quiet();
    expect(JSON.stringify(await stage.thread.history("anthropic"))).toBe(once);
    expect(JSON.stringify(await createStage([], { store: stage.store }).thread.history("anthropic"))).toBe(once);
  });

  test("text, JSON, images and progress of tools reach the model and those who watch", async () => {
    const png = "iVBORw0KGgo=";
    const tools = [
      tool({ name: "json", description: "JSON.", execute: () => ({ a: [1, null] }) }),
      tool({ name: "shot", description: "Shot.", execute: () => ["Here:", image(png, "image/png")] }),
      tool({
        name: "work",
        description: "Works.",
        execute(_: unknown, context) {
          context.progress(0.5);
          return "worked";
        },
      }),
    ];
    const stage = createStage([{ calls: [call("json"), call("shot"), call("work")] }, { text: "Seen." }], { tools });
    const run = stage.thread.send("Go.");
    expect((await run.result).text).toBe("Seen.");
    expect((await eventsOf(run)).filter(({ data }) => "progress" in data)).toMatchObject([
      { type: "tool_call_running", data: { name: "work", progress: 0.5 } },
    ]);
    const results = stage.model.requests[1]?.messages.flatMap((message) =>
      message.role === "tool" ? message.results : [],
    );
    expect(results?.map(({ parts }) => parts.map((part) => (part.type === "text" ? part.text : part.type)))).toEqual([
      ['{"a":[1,null]}'],
      ["Here:", "media"],
      ["worked"],
    ]);
    expect(await faultsOf(stage.store, stage.model.requests)).toEqual([]);
  });
});
