import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { JsonObject } from "#core";
import { createAgent, image, tool } from "#engine";
import type { AgentEvent, AgentOptions, CallView, Middleware, RunEnd, Thread } from "#engine";
import { memoryFiles } from "#files";
import { filesystem, loopGuard } from "#middleware";
import type { LoopGuardOptions } from "#middleware";
import { openai } from "#model";
import { memoryStore } from "#store";
import type { Store } from "#store";
import { scriptedModel, wireServer } from "#testing";
import { afterEach, describe, expect, test } from "vitest";

import { sqliteStore } from "../../src/store/sqlite.ts";
import { afterDeath } from "./after-death.ts";
import { until } from "./promised.ts";
import { callsOf } from "./recorded.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const done = { text: "Done." };
const input = { type: "object", properties: { path: { type: "string" }, line: { type: "number" } } } as const;

/** A letter is a call of the tool `look` for that path. */
const turn = (letters: string) => ({
  calls: letters.split("").map((path) => ({ name: "look", arguments: { path } satisfies JsonObject })),
});

const look = (execute: (path: string | undefined) => unknown = (path) => `content of ${path}`) =>
  tool({
    name: "look",
    description: "Looks.",
    input,
    annotations: { readOnly: true },
    execute: ({ path }) => execute(path),
  });

const picture = image(new Uint8Array([1]), "image/png");
const mcpPicture = { type: "image", data: "AQ==", mimeType: "image/png" };

/** Makes the agent one whose calls can wait for a person. */
const gated = tool({ name: "pay", description: "Pays.", approval: true, execute: () => "paid" });

interface StageOptions extends Partial<AgentOptions> {
  readonly guard?: LoopGuardOptions;
  /** The calls of each turn. */
  readonly turns: readonly string[];
}

function stage({ guard, turns, tools = [look()], middleware = [], ...options }: StageOptions) {
  const model = scriptedModel([...turns.map(turn), done, done]);
  const agent = createAgent({ model, tools, middleware: [...middleware, loopGuard(guard)], ...options });
  return { agent, model, thread: agent.thread("t") };
}

/** The text of a result. Parts of a list are written as JSON. */
function textOf({ result, error }: CallView): string {
  const shown: unknown = error ?? result ?? "";
  return typeof shown === "string" ? shown : JSON.stringify(shown);
}

/** A letter for each call: `.` ran, `n` ran with a notice, `x` failed without starting, `?` waits, `s` was stopped. */
async function marksOf(thread: Thread): Promise<string> {
  const calls = await thread.calls();
  return calls
    .map((call) => {
      if (call.status === "awaiting") return "?";
      if (call.status === "stopped") return "s";
      if (textOf(call).includes("a rule denies this call")) return "x";
      return textOf(call).includes("in a row") ? "n" : ".";
    })
    .join("");
}

async function run(options: StageOptions): Promise<{ readonly marks: string; readonly end: RunEnd }> {
  const { thread } = stage(options);
  const end = await thread.send("Go.").result;
  return { marks: await marksOf(thread), end };
}

const repeat = (turns: string, times: number): readonly string[] => turns.repeat(times).split("");

describe("LG1: the same call with the same result", () => {
  test("gets a notice from the third time on, fails from the fifth on, and stops the run at the seventh", async () => {
    const { marks, end } = await run({ turns: repeat("a", 9) });
    expect(marks).toBe("..nnxxs");
    expect(end).toMatchObject({ status: "stopped", error: { code: "run/loop", data: { tool: "look", times: 7 } } });
    expect(end.error?.message).toBe(
      "The run was stopped because the model repeats itself: look was called 7 times, and nothing changed.",
    );
  });

  test("the notice follows the result, and the refusal says what to do", async () => {
    const { thread } = stage({ turns: repeat("a", 5) });
    await thread.send("Go.").result;
    const [, second, third, , fifth] = (await thread.calls()).map(textOf);
    expect(second).toBe("content of a");
    expect(third).toBe(
      "content of a\n\n[The same call gave the same result 3 times in a row. Another repetition will not help. Change the arguments, use another tool, or reply with what you know.]",
    );
    expect(fifth).toContain("look was not executed - a rule denies this call: the same calls gave the same results");
  });

  test("in Chinese if the agent is Chinese", async () => {
    const { thread } = stage({ turns: repeat("a", 7), language: "zh" });
    const { error } = await thread.send("开始").result;
    const [, , third, , fifth] = (await thread.calls()).map(textOf);
    expect(third).toContain("相同的调用连续 3 次得到相同的结果");
    expect(fifth).toContain("相同的调用一再得到相同的结果");
    expect(error?.code).toBe("run/loop");
  });

  test("waits for a person from the fifth time on if the agent has approvals, and each approval is for one call", async () => {
    const { thread } = stage({ turns: repeat("a", 9), tools: [look(), gated] });
    const first = await thread.send("Go.").result;
    expect(first).toMatchObject({ status: "waiting", pending: [{ name: "look", always: [] }] });
    expect(await marksOf(thread)).toBe("..nn?");
    const second = await thread.approveAll({ by: "ann" }).result;
    expect(second.status).toBe("waiting");
    expect(await marksOf(thread)).toBe("..nnn?");
    const last = await thread.rejectAll("Stop that.").result;
    expect(last).toMatchObject({ status: "stopped", error: { code: "run/loop", data: { times: 7 } }, pending: [] });
  });

  test.each<[string, Partial<AgentOptions>]>([
    ["a rule of the agent", { approvals: [{ tools: "pay", optional: true }] }],
    [
      "a rule of another middleware",
      { middleware: [{ name: "other", approvals: [{ tools: "look", when: () => false }] }] },
    ],
  ])("waits because of %s", async (_, options) => {
    const { end } = await run({ turns: repeat("a", 5), ...options });
    expect(end.status).toBe("waiting");
  });

  test.each<[string, Partial<AgentOptions>]>([
    ["a deny rule", { approvals: [{ tools: "pay", deny: true, optional: true }] }],
    ["an exemption", { approvals: [{ tools: "look", required: false }] }],
  ])("does not wait because of %s", async (_, options) => {
    const { end, marks } = await run({ turns: repeat("a", 5), ...options });
    expect([end.status, marks]).toEqual(["done", "..nnx"]);
  });

  test("a person is warned why the call waits, and neither an allowance nor a mode lets it run", async () => {
    const edits = tool({
      name: "look",
      description: "Looks.",
      input,
      annotations: { edits: true },
      approval: true,
      execute: () => "same",
    });
    const { thread } = stage({ turns: repeat("a", 5), tools: [edits] });
    const events: AgentEvent[] = [];
    const sent = thread.send("Go.", { mode: "accept-edits" });
    for await (const event of sent) events.push(event);
    expect((await sent.result).status).toBe("waiting");
    expect(events.filter(({ type }) => type === "warning")).toMatchObject([
      { data: { id: "call_5", message: expect.stringContaining("called 5 times in a row") as string } },
    ]);
  });

  test("the order of keys and white space do not matter, and other arguments are another call", async () => {
    const texts = [
      '{"path":"a","line":1}',
      '{ "line": 1, "path": "a" }',
      '{"line":1.0,"path":"a"}',
      '{"path":"a","line":2}',
    ];
    const model = scriptedModel([...texts.map((raw) => ({ calls: [{ name: "look", raw }] })), done]);
    const thread = createAgent({ model, tools: [look()], middleware: [loopGuard()] }).thread("t");
    await thread.send("Go.").result;
    expect(await marksOf(thread)).toBe("..n.");
  });

  test("calls of one turn are compared with those of earlier turns", async () => {
    expect((await run({ turns: ["aaaaaaa", "b"] })).marks).toBe("........");
    expect((await run({ turns: ["ab", "ab", "ab", "ab", "ab"] })).marks).toBe("....nnnnxx");
    expect((await run({ turns: ["ab", "ba", "ab"] })).marks).toBe("....nn");
    expect((await run({ turns: ["abcde", "abcde", "abcde"] })).marks).toBe("..........nnnnn");
    expect((await run({ turns: ["ab", "ac", "ad", "ae", "af", "ag", "ah"] })).end.status).toBe("done");
  });

  test("an error is a result too, and stays an error", async () => {
    const failing = look(() => {
      throw new Error("no such file");
    });
    const { thread } = stage({ turns: repeat("a", 4), tools: [failing] });
    await thread.send("Go.").result;
    const calls = await thread.calls();
    expect(calls.map(({ status }) => status)).toEqual(["failed", "failed", "failed", "failed"]);
    expect(calls[2]?.error).toContain("no such file\n\n[The same call gave the same result 3 times in a row.");
  });

  test("a tool that is retried gets its retries", async () => {
    let attempts = 0;
    const execute = (): never => {
      attempts++;
      throw new Error("down");
    };
    const retried = tool({ name: "look", description: "Looks.", input, retries: 2, execute });
    const { thread } = stage({ turns: repeat("a", 3), tools: [retried] });
    await thread.send("Go.").result;
    expect(attempts).toBe(9);
    expect(await marksOf(thread)).toBe("..n");
  });

  test.each<[string, unknown, RegExp]>([
    ["JSON", { found: 1 }, /^\{"found":1\}\n\n\[The same call/u],
    ["nothing", undefined, /^Done\.\n\n\[The same call/u],
    ["media", picture, /^\[\{"type":"media".*\{"type":"text","text":"\[The same call/u],
    ["a list with media", ["seen", picture], /^\[\{"type":"text".*\{"type":"media".*"text":"\[The same call/u],
    ["MCP media", { content: [mcpPicture] }, /^\[\{"type":"media".*\{"type":"text","text":"\[The same call/u],
    ["an MCP error", { content: [{ type: "text", text: "bad" }], isError: true }, /^bad\n\n\[The same call/u],
  ])("the notice follows %s", async (_, value, expected) => {
    const { thread } = stage({ turns: repeat("a", 3), tools: [look(() => value)] });
    await thread.send("Go.").result;
    const [, second, third] = await thread.calls();
    expect(second && textOf(second)).not.toContain("The same call");
    expect(third && textOf(third)).toMatch(expected);
    expect(third?.status).toBe(second?.status);
  });

  test("a result that filesystem() moves into a file is compared before that", async () => {
    const files = filesystem({ backend: memoryFiles(), evict: { tokens: 10 } });
    const { marks } = await run({
      turns: repeat("a", 7),
      tools: [look(() => "long ".repeat(100))],
      middleware: [files],
    });
    expect(marks).toBe("..nnxxs");
  });

  test("strict providers accept every request of a run that repeats itself", async () => {
    const calls = [{ name: "look", arguments: { path: "a" } }];
    const server = await wireServer({ turns: () => ({ calls }) });
    const model = openai("gpt-5.1", { baseURL: server.baseUrl("openai-responses"), apiKey: "none" });
    const thread = createAgent({ model, tools: [look()], middleware: [loopGuard()] }).thread("t");
    const end = await thread.send("Go.").result;
    await server.close();
    expect(end.error?.code).toBe("run/loop");
    expect(await marksOf(thread)).toBe("..nnxxs");
    expect(await thread.history("anthropic")).toBeDefined();
  });
});

describe("LG2: calls in turn", () => {
  test.each(["ab", "abc"])("%s counts as one repetition", async (turns) => {
    const { end, marks } = await run({ turns: repeat(turns, 8), guard: { ask: Infinity } });
    const period = turns.length;
    expect(marks).toBe(`${".".repeat(3 * period - 1)}${"n".repeat(4 * period)}s`);
    expect(end.error).toMatchObject({ code: "run/loop", data: { times: 7 } });
  });

  test("a call that completes a repetition fails from the fifth on, so that other turns run", async () => {
    const { marks } = await run({ turns: repeat("ab", 8) });
    expect(marks).toBe(".....nnnnxnxns");
  });

  test("the notice says how many calls repeat", async () => {
    const { thread } = stage({ turns: repeat("ab", 3) });
    await thread.send("Go.").result;
    expect(textOf((await thread.calls())[5] as CallView)).toContain(
      "The same calls of 2 turns gave the same results 3 times",
    );
  });

  test.each(["abcd", "aab", "abac"].map((turns) => [turns]))("%s: a period over three is not a loop", async (turns) => {
    const { marks, end } = await run({ turns: repeat(turns, turns.length === 3 ? 1 : 8) });
    expect(marks).not.toMatch(/[nxs]/u);
    expect(end.status).toBe("done");
  });

  test("another call in between starts again", async () => {
    expect((await run({ turns: "aabaabcdaa".split("") })).marks).toBe("..........");
  });
});

describe("LG3: what never counts", () => {
  test("a polling tool whose result changes", async () => {
    let polls = 0;
    const { marks, end } = await run({ turns: repeat("a", 12), tools: [look(() => `${++polls} % done`)] });
    expect([marks, end.status]).toEqual([".".repeat(12), "done"]);
  });

  test("a change in between starts the count again", async () => {
    let calls = 0;
    const { marks } = await run({ turns: repeat("a", 8), tools: [look(() => (++calls <= 2 ? "old" : "new"))] });
    expect(marks).toBe("....nnxx"); // two old results, then the third new one is the fifth call
  });

  test("a tool that is exempt", async () => {
    const { marks, end } = await run({ turns: repeat("a", 12), guard: { exempt: ["look"] } });
    expect([marks, end.status]).toEqual([".".repeat(12), "done"]);
  });

  test("a call of an exempt tool between others does not hide them", async () => {
    const wait = tool({ name: "wait", description: "Waits.", execute: () => "waited" });
    const turns = [turn("a"), { calls: [{ name: "wait" }] }];
    const model = scriptedModel([...turns, ...turns, ...turns, done]);
    const middleware = [loopGuard({ exempt: ["wait"] })];
    const thread = createAgent({ model, tools: [look(), wait], middleware }).thread("t");
    await thread.send("Go.").result;
    expect(await marksOf(thread)).toBe("....n.");
  });

  test("calls before a new message", async () => {
    const { agent } = stage({ turns: [] });
    const model = scriptedModel([turn("a"), done], { loop: true });
    const thread = createAgent({ model, tools: [look()], middleware: [loopGuard()], store: agent.store }).thread("t");
    for (let i = 0; i < 9; i++) expect((await thread.send("And now?").result).status).toBe("done");
    expect(await marksOf(thread)).toBe(".".repeat(9));
  });
});

describe("LG4: the count", () => {
  test("survives a restart while a call waits, and its state stays small", async () => {
    const folder = mkdtempSync(join(tmpdir(), "loop-"));
    folders.push(folder);
    const path = join(folder, "agent.db");
    const open = (turns: readonly string[], store: Store) => stage({ turns, tools: [look(), gated], store });
    const before = sqliteStore(path);
    const first = open("bcdefghijklmnopqrstuvwxyzaaaaa".split(""), before);
    expect((await first.thread.send("Go.").result).status).toBe("waiting");
    expect(JSON.stringify(await first.thread.state()).length).toBeLessThan(2_000);
    await first.agent.close();
    await before.close();
    const store = sqliteStore(path);
    const { agent, thread } = open(["a", "a", "a"], store);
    expect((await thread.approveAll().result).status).toBe("waiting"); // the sixth
    const end = await thread.approveAll().result;
    expect(end).toMatchObject({ status: "stopped", error: { code: "run/loop" } });
    await agent.close();
    await store.close();
  });

  test("survives a crash in the middle of a call", async () => {
    const store = memoryStore();
    let calls = 0;
    const hang = look(() => (++calls === 3 ? new Promise<never>(() => undefined) : "same"));
    void stage({ turns: repeat("a", 3), tools: [hang], store }).thread.send("Go.");
    await until(async () => (await callsOf(store, "t"))[2]?.state === "running");
    const { agent, thread } = stage({ turns: repeat("a", 9), tools: [look(() => "same")], store: afterDeath(store) });
    const [recovered] = await agent.recover();
    const end = await recovered?.result;
    expect(end).toMatchObject({ status: "stopped", error: { code: "run/loop", data: { times: 7 } } });
    expect(await marksOf(thread)).toBe("...nxxs"); // the third is lost, and counts
  });

  test("survives a middleware that drops old messages from the request", async () => {
    const forget: Middleware = {
      name: "forget",
      beforeModel: (request) => ({ ...request, messages: request.messages.slice(0, 1) }),
    };
    expect((await run({ turns: repeat("a", 9), middleware: [forget] })).marks).toBe("..nnxxs");
  });

  test("of one thread is not that of another, also with one guard for two agents", async () => {
    const guard = loopGuard();
    const make = () =>
      createAgent({ model: scriptedModel([...repeat("a", 2).map(turn), done]), tools: [look()], middleware: [guard] });
    const threads = ["one", "two", "three"].map((id) => make().thread(id));
    await Promise.all(threads.map((thread) => thread.send("Go.").result));
    for (const thread of threads) expect(await marksOf(thread)).toBe("..");
  });
});

test("the thread can be continued after the stop", async () => {
  const { thread } = stage({ turns: repeat("a", 7) });
  expect((await thread.send("Go.").result).error?.code).toBe("run/loop");
  expect(await thread.send("Stop that.").result).toMatchObject({ status: "done", text: "Done." });
});

describe("options", () => {
  test.each<[LoopGuardOptions, string]>([
    [{ notice: Infinity }, "....xxs"],
    [{ ask: Infinity }, "..nnnns"],
    [{ stop: Infinity, ask: Infinity }, "..nnnnnnn"],
    [{ notice: 2, ask: 3, stop: 4 }, ".nxs"],
    [{ stop: 2 }, ".s"],
    [{ notice: Infinity, ask: Infinity, stop: Infinity }, "........."],
  ])("%j", async (guard, marks) => {
    expect((await run({ turns: repeat("a", 9), guard, limits: { faulty: 20 } })).marks).toBe(marks);
  });

  test.each<[unknown, string]>([
    [{ notice: 1 }, "options/value"],
    [{ ask: 2.5 }, "options/value"],
    [{ stop: 1000 }, "options/value"],
    [{ stop: "7" }, "options/value"],
    [{ exempt: "look" }, "options/value"],
    [{ exempt: [7] }, "options/value"],
    [{ notices: 3 }, "options/unknown"],
    [null, "options/value"],
  ])("%j is refused", (options, code) => {
    expect(() => loopGuard(options as LoopGuardOptions)).toThrow(expect.objectContaining({ code }) as Error);
  });
});
