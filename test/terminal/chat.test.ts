/** The built chat, as a person uses it: in a terminal, which tmux plays, and in pipes. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { hasTmux, openWindow } from "./tmux.ts";
import type { Window, WindowOptions } from "./tmux.ts";

const inRoot = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const program = inRoot("bin/undangle.js");
const story = "Read my mail, pay invoice 12 (300 euros) and delete all mail.";
let folder = "";
let windows: Window[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "undangle-terminal-"));
});
afterEach(() => {
  for (const window of windows) window.close();
  windows = [];
  rmSync(folder, { recursive: true });
});

async function openChat(args: readonly string[] = [], options: Omit<WindowOptions, "folder"> = {}): Promise<Window> {
  const window = openWindow([process.execPath, program, "chat", ...args], { folder, ...options });
  windows.push(window);
  await window.until("›");
  return window;
}

/** A question that comes up by itself does not hear what is typed in its first moment. */
const moment = (): Promise<void> => pause(600);

describe.runIf(hasTmux)("in a terminal (skipped where there is no tmux)", () => {
  test("one call is approved, another is rejected with a reason, and the way back is told", async () => {
    const window = await openChat();
    expect(window.screen()).toContain(story);
    window.type(story, "Enter");
    await window.until("? pay_invoice waits for your decision (1/2)");
    await moment();
    window.type("a");
    await window.until("? delete_mail waits for your decision");
    await moment();
    window.type("r");
    await window.until("Reason (optional):");
    window.type("I keep my mail", "Enter");
    await window.until("Write what to change if you want it done differently.");
    const all = window.screen({ all: true });
    expect(all).toMatch(/✓ 1 read_mail\(\) {2}\d/u);
    expect(all).toMatch(/✓ 2 pay_invoice\(invoice: 12, amount: 300\) {2}\d\.\d s · approved\n {4}Invoice 12 is paid/u);
    expect(all).toContain("⊘ 3 delete_mail()  rejected\n    I keep my mail");
    expect(all).not.toMatch(/[◌⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/u);
    window.type("", "C-d");
    await window.until(/Continue later: (?:npx )?undangle chat --thread [\da-f]{8}/u);
    expect(await window.exit()).toBe(0);
  });

  test("a deep agent plans and delegates; calls of its sub-agents are nested, and one is approved", async () => {
    const window = await openChat(["--deep"], { columns: 90, rows: 40 });
    window.type("Research electric bikes.", "Enter");
    await window.until("    ▸ Research costs and risks\n    ○ Read the notes and report");
    await window.until(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏◌] task\(.*\n {4}[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏◌] write_file\(/u);
    await window.until(/\? task#call_\d > write_file waits for your decision/u);
    await moment();
    window.type("a");
    await window.until(/✓ \d task\(.*\n {4}✓ write_file\(.*approved\n {4}The notes about/u);
    await window.until(/\? task#call_\d > write_file waits for your decision\n/u);
    await moment();
    window.type("r");
    await window.until("Reason (optional):");
    window.type("", "Enter");
    await window.until("The notes are an example");
    const all = window.screen({ all: true });
    expect(all).toMatch(/✓ \d task\(.*\n {4}⊘ write_file\(.*rejected\n {4}The notes about .* were not saved\./u);
    expect(all).toMatch(/write_todos\(2 of 3 done\)/u);
    expect(all).toContain("The research about electric bikes is done:");
    expect(all).not.toContain("I write down what I found"); // the text of a sub-agent
    window.type("", "C-d");
    await window.until(/Continue later: (?:npx )?undangle chat --thread [\da-f]{8} --deep/u);
    expect(await window.exit()).toBe(0);
  });

  test("Ctrl-C stops the answer and not the program; what was typed meanwhile is not lost", async () => {
    const window = await openChat();
    window.type("hello", "Enter");
    await window.until("Hello! I am");
    window.type("What time is it?", "Enter");
    window.type("", "C-c");
    await window.until("Stopped.");
    await window.until("› What time is it?");
    window.type("", "Enter");
    await window.until("✓ 1 get_time()");
    await window.until("It is ");
    await pause(500);
    window.type("", "C-c");
    await window.until("Press Ctrl-C again");
    window.type("", "C-c");
    expect(await window.exit()).toBe(0);
  });

  test("after kill -9 in the middle of a tool the thread goes on", async () => {
    const first = await openChat(["--thread", "killed"]);
    first.type(story, "Enter");
    await first.until("opening the inbox");
    process.kill(first.pid(), "SIGKILL");
    expect(await first.exit()).toBe(137);
    const second = await openChat(["--thread", "last"]);
    await second.until("The program ended unexpectedly");
    await second.until("✓ 1 read_mail()");
    await second.until("? pay_invoice waits for your decision (1/2)");
    await moment();
    second.type("A");
    await second.until("`delete_mail` returned: 3 mails deleted");
    expect(second.screen()).toContain("› Read my mail, pay invoice 12");
  });

  test("a window that changes its size in the middle of an answer shows no garbage", async () => {
    const window = await openChat();
    window.type("hello", "Enter");
    await window.until("Hello! I am");
    for (const [columns, rows] of [
      [30, 12],
      [120, 40],
      [50, 20],
      [100, 30],
    ] as const) {
      window.resize(columns, rows);
      await pause(40);
    }
    await window.until("list_notes");
    await pause(500);
    const text = window.screen({ all: true }).replaceAll(/\s+/gu, " ");
    expect(text.match(/Hello! I am/gu)).toHaveLength(1);
    expect(text.match(/list_notes/gu)).toHaveLength(1);
    expect(text.match(/›/gu)).toHaveLength(2);
    window.type(story, "Enter");
    await window.until("later");
    window.resize(24, 24);
    await moment();
    window.resize(90, 24);
    await moment();
    expect(window.screen().match(/\? pay_invoice waits/gu)).toHaveLength(1);
  });

  test("rows of wide characters are found again in a window that becomes narrower", async () => {
    const window = await openChat(["--language", "zh"], { columns: 40, rows: 24 });
    window.type("读邮件，支付 12 号发票 300 欧元，并删除所有邮件。", "Enter");
    await window.until("✓ 1 read_mail()");
    window.resize(20, 24);
    await window.until("l 稍后决定");
    expect(window.screen({ all: true }).match(/◌/gu)).toHaveLength(1);
  });

  test("Ctrl-C in an editor ends the editor and not the chat, and an editor that fails decides nothing", async () => {
    const editor = join(folder, "editor.sh");
    writeFileSync(editor, '#!/bin/sh\necho "{}" > "$1"\necho edited\nexec sleep 60\n', { mode: 0o755 });
    const window = await openChat([], { env: { EDITOR: editor, VISUAL: "" } });
    window.type("Pay invoice 12 (300 euros).", "Enter");
    await window.until("? pay_invoice waits for your decision");
    await moment();
    window.type("e");
    await window.until("edited");
    await moment();
    window.type("", "C-c");
    await window.until("Nothing was changed or decided.");
    window.type("", "C-d");
    expect(await window.exit()).toBe(0);
  });

  test("a key that is pressed twice, or held down, decides about no call that nobody has read", async () => {
    const window = await openChat();
    window.type(story, "Enter");
    await window.until("? pay_invoice waits for your decision (1/2)");
    await moment();
    window.type("a");
    window.type("a".repeat(15)); // one burst: on a busy machine, keys sent one by one arrive too far apart
    await window.until("✓ 2 pay_invoice");
    expect(window.screen()).toContain("? delete_mail waits for your decision");
    await pause(1000);
    window.type("a");
    await window.until("✓ 3 delete_mail()");
  });

  test("a call that does not fit any more into a window which was made lower stands above the question", async () => {
    const window = await openChat();
    window.type("Pay invoice 12 (300 euros).", "Enter");
    await window.until("? pay_invoice waits for your decision");
    window.resize(20, 8);
    await window.until("l later");
    const all = window.screen({ all: true });
    expect(all).toMatch(/\? pay_invoice waits\n {2}for your decision\n {2}invoice: 12\n {2}amount: 300\n/u);
    expect(all.trimEnd()).toMatch(/\? pay_invoice waits\na approve\n[^]*l later$/u);
  });

  test("two windows of a thread show what is said in each", async () => {
    const first = await openChat(["--thread", "shared"]);
    const second = await openChat(["--thread", "shared"]);
    first.type("What time is it?", "Enter");
    await second.until("› What time is it?\n  sent in another window");
    await second.until("It is ");
    second.type("Read my mail", "Enter");
    await first.until("› Read my mail\n  sent in another window");
    await first.until("`read_mail` returned");
    expect(second.screen()).not.toMatch(/Read my mail\n {2}sent in another window/u);
  });

  test("an editor with blanks in its path is started as Git starts it", async () => {
    mkdirSync(join(folder, "my editors"));
    const editor = join(folder, "my editors", "ed");
    writeFileSync(editor, '#!/bin/sh\n[ "$1" = --wait ] && echo \'{ "invoice": 12, "amount": 7 }\' > "$2"\n', {
      mode: 0o755,
    });
    const window = await openChat([], { env: { EDITOR: `"${editor}" --wait`, VISUAL: "" } });
    window.type("Pay invoice 12 (300 euros).", "Enter");
    await window.until("? pay_invoice waits for your decision");
    await moment();
    window.type("e");
    expect(await window.until("Invoice 12 is paid: 7 euros.")).toContain("edited");
  });

  test("a paste that never ends is ended by Ctrl-C, and is not lost", async () => {
    const window = await openChat();
    window.type("\u001B[200~hel");
    await pause(200);
    window.type("lo");
    await pause(200);
    window.type("", "C-c");
    await window.until("› hello");
    window.type("", "Enter");
    expect(await window.until("Hello! I am")).toContain("› hello\n");
  });

  test("it speaks Chinese where the locale does", async () => {
    const window = await openChat([], { env: { LANG: "zh_CN.UTF-8" }, columns: 40, rows: 24 });
    const sentence = "读邮件，支付 12 号发票 300 欧元，并删除所有邮件。";
    window.type(sentence, "Enter");
    await window.until("pay_invoice 等待你的决定 (1/2)");
    await moment();
    window.type("A");
    await window.until("已删除 3 封邮件");
    await pause(500);
    for (const line of window.screen({ all: true }).split("\n")) expect(line.length).toBeLessThan(40);
  });

  test("several lines that are pasted, or end with a backslash, are one message", async () => {
    const window = await openChat();
    window.type("What time\\", "Enter");
    window.paste("is it?\nPlease tell me.");
    expect(window.screen({ all: true })).not.toContain("get_time");
    window.type("", "Enter");
    await window.until("✓ 1 get_time()");
    expect(window.screen({ all: true })).toContain("› What time\n  is it?\n  Please tell me.");
  });
});

describe("in pipes", () => {
  const undangle = (args: readonly string[], input: string) => {
    const env = { ...process.env, LANG: "C.UTF-8", LC_ALL: "" };
    return spawnSync(process.execPath, [program, ...args], {
      cwd: folder,
      input,
      encoding: "utf8",
      env,
      timeout: 60_000,
    });
  };

  test("the same story is told in JSON", () => {
    const first = undangle(["chat", "--json", "--thread", "piped"], `${JSON.stringify({ message: story })}\n`);
    expect(first).toMatchObject({ status: 3, stderr: "" });
    const decisions = { call_2: { type: "approve" }, call_3: { type: "reject", reason: "I keep my mail" } };
    const second = undangle(["chat", "--json", "--thread", "piped"], `${JSON.stringify({ decide: decisions })}\n`);
    expect(second).toMatchObject({ status: 0, stderr: "" });
    const events = second.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly type: string; readonly data: { readonly text?: string } }); // our own lines
    const text = events.flatMap(({ type, data }) => (type === "text_delta" ? [data.text] : [])).join("");
    expect(text).toContain("Invoice 12 is paid: 300 euros.");
    expect(text).toContain("You rejected `delete_mail` (“I keep my mail”)");
  });

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s stops the run, its tools hear of it, and the exit code is %i", async (signal, code) => {
    const child = spawn(process.execPath, [program, "chat", "--json", "--thread", signal, "Read my mail"], {
      cwd: folder,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line);
      if (line.includes('"opening the inbox"')) child.kill(signal); // once: twice would end it at once
    }
    if (child.exitCode === null) await once(child, "exit");
    expect(child.exitCode).toBe(code);
    expect(lines.at(-1)).toMatch(/"run_end".*"stopped"/u);
    const shown = JSON.parse(undangle(["threads", "show", signal, "--json"], "").stdout) as object; // our own words
    expect(shown).toMatchObject({ status: "idle", calls: [{ name: "read_mail", status: "stopped" }] });
  });

  test("a config that waits for what does not come is told of, and ends", () => {
    writeFileSync(join(folder, "undangle.config.mjs"), "await new Promise(() => {});\nexport default {};\n");
    const { status, stderr } = undangle(["chat", "hello"], "");
    expect(stderr).toContain("undangle: undangle.config.mjs:1:1: An await in it, or in a file that it imports");
    expect(status).toBe(2);
  });

  test("what a configuration leaves open does not keep the program from ending", () => {
    writeFileSync(join(folder, "undangle.config.mjs"), "setInterval(() => {}, 1000);\nexport default {};\n");
    expect(undangle(["chat", "hello"], "")).toMatchObject({ status: 0 });
    expect(undangle(["threads", "list"], "").stdout).toContain("hello");
  });
});
