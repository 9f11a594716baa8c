import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { textWidth } from "../terminal/text-width.ts";
import { beginWaiting, longHistory, makeBench } from "../threads/threads.fixture.ts";
import type { Bench } from "../threads/threads.fixture.ts";

let bench: Bench;
beforeEach(() => {
  bench = makeBench();
});
afterEach(() => bench.remove());

const say = (id: string, text: string): Promise<unknown> =>
  bench.withAgent({}, (agent) => agent.thread(id).send(text).result);

describe("a folder without threads", () => {
  test("is told, and nothing is made in it", async () => {
    const { exitCode, stdout, stderr } = await bench.run("list");
    expect([exitCode, stdout]).toEqual([0, ""]);
    expect(stderr).toContain("There are no threads yet");
    expect((await bench.run("list", "--json")).stdout).toBe("[]\n");
    expect(await bench.run("show", "t1")).toMatchObject({ exitCode: 2, stdout: "" });
    expect(existsSync(join(bench.folder, ".undangle"))).toBe(false);
  });
});

describe("what cannot be done is told", () => {
  test.each([
    [[], "Actions: list, show"],
    [["lst"], 'threads has no action "lst". Did you mean list?'],
    [["show"], "show needs the id of a thread"],
    [["show", "a", "b"], "show takes fewer arguments: b"],
    [["list", "--approve", "all"], "--approve is not an option of threads list."],
    [["list", "--limit", "many"], "--limit must be a whole number"],
    [["list", "--status", "asleep"], "Unknown value of --status"],
    [["list", "--config", "none.ts"], "There is no config file"],
    [["list", "--store", "mysql://a:b@c"], "is not a value of the option store"],
  ])("threads %j: %s", async (argv, message) => {
    await say("t1", "Hello?");
    const { exitCode, stderr } = await bench.run(...argv);
    expect([exitCode, stderr.includes(message)]).toEqual([2, true]);
  });

  test.each(["show", "export", "delete", "restore", "recover", "decide"])(
    "%s of a thread that there is not",
    async (action) => {
      await say("invoice-12", "Hello?");
      const { exitCode, stdout, stderr } = await bench.run(action, "invoice-21");
      expect([exitCode, stdout]).toEqual([2, ""]);
      expect(stderr).toBe('undangle: There is no thread "invoice-21". Did you mean invoice-12?\n');
    },
  );

  test("in Chinese too", async () => {
    await say("t1", "你好");
    expect((await bench.run("show", "t2", "--language", "zh")).stderr).toBe('undangle: 没有会话 "t2"。是否想写 t1？\n');
    expect((await bench.runAs({ env: { LANG: "zh_CN.UTF-8" } }, "lst")).stderr).toContain("threads 没有操作");
  });
});

describe("list", () => {
  test("is a line a thread in a pipe, the newest first, and nothing steers a terminal", async () => {
    await say("old", "Hello\u001B[2J there\tand\nhere");
    await say("new", "Second");
    const lines = (await bench.run("list")).stdout.split("\n");
    expect(lines[0]).toMatch(/^new\tidle\t\d{4}-\d\d-\d\dT[\d:.]+Z\t2\t0\tSecond$/u);
    expect(lines[1]).toMatch(/^old\tidle\t\S+\t2\t0\tHello\\x1b\[2J there[^\t\n]*$/u);
    expect(lines[1]).not.toContain("\u001B");
    expect(lines.slice(2)).toEqual([""]);
  });

  test("finds threads by a text, a status, and how many are wanted", async () => {
    await say("a", "apples");
    await say("b", "pears");
    await beginWaiting(bench, "c", [1, 2]);
    const ids = async (...argv: readonly string[]): Promise<readonly (string | undefined)[]> =>
      (await bench.run("list", ...argv)).stdout
        .split("\n")
        .filter(Boolean)
        .map((line) => line.split("\t")[0]);
    expect(await ids("--search", "APPLE")).toEqual(["a"]);
    expect(await ids("--status", "waiting")).toEqual(["c"]);
    expect(await ids("--limit", "2")).toEqual(["c", "b"]);
    expect((await bench.run("list", "--limit", "2")).stderr).toContain("There are more than 2");
    expect(await bench.run("list", "--search", "plums")).toMatchObject({ exitCode: 0, stdout: "" });
    const [first] = JSON.parse((await bench.run("list", "--json")).stdout) as readonly unknown[]; // an array
    expect(first).toMatchObject({ id: "c", status: "waiting", pending: 2, entries: 2, title: "Pay them." });
  });

  test.each([200, 80, 60, 40, 20])("fits a window of %i columns, and ids stay whole", async (columns) => {
    await say("a-thread-with-a-long-id", "Please tell me all that you know about wide characters 汉字 and long titles");
    await beginWaiting(bench, "c");
    const { stdout } = await bench.runAs({ isTTY: true, columns, env: { NO_COLOR: "1" } }, "list");
    const longest = Math.max(...stdout.split("\n").map(textWidth));
    expect(longest).toBeLessThan(Math.max(columns, textWidth("a-thread-with-a-long-id") + 1)); // an id can be copied
    expect(stdout).toContain("a-thread-with-a-long-id");
    expect(stdout).toContain("waiting (1)");
  });
});

describe("show", () => {
  test("tells a thread with its calls, folded", async () => {
    await beginWaiting(bench, "t1", [1, 2]);
    const { stdout, exitCode } = await bench.run("show", "t1");
    expect(exitCode).toBe(0);
    expect(stdout.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/gu, "TIME").replace(/· \d+s/u, "· 1s")).toBe(
      [
        "t1  waiting · 1s",
        "",
        "You TIME",
        "  Pay them.",
        "",
        "Model scripted · TIME",
        "  I pay.",
        "  … pay_invoice {invoice: 1, amount: 10}",
        "    call_1 · waits for a decision",
        "  … pay_invoice {invoice: 2, amount: 10}",
        "    call_2 · waits for a decision",
        "",
        "Pending: call_1, call_2",
        "  undangle threads decide t1 --approve call_1",
        "  undangle threads decide t1 --reject call_1=REASON",
        "",
      ].join("\n"),
    );
  });

  test("folds long results, and --full shows them", async () => {
    const files = { "h.json": JSON.stringify(longHistory) };
    await bench.runAs({ files }, "import", "h.json", "--id", "t1");
    const folded = (await bench.run("show", "t1")).stdout;
    expect(folded).toContain("line 3");
    expect(folded).not.toContain("line 4");
    expect(folded).toMatch(/… 37 lines more, \d+ characters in all; --full shows them/u);
    expect((await bench.run("show", "t1", "--full")).stdout).toContain("    line 40");
    const { messages, calls } = JSON.parse((await bench.run("show", "t1", "--json")).stdout) as Record<
      string,
      unknown[]
    >; // an object with lists
    expect([messages?.length, calls?.length]).toEqual([4, 1]);
  });

  test("breaks lines at the window, and escapes what would steer it", async () => {
    await say("t1", `\u001B]0;title\u0007 ${"word ".repeat(60)}`);
    const { stdout } = await bench.runAs({ isTTY: true, columns: 40, env: { NO_COLOR: "1" } }, "show", "t1");
    expect(Math.max(...stdout.split("\n").map(textWidth))).toBeLessThan(40);
    expect(stdout).not.toMatch(/[\u001B\u0007]/u); // oxlint-disable-line no-control-regex -- what it must not have
  });
});
