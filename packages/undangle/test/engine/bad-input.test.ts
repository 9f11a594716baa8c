import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { UndangleError } from "#core";
import { createAgent, tool } from "#engine";
import type { AgentOptions, Input } from "#engine";
import { memoryStore } from "#store";
import type { ThreadQuery } from "#store";
import { scriptedModel } from "#testing";
import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";

import { sqliteStore } from "../../src/store/sqlite.ts";
import { agentWith } from "./any-tool-stage.ts";
import { faultsAfterwards } from "./health.ts";

const folder = mkdtempSync(join(tmpdir(), "undangle-bad-input-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("thread ids", () => {
  const odd = [" ", "\u0000", "a\u0000b", "\ud800", "a\nb", "\u202e", "é", "e\u0301", "A", "a", "工具 👀"];
  const names = ["__proto__", "constructor", "toString", "null", "0", "../../etc/passwd", "a/b", "C:\\x"];
  const ids = [...odd, ...names, "' OR 1=1 --", "%", "_", "x".repeat(10_000)];

  test.each(["memory", "sqlite"])("may be any text, and each is a thread of its own (%s)", async (kind) => {
    const store = kind === "memory" ? memoryStore() : sqliteStore(join(folder, "ids.db"));
    const agent = createAgent({
      model: scriptedModel([(request) => ({ text: `${request.messages.length}` })], { loop: true }),
      store,
    });
    for (const id of ids)
      expect(await agent.thread(id).send(`I am ${id.slice(0, 30)}`).result).toMatchObject({ text: "1" });
    const again = createAgent({ model: scriptedModel([]), store });
    for (const id of ids) {
      const [said] = (await again.thread(id).history("openai-chat")) as readonly { readonly content: string }[];
      expect(said?.content).toBe(`I am ${id.slice(0, 30)}`.toWellFormed());
    }
    expect((await agent.threads()).map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    await store.close();
  });

  test.each([[""], [7], [null], [{}]])("%j is none", async (id) => {
    const agent = createAgent({ model: scriptedModel([]) });
    expect(() => agent.thread(id as string)).toThrow(UndangleError);
    for (const use of ["find", "delete", "restore"] as const)
      await expect(agent[use](id as string)).rejects.toThrow(/thread id. Allowed: a non-empty string/u);
  });

  test("left out, it is a new thread each time", () => {
    const agent = createAgent({ model: scriptedModel([]) });
    expect(agent.thread().id).not.toBe(agent.thread().id);
  });
});

describe("what is said", () => {
  test.each<[unknown]>([
    [""],
    [[]],
    [undefined],
    [null],
    [7],
    [{}],
    [[7]],
    [[""]],
    [[{ type: "text" }]],
    [[{ type: "image" }]],
  ])("%j is refused by the run's result, and the thread is not made", async (input) => {
    const { thread, store, model } = agentWith(() => 1);
    const { status, error } = await thread.send(input as Input).result;
    expect(status).toBe("failed");
    expect(error).toMatchObject({ code: "options/value", data: { option: "input" } });
    expect([await store.load("t"), model.calls]).toEqual([undefined, 0]);
  });

  test.each([" ", "\u0000", "half \ud83d", "\n\n", "x".repeat(1_000_000), "{}"])(
    "%j is a text like any other",
    async (input) => {
      const { thread, store } = agentWith(() => 1);
      expect((await thread.send(input.slice(0, 2_000_000)).result).status).toBe("done");
      expect(await faultsAfterwards(store)).toEqual([]);
    },
  );
});

describe("options", () => {
  test.each<[unknown, RegExp]>([
    [undefined, /options/u],
    [{}, /model/u],
    [{ model: "gpt-5.1" }, /model/u],
    [{ model: scriptedModel([]), tool: [] }, /tool.*model, instructions, tools/u],
    [{ model: scriptedModel([]), language: "fr" }, /language.*en, zh/u],
    [{ model: scriptedModel([]), store: {} }, /store/u],
    [{ model: scriptedModel([]), logger: { info: true } }, /logger/u],
    [{ model: scriptedModel([]), tools: tool({ name: "x", description: "X.", execute: () => 1 }) }, /tools/u],
  ])("%j is refused with what is allowed", (options, message) => {
    expect(() => createAgent(options as AgentOptions)).toThrow(message);
  });

  test("options of a message that do not exist are refused", () => {
    const { thread } = agentWith(() => 1);
    expect(() => thread.send("Go.", { onInput: "drop" as "queue" })).toThrow(
      /drop.*onInput.*supersede, queue, refuse/u,
    );
    expect(() => thread.send("Go.", { policy: "queue" } as object)).toThrow(/policy/u);
    expect(() => thread.send("Go.", null as unknown as object)).toThrow(/options. Allowed: an object/u);
  });

  test("options of a history that do not exist are refused", async () => {
    const { thread } = agentWith(() => 1);
    await expect(thread.history("anthropic", { modell: "claude" } as object)).rejects.toThrow(/modell.*model/u);
  });

  test.each<[unknown, RegExp]>([
    [null, /options/u],
    ["paid", /options/u],
    [{ serch: "paid" }, /serch.*search/u],
    [{ search: 7 }, /search. Allowed: a string/u],
    [{ status: "done" }, /status. Allowed: idle, running, waiting/u],
    [{ status: ["idle"] }, /status. Allowed: idle, running, waiting/u],
    [{ limit: Number.NaN }, /limit. Allowed: a whole number/u],
    [{ limit: -1 }, /limit. Allowed: a whole number/u],
    [{ after: "t1" }, /after. Allowed: .*updatedAt, id/u],
    [{ isDeleted: "yes" }, /isDeleted. Allowed: true, false/u],
  ])("the query %j is refused with what is allowed", async (query, message) => {
    const agent = createAgent({ model: scriptedModel([]) });
    await expect(agent.threads(query as ThreadQuery)).rejects.toThrow(message);
  });

  test("a page of threads goes on behind the last thread of the page before", async () => {
    const agent = createAgent({ model: scriptedModel([{ text: "Yes." }], { loop: true }) });
    for (const id of ["a", "b", "c"]) await agent.thread(id).send("Hello.").result;
    const [first] = await agent.threads({ limit: 1 });
    expect((await agent.threads(first === undefined ? {} : { after: first })).length).toBe(2);
  });

  test("a logger that throws disturbs nobody", async () => {
    const shout = (): never => {
      throw new Error("no log");
    };
    const { thread } = agentWith(() => 1, { logger: { info: shout, warn: shout, error: shout } });
    expect((await thread.send("Go.").result).text).toBe("Done.");
  });

  test("a listener that throws in the loop over events stops only its own loop", async () => {
    const { thread } = agentWith(() => 1);
    const run = thread.send("Go.");
    const listen = async (): Promise<void> => {
      for await (const event of run) throw new Error(event.type);
    };
    await expect(listen()).rejects.toThrow("run_start");
    expect((await run.result).text).toBe("Done.");
  });
});

test("half a character in what a person or the model says is made whole: providers refuse the whole request for it", async () => {
  const half = "cut \ud83c";
  const model = scriptedModel([{ text: half }, { text: "Done." }]);
  const agent = createAgent({ model });
  await agent.thread("t").send(half).result;
  await agent.thread("t").send([{ type: "text", text: half }]).result;
  const told = JSON.stringify(await agent.thread("t").history("anthropic"));
  expect(told).not.toContain("\\ud83c");
  expect(told.split("cut \ufffd").length).toBe(4);
});

test("a pattern that matches no tool is told in the log, and the fields of an object are no schema", () => {
  const warned: unknown[] = [];
  const logger = { info() {}, error() {}, warn: (data: object) => void warned.push(data) };
  createAgent({ model: scriptedModel([]), logger, approvals: [{ tools: ["transfr*", "*"] }] });
  expect(warned).toEqual([{ tools: ["transfr*", "*"] }]);
  const make = () => tool({ name: "t", description: "x", input: { city: z.string() }, execute: () => "" });
  expect(make).toThrow(/it is not a JSON Schema: it has city/u);
});
