import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";

import { openStore } from "#config";
import { createAgent, tool } from "#engine";
import { scriptedModel } from "#testing";

import { runIn } from "../memory-io.fixture.ts";
import { ctrlC, ctrlD, leaveDead, sit, up } from "./sitting.fixture.ts";
import { createTerminal } from "./terminal.fixture.ts";

const folders: string[] = [];

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

describe.concurrent("threads", () => {
  const newFolder = (): string => {
    const folder = mkdtempSync(join(tmpdir(), "undangle-chat-"));
    folders.push(folder);
    return folder;
  };

  test("a later start goes on with the last one, asks at once about what waits, and knows what was said", async () => {
    const folder = newFolder();
    const first = await sit([], { folder });
    await first.say("Pay invoice 12 (300 euros).", "pay_invoice waits for your decision");
    await first.rest();
    await first.leave();
    const [, id = ""] = /Continue later: undangle chat --thread (\w+)/u.exec(first.terminal.all()) ?? [];
    expect(id).not.toBe("");
    const second = createTerminal();
    const outcome = runIn({ terminal: second, isTTY: true, folder }, "chat", "--thread", "last");
    await second.until("? pay_invoice waits for your decision");
    expect(second.screen()).toContain(`thread ${id}`);
    expect(second.screen()).toContain("› Pay invoice 12 (300 euros).");
    await pause(500);
    second.type("a");
    await second.until("Invoice 12 is paid");
    await pause(600);
    second.type(up);
    await second.until(/› Pay invoice 12 \(300 euros\)\.$/u);
    second.type(`${ctrlC}${ctrlD}`);
    await outcome;
    expect(readFileSync(join(folder, ".undangle/history"), "utf8")).toBe('"Pay invoice 12 (300 euros)."\n');
    expect(statSync(join(folder, ".undangle/history")).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder, ".undangle/.gitignore"), "utf8")).toBe("*\n");
  });

  test("a window is left while another one runs its thread, which goes on there", async () => {
    const folder = newFolder();
    const { promise: gate, resolve: open } = Promise.withResolvers<string>();
    const store = await openStore(undefined, { folder });
    const agent = createAgent({
      store,
      model: scriptedModel([{ calls: [{ name: "wait" }] }, { text: "Over." }]),
      tools: [tool({ name: "wait", description: "Waits.", execute: () => gate })],
    });
    await agent.thread("shared").describe({ title: "shared" });
    const { terminal, outcome } = await sit(["--thread", "shared"], { folder });
    const run = agent.thread("shared").send("Wait.");
    await terminal.until("wait()");
    const third = await sit(["--thread", "shared"], { folder });
    await third.terminal.until("wait()"); // it is seen also where it began before
    await third.leave();
    terminal.type(ctrlD);
    expect((await outcome).exitCode).toBe(0);
    open("waited");
    expect((await run.result).status).toBe("done");
    await agent.close();
    await store.close();
  });

  test("a window shows what was said in another one, once, and what it says meanwhile is next", async () => {
    const folder = newFolder();
    const first = await sit(["--thread", "shared"], { folder });
    const second = await sit(["--thread", "shared"], { folder });
    await first.say("Read my mail", "opening the inbox");
    await second.terminal.until("› Read my mail\n  sent in another window");
    await second.say("What time is it?", "next: What time is it?");
    await first.terminal.until("› What time is it?\n  sent in another window");
    await Promise.all([first.rest(), second.rest()]);
    for (const { terminal } of [first, second]) {
      expect(terminal.all().match(/› Read my mail/gu)).toHaveLength(1);
      expect(terminal.all().match(/› What time is it\?/gu)).toHaveLength(1);
    }
    await first.leave();
    await second.leave();
  });

  test("while another program holds the store, one sees that something goes on", async () => {
    const folder = newFolder();
    const { say, leave } = await sit([], { folder });
    const other = new DatabaseSync(join(folder, ".undangle", "threads.db"));
    other.exec("BEGIN EXCLUSIVE");
    await say("hello", /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] thinking/u);
    other.exec("ROLLBACK");
    other.close();
    await say("", "Hello! I am");
    expect((await leave()).exitCode).toBe(0);
  });

  test("who answers is noted in the thread, and another agent there is told of", async () => {
    const folder = newFolder();
    const first = await sit(["--thread", "mine"], { folder });
    await first.say("hello", "list_notes");
    await first.leave();
    const store = await openStore(undefined, { folder });
    expect((await store.load("mine"))?.data).toMatchObject({ meta: { agent: "demo" } });
    writeFileSync(join(folder, "undangle.config.mjs"), "export default { agents: { clerk: {} } };");
    const second = await sit(["--thread", "mine"], { folder });
    await second.terminal.until("This thread belongs to the agent demo. From now on clerk responds");
    await second.say("hello", /hello[^]*Hello/u);
    await second.rest();
    await second.leave();
    expect((await store.load("mine"))?.data).toMatchObject({ meta: { agent: "clerk" } });
    await store.close();
  });

  test("what a dead process has left in another thread is left to its own agent", async () => {
    const folder = newFolder();
    const store = await openStore(undefined, { folder });
    await leaveDead(folder, "theirs");
    const { leave } = await sit([], { folder });
    await pause(200);
    await leave();
    expect((await store.load("theirs"))?.status).toBe("running");
    const second = await sit(["--thread", "theirs"], { folder });
    await second.terminal.until("The program ended unexpectedly");
    await second.rest();
    await second.leave();
    expect((await store.load("theirs"))?.status).toBe("idle");
    await store.close();
  });

  test("a thread that is opened again shows its last exchanges with their calls", async () => {
    const folder = newFolder();
    const first = await sit(["--thread", "t"], { folder });
    for (const [i, said] of ["What time is it?", "hello", "Read my mail", "What time is it now?"].entries()) {
      await first.say(said);
      await first.terminal.until(i === 1 ? "list_notes" : new RegExp(`✓ ${i === 0 ? 1 : i} `, "u"));
      await first.rest();
    }
    await first.leave();
    const { terminal, leave } = await sit(["--thread", "t"], { folder, rows: 60 });
    await terminal.until("› What time is it now?");
    const shown = terminal.screen();
    expect(shown).toContain("\n\n… 3 earlier messages: undangle threads show t\n\n› hello\n");
    expect(shown).toMatch(/› Read my mail\n\n[^]*\n✓ 2 read_mail\(\)\n {4}From ACME: [^\n]*\/show 2\)\n\n/u);
    expect(shown).toMatch(/› What time is it now\?\n\n[^]*\n✓ 3 get_time\(\)\n {4}\w+/u);
    await leave();
  });

  test("a call that a crash left is shown once, with its arguments", async () => {
    const folder = newFolder();
    await leaveDead(folder, "t");
    const { terminal, rest, leave } = await sit(["--thread", "t"], { folder });
    await terminal.until("The program ended unexpectedly");
    await rest();
    await leave();
    expect(terminal.all().match(/. 1 own_tool\(/gu)).toHaveLength(1);
    expect(terminal.all()).toContain('! 1 own_tool(why: "test")  outcome unknown');
  });

  test("so it is without a terminal", async () => {
    const folder = newFolder();
    await leaveDead(folder, "t");
    const { stderr } = await runIn({ stdin: "hello\n", folder }, "chat", "--thread", "t");
    expect(stderr).toContain('! 1 own_tool(why: "test")  outcome unknown');
  });

  test("commands begin, list, find, copy and export threads", async () => {
    const folder = newFolder();
    const { say, rest, leave } = await sit([], { folder });
    await say("hello", "list_notes");
    await rest();
    await say("/fork", "A copy of the thread");
    await say("/new", "A new thread");
    await say("/threads", "hello");
    await say("/thread nothing", "There is no thread nothing");
    await say("/thread last", /Thread \w{8}\n\n› hello/u);
    await say("/export openai-chat out.json", "out.json: written (openai-chat)");
    await say("/export openai-chat out.json", "already exists");
    expect(JSON.parse(readFileSync(join(folder, "out.json"), "utf8"))).toMatchObject([
      { role: "user" },
      { role: "assistant" },
    ]);
    await say("/hlep", "Did you mean /help?");
    await say("/help", "Ctrl-D");
    await say("/show 1", "no call in this thread");
    await say("/model nothing", '✗ /model: There is no model "nothing".');
    await say("/language zh", "从现在起使用中文");
    await leave();
  });

  test("/retry lets the model answer anew, and /show shows all of a call", async () => {
    const { say, rest, leave } = await sit();
    await say("Read my mail", "`read_mail` returned");
    await rest();
    await say("/show 1", "From Travel Club: last places for the boat trip.");
    await say("/retry", /returned.*\n[^]*\/retry\n[^]*returned/u);
    expect((await leave()).exitCode).toBe(0);
  });
});
