import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { UndangleError } from "#core";
import { createAgent, tool } from "#engine";
import type { RunEnd, Thread } from "#engine";
import { memoryStore } from "#store";
import { scriptedModel } from "#testing";
import { afterAll, describe, expect, test } from "vitest";

import { postgresStore } from "../../src/store/postgres.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { freshDatabase, noPostgres } from "../postgres/fresh-database.ts";
import { agentWith } from "./any-tool-stage.ts";
import { faultsAfterwards } from "./health.ts";
import { promised, quiet, soon, until } from "./promised.ts";
import { callsOf, shapeOf, statesOf } from "./recorded.ts";
import { watchedStore } from "./watched-store.ts";

const folder = mkdtempSync(join(tmpdir(), "undangle-bad-input-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** How a run ended: the code of its error, or `done`. */
const codeOf = ({ status, error }: RunEnd): string => (error instanceof UndangleError ? error.code : status);

describe("a clock", () => {
  test("that jumps back and forth: nothing is lost, and nobody is taken for dead by himself", async () => {
    let at = 0;
    const jumps = [1e12, 5, -1e9, 2e12, 0, 1e12, Number.MAX_SAFE_INTEGER, 3];
    const now = (): number => jumps[at++ % jumps.length] ?? 0;
    const { thread, store } = agentWith(() => "ran", { now, approvals: [{ tools: "*", expiresAfter: 1e6 }] });
    for (const text of ["Go.", "On.", "And on."]) {
      const end = await soon(thread.send(text).result);
      expect(["done", "waiting"]).toContain(end.status);
    }
    const events = await store.events("t");
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
    await thread.stop();
    expect(await faultsAfterwards(store)).toEqual([]);
  });

  test("that is behind: an approval does not expire early, and can be given", async () => {
    let at = 1e12;
    const { thread } = agentWith(() => "ran", { now: () => at, approvals: [{ tools: "*", expiresAfter: 1000 }] });
    await thread.send("Go.").result;
    at -= 1e9;
    expect((await thread.approveAll().result).text).toBe("Done.");
  });
});

describe("a store that fails now and then", () => {
  const busy = (): UndangleError => new UndangleError("store/busy", { path: "x", canRetry: true });

  test.each([2, 3, 5])("every commit but one of %i: it is tried again, and nobody notices", async (often) => {
    const store = watchedStore(memoryStore(), {
      before(_, serial) {
        if (serial % often !== 0) return;
        throw busy();
      },
    });
    let starts = 0;
    const { thread } = agentWith(() => ++starts, { store });
    expect((await soon(thread.send("Go.").result, 5000)).text).toBe("Done.");
    expect(starts).toBe(1);
    expect(await faultsAfterwards(store)).toEqual([]);
  });

  test.each([1, 2, 3, 4, 5])(
    "commit %i is saved, but the answer is lost on the way: nothing runs twice, and the thread goes on",
    async (which) => {
      const inner = memoryStore();
      const store = watchedStore(inner, {
        after(_, serial) {
          if (serial === which) throw busy();
        },
      });
      let starts = 0;
      const { thread } = agentWith(() => ++starts, { store, limits: { storeWait: 100 } });
      const end = await soon(thread.send("Go.").result, 5000);
      expect(["done", "failed"]).toContain(end.status);
      expect(starts).toBeLessThanOrEqual(1);
      await soon(thread.send("And?").result, 5000);
      expect(starts).toBeLessThanOrEqual(1);
      expect(await faultsAfterwards(inner)).toEqual([]);
    },
  );

  test.each([1, 2, 3, 4, 5])(
    "commit %i fails for good: a clear error, and what was done is saved with the next touch",
    async (which) => {
      const store = watchedStore(memoryStore(), {
        before(_, serial) {
          if (serial === which) throw new UndangleError("store/full", { path: "x", canRetry: false });
        },
      });
      let starts = 0;
      const { thread } = agentWith(() => ++starts, { store });
      const end = await soon(thread.send("Go.").result);
      expect(["done", "store/full"]).toContain(codeOf(end));
      await soon(thread.send("And?").result);
      expect(starts).toBeLessThanOrEqual(1);
      const { any = "never made" } = await statesOf(store, "t");
      expect(starts === 1 ? ["succeeded", "stopped"] : ["never made", "stopped"]).toContain(any);
      expect(await faultsAfterwards(store)).toEqual([]);
    },
  );

  test.each(["load", "entries", "calls", "beat"] as const)(
    "%s fails once: a clear error or patience, and no harm",
    async (method) => {
      const inner = memoryStore();
      let left = 1;
      const failing = (...args: never[]): Promise<never> => {
        if (left-- > 0) return Promise.reject(busy());
        return (inner[method] as (...given: never[]) => Promise<never>)(...args); // of the same kind
      };
      const { thread } = agentWith(() => 1, { store: { ...inner, [method]: failing } });
      const end = await soon(thread.send("Go.").result);
      expect(["done", "store/busy"]).toContain(codeOf(end));
      expect((await soon(thread.send("And?").result)).status).toBe("done");
      expect(await faultsAfterwards(inner)).toEqual([]);
    },
  );

  /** A thread with a gated call beside one that runs, or alone; and a store that fails once when it is told to. */
  const gatedStage = async (isBusy: boolean) => {
    let failures = 0;
    const inner = memoryStore();
    const store = watchedStore(inner, {
      before() {
        if (failures-- > 0) throw new UndangleError("store/full", { path: "x", canRetry: false });
      },
    });
    const slow = promised();
    const ran: string[] = [];
    const names = isBusy ? ["slow", "pay"] : ["pay"];
    const agent = createAgent({
      model: scriptedModel([{ calls: names.map((name) => ({ name })) }, { text: "Done." }]),
      store,
      tools: [
        tool({ name: "slow", description: "Slow.", execute: () => slow.promise }),
        tool({ name: "pay", description: "Pays.", approval: true, execute: () => void ran.push("pay") }),
      ],
    });
    const thread = agent.thread("t");
    void thread.send("Go.");
    await until(async () => (await thread.pending()).length === 1);
    await quiet();
    const failOnce = (): void => {
      failures = 1;
    };
    return { thread, inner, slow, ran, failOnce };
  };

  /** Decides while the store fails: true when what happened is what was answered. */
  const isTruthful = async (isBusy: boolean): Promise<boolean> => {
    const { thread, inner, slow, ran, failOnce } = await gatedStage(isBusy);
    failOnce();
    const { status } = await soon(thread.approveAll().result);
    await quiet();
    slow.resolve("ok");
    await until(async () => (await inner.load("t"))?.owner === undefined);
    return (ran.length === 0) === (status === "failed");
  };

  test("a decision whose commit fails: what is answered as failed does not happen", async () => {
    expect(await isTruthful(false)).toBe(true);
  });

  test("a decision whose commit fails while a sibling runs: what is answered as failed does not happen", async () => {
    expect(await isTruthful(true)).toBe(true);
  });

  test.each([true, false])(
    "a queued message whose commit fails: what is answered as failed is not said later (a sibling runs: %j)",
    async (isBusy) => {
      const { thread, inner, slow, failOnce } = await gatedStage(isBusy);
      failOnce();
      const { status } = await soon(thread.send("And this.", { onInput: "queue" }).result);
      slow.resolve("ok");
      await until(async () => (await inner.load("t"))?.owner === undefined);
      await thread.approveAll().result;
      expect((await shapeOf(thread)).includes("And this.")).toBe(status !== "failed");
    },
  );

  test("one that throws something odd is reported as it is", async () => {
    const store = watchedStore(memoryStore(), {
      before() {
        return Promise.reject("the disk is on fire"); // oxlint-disable-line prefer-promise-reject-errors: that is the point
      },
    });
    const { thread } = agentWith(() => 1, { store });
    const end = await soon(thread.send("Go.").result);
    expect(end.status).toBe("failed");
    expect(end.error?.message).toContain("the disk is on fire");
  });
});

describe("two runs at once", () => {
  const counted = () => {
    let starts = 0;
    return { starts: () => starts, execute: () => ++starts };
  };

  test("of one agent: each message has its answer or was superseded, and all of them are in the history", async () => {
    const { execute } = counted();
    const store = memoryStore();
    const model = scriptedModel([{ calls: [{ name: "any" }] }, { text: "Done." }], { loop: true });
    const agent = createAgent({ model, store, tools: [tool({ name: "any", description: "Any.", execute })] });
    const thread = agent.thread("t");
    const runs = Array.from({ length: 10 }, (_, n) => thread.send(`Message ${n}.`));
    const ends = await soon(Promise.all(runs.map(({ result }) => result)), 5000);
    for (const { status } of ends) expect(["done", "stopped"]).toContain(status);
    expect(ends.at(-1)?.status).toBe("done");
    const shape = await shapeOf(thread);
    for (let n = 0; n < 10; n++) expect(shape).toContain(`H:Message ${n}.`);
    expect(await faultsAfterwards(store)).toEqual([]);
  });

  test("queued: every message is answered, in order, and no call is superseded", async () => {
    const store = memoryStore();
    const model = scriptedModel([{ calls: [{ name: "any" }] }, { text: "Done." }], { loop: true });
    const agent = createAgent({
      model,
      store,
      onInput: "queue",
      tools: [tool({ name: "any", description: "Any.", execute: () => 1 })],
    });
    const thread = agent.thread("t");
    const ends = await soon(
      Promise.all(Array.from({ length: 10 }, (_, n) => thread.send(`Message ${n}.`).result)),
      5000,
    );
    expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(["done"]));
    expect(new Set((await callsOf(store, "t")).map(({ state }) => state))).toEqual(new Set(["succeeded"]));
    expect(await faultsAfterwards(store)).toEqual([]);
  });

  test.each(["memory", "sqlite", ...(noPostgres === undefined ? ["postgres"] : [])])(
    "of several agents on one store (%s): one runs at a time, the others are told",
    async (kind) => {
      const path = join(folder, "many.db");
      const shared = memoryStore();
      const database = kind === "postgres" ? await freshDatabase() : undefined;
      const stores = Array.from({ length: 4 }, () => {
        if (database !== undefined) return postgresStore(database.pool());
        return kind === "memory" ? shared : sqliteStore(path);
      });
      const { starts, execute } = counted();
      const threads: readonly Thread[] = stores.map((store) =>
        createAgent({
          model: scriptedModel([{ calls: [{ name: "any" }] }, { text: "Done." }], { loop: true }),
          store,
          tools: [tool({ name: "any", description: "Any.", execute })],
        }).thread("t"),
      );
      const ends = await soon(Promise.all(threads.map((thread, n) => thread.send(`Message ${n}.`).result)), 10_000);
      const codes = ends.map(codeOf);
      expect(codes).toContain("done");
      expect(["done", "thread/owned"]).toEqual(expect.arrayContaining(codes));
      const [store = shared] = stores;
      const calls = await callsOf(store, "t");
      expect(calls.filter(({ state }) => state === "succeeded").length).toBe(starts());
      expect(await faultsAfterwards(store)).toEqual([]);
      for (const each of new Set(stores)) await each.close();
      await database?.drop();
    },
  );
});
