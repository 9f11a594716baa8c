import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";

import { ctrlC, escape, sit } from "./sitting.fixture.ts";
import type { Sitting } from "./sitting.fixture.ts";
import type { TestTerminal, TestTerminalOptions } from "./terminal.fixture.ts";

const story = "Read my mail, pay invoice 12 (300 euros) and delete all mail.";

/** Presses a key again when it had no effect: on a busy machine it may count as held. */
async function pressUntil(terminal: TestTerminal, key: string, text: string): Promise<void> {
  for (let times = 0; times < 12 && !terminal.screen().includes(text); times++) {
    await pause(800);
    terminal.type(key);
    await pause(400);
  }
  expect(terminal.screen()).toContain(text);
}

test("a key that is held down while the process is stopped decides about no other call", async () => {
  const { terminal, say, leave } = await sit();
  await say(story, "pay_invoice waits for your decision (1/2)");
  await pause(500);
  terminal.type("a");
  await terminal.until("? delete_mail waits for your decision");
  await pause(500);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
  terminal.type("a"); // one that was repeated meanwhile
  await pause(800);
  expect(terminal.screen()).toContain("? delete_mail waits for your decision");
  await pressUntil(terminal, "a", "✓ 3 delete_mail()");
  expect((await leave()).exitCode).toBe(0);
});

describe.concurrent("the first minute", () => {
  test("says what it runs on and what to say, and a call is approved, another rejected with a reason", async () => {
    const { terminal, say, leave } = await sit();
    expect(terminal.screen()).toContain("agent demo · model demo");
    expect(terminal.screen()).toContain(story);
    expect(terminal.screen()).toContain("/help");
    await say(story, "pay_invoice waits for your decision (1/2)");
    await terminal.until("✓ 1 read_mail()");
    terminal.type("a");
    await terminal.until("? delete_mail waits for your decision");
    terminal.type("a"); // the same key once more: nobody has read this question yet
    await pause(500);
    expect(terminal.screen()).toContain("? delete_mail waits for your decision");
    terminal.type("r");
    await terminal.until("Reason (optional):");
    await say("I keep my mail", "so it did not run");
    expect(terminal.all()).toMatch(/✓ 2 pay_invoice\(invoice: 12, amount: 300\) {2}\d\.\d s · approved/u);
    expect(terminal.all()).toContain("⊘ 3 delete_mail()  rejected\n    I keep my mail");
    expect(terminal.all()).toContain("You rejected `delete_mail` (“I keep my mail”)");
    expect(await leave()).toMatchObject({ exitCode: 0, stderr: "" });
    expect(terminal.isTaken()).toBe(false);
  });

  test("a key that is held down decides about the call that was read, and about no other", async () => {
    const { terminal, say, leave } = await sit();
    await say(story, "pay_invoice waits for your decision (1/2)");
    await pause(500);
    terminal.type("a");
    await pause(400); // keyboards wait before they repeat a key
    for (let times = 0; times < 15; times++) {
      terminal.type("a");
      await pause(40);
    }
    expect(terminal.screen()).toContain("? delete_mail waits for your decision");
    await pressUntil(terminal, "a", "✓ 3 delete_mail()");
    expect((await leave()).exitCode).toBe(0);
  });

  test("is the same in Chinese", async () => {
    const { terminal, say, rest, leave } = await sit(["--language", "zh"]);
    const sentence = "读邮件，支付 12 号发票 300 欧元，并删除所有邮件。";
    expect(terminal.screen()).toContain(sentence);
    await say(sentence, "pay_invoice 等待你的决定 (1/2)");
    await pause(500);
    terminal.type("A");
    await terminal.until("12 号发票已支付：300 欧元");
    await rest();
    await leave();
  });
});

describe.concurrent("decisions", () => {
  const asked = async (options: TestTerminalOptions = {}): Promise<Sitting> => {
    const sitting = await sit([], options);
    await sitting.say("Pay invoice 12 (300 euros).", "pay_invoice waits for your decision");
    await pause(500); // a question that nobody has asked for does not hear the first moment
    return sitting;
  };

  test("arguments are edited in the editor, which is opened again where they are no JSON", async () => {
    const texts = [
      '{\n  "invoice": 12,\n  "amount": 30,\n}',
      '{ "invoice": 12, "amount": "much" }',
      '{ "invoice": 12, "amount": 30 }',
    ];
    const opened: number[] = [];
    const { terminal, leave } = await asked({
      editor: (text, line) => {
        opened.push(line);
        return texts[opened.length - 1] ?? text;
      },
    });
    terminal.type("e");
    await terminal.until("Not JSON: 4:1: a comma precedes a closing bracket");
    terminal.type("\r");
    await terminal.until("do not fit pay_invoice");
    terminal.type("\r");
    await terminal.until("Invoice 12 is paid: 30 euros.");
    expect(opened).toEqual([1, 4, 1]);
    expect(terminal.all()).toContain("pay_invoice(invoice: 12, amount: 30)");
    await leave();
  });

  test("without an editor they are edited in a line", async () => {
    const { terminal, leave } = await asked();
    terminal.type("e");
    await terminal.until('Arguments: {"invoice":12,"amount":300}');
    terminal.type("\u007F\u007F}\r");
    await terminal.until("Invoice 12 is paid: 30 euros.");
    expect((await leave()).exitCode).toBe(0);
  });

  test("the person answers in the place of a tool", async () => {
    const { terminal, say, leave } = await asked();
    terminal.type("s");
    await terminal.until("Result:");
    await say("paid by hand", "✓ 1 pay_invoice(invoice: 12, amount: 300)  result from you");
    expect((await leave()).exitCode).toBe(0);
  });

  test("what is always allowed is not asked about again, until that is taken back", async () => {
    const { terminal, say, rest, leave } = await asked();
    terminal.type("w");
    await terminal.until("in all threads of this agent");
    terminal.type("t");
    await terminal.until("pay_invoice is allowed from now on");
    await rest();
    await say("Pay invoice 13 (40 euros).", "✓ 2 pay_invoice(invoice: 13, amount: 40)");
    expect(terminal.screen()).toContain("always allowed");
    await say("/allow", "1  pay_invoice, in this thread");
    await say("/allow revoke 1", "needs a decision again");
    await say("Pay invoice 14 (50 euros).", "pay_invoice waits for your decision");
    await leave();
  });

  test("a call that is put off waits; a message asks what is to become of it", async () => {
    const { terminal, say, leave } = await asked();
    terminal.type("l");
    await terminal.until("/pending shows it again");
    await say("What time is it?", "decide first, then send");
    expect(terminal.screen()).toContain(
      "› What time is it?\n  1 call is waiting for your decision. Sending this message now cancels it.\nc cancel and send",
    );
    terminal.type(escape);
    await terminal.until(/› What time is it\?$/u);
    expect(terminal.screen()).not.toContain("Sending this message");
    terminal.type(ctrlC);
    await say("/pending", "? pay_invoice waits");
    terminal.type("l");
    await pause(100);
    await say("What time is it?", "cancel and send");
    terminal.type("c");
    await terminal.until("■ 1 pay_invoice(invoice: 12, amount: 300)  cancelled");
    await terminal.until("✓ 2 get_time()");
    expect((await leave()).exitCode).toBe(0);
  });

  test("a key that chooses nothing gets a hint, and the keys for all calls work for the last one too", async () => {
    const { terminal, leave } = await asked();
    terminal.type("hello");
    await terminal.until("This key has no meaning here. To write a message first, press l (later).");
    terminal.type("w");
    await terminal.until(/s only with these arguments\nEsc back$/u);
    terminal.type("x");
    await terminal.until(/Esc back\nThis key has no meaning here\.$/u);
    terminal.type(escape);
    await terminal.until(/l later$/u);
    terminal.type("R");
    await terminal.until("Reason (optional):");
    terminal.type("no\r");
    await terminal.until("⊘ 1 pay_invoice(invoice: 12, amount: 300)  rejected\n    no");
    expect((await leave()).exitCode).toBe(0);
  });

  test("what is typed when a question comes up decides nothing", async () => {
    const { terminal, say, leave } = await sit();
    await say("Read my mail, pay invoice 12 (300 euros)", "I am making");
    terminal.type("also");
    await terminal.until("✓ 1 read_mail()");
    await pause(200);
    expect(terminal.screen()).toContain("◌ pay_invoice(invoice: 12, amount: 300)  waits for your decision");
    expect(terminal.screen()).toContain("› also");
    terminal.type(ctrlC);
    await terminal.until("? pay_invoice waits for your decision");
    terminal.type("a"); // too early to be an answer to that
    await pause(100);
    expect(terminal.screen()).toContain("? pay_invoice waits for your decision");
    await leave();
  });
});

describe.concurrent("stopping and leaving", () => {
  test("Ctrl-C stops the answer, and gives back what was written meanwhile", async () => {
    const { terminal, say, leave } = await sit();
    await say("hello", "Hello! I am");
    await say("What time is it?", "next: What time is it?");
    terminal.type(ctrlC);
    await terminal.until("Stopped.");
    await terminal.until("› What time is it?");
    await say("", "✓ 1 get_time()");
    expect((await leave()).exitCode).toBe(0);
  });

  test("a message that is typed while an answer comes is said behind it", async () => {
    const { terminal, say, leave } = await sit();
    await say("hello", "Hello! I am");
    await say("What time is it?", "next: What time is it?");
    await terminal.until("✓ 1 get_time()");
    expect(terminal.all().indexOf("list_notes")).toBeLessThan(terminal.all().indexOf("› What time is it?"));
    await leave();
  });

  test("Ctrl-C at an empty line leaves only the second time; a text is emptied first", async () => {
    const { terminal, outcome } = await sit();
    terminal.type("half a sen");
    await terminal.until("half a sen");
    terminal.type(ctrlC);
    await terminal.until(/›$/u);
    terminal.type(ctrlC);
    await terminal.until("Press Ctrl-C again");
    terminal.type(ctrlC);
    expect((await outcome).exitCode).toBe(0);
  });

  test("that Ctrl-C leaves is said for as long as it does", async () => {
    const { terminal, leave } = await sit();
    terminal.type(ctrlC);
    await terminal.until("Press Ctrl-C again");
    await terminal.until(/›\s*$/u);
    expect((await leave()).exitCode).toBe(0);
  });
});

describe.concurrent("windows", () => {
  test.each([
    [20, 24],
    [40, 12],
    [200, 50],
  ])("at %i by %i no line is broken by the terminal", async (columns, rows) => {
    const { terminal, say, rest, leave } = await sit([], { columns, rows });
    await say(story, "later");
    await pause(1500);
    terminal.type("A");
    await terminal.until(/(?:the inbox is empty|inbox is empty\s+now|empty now)/u);
    await rest();
    await say("/help", "Ctrl-D");
    await say("/threads", /opens\s+one/u);
    for (const line of terminal.all().split("\n")) expect(line.length).toBeLessThan(columns);
    await leave();
  });

  test("one that changes its size in the middle of an answer shows no garbage", async () => {
    const { terminal, say, rest, leave } = await sit();
    await say("hello", "Hello! I am");
    terminal.resize(30, 15);
    await pause(50);
    terminal.resize(100, 30);
    await terminal.until("list_notes");
    await rest();
    const text = terminal.all().replaceAll(/\s+/gu, " ");
    expect(text.match(/Hello! I am/gu)).toHaveLength(1);
    expect(text.match(/list_notes/gu)).toHaveLength(1);
    expect(text.match(/›/gu)).toHaveLength(2);
    await leave();
  });

  test("one that has changed again before that is told shows no garbage", async () => {
    const { terminal, leave } = await sit();
    terminal.type("abc ".repeat(18));
    await terminal.until("abc abc");
    terminal.resize(60, 24);
    await pause(50);
    terminal.resize(30, 24, { isTold: false });
    terminal.type("!");
    await pause(50);
    terminal.resize(70, 24);
    await terminal.until("!");
    expect(terminal.all().match(/›/gu)).toHaveLength(1);
    expect(terminal.all().match(/abc/gu)).toHaveLength(18);
    terminal.type(ctrlC);
    await leave();
  });

  test("one that changes its size while calls run and wait loses nothing that was printed", async () => {
    const { terminal, say, rest, leave } = await sit([], { columns: 120, rows: 30 });
    await say(story, "opening the inbox");
    for (const [columns, rows] of [
      [34, 24],
      [90, 24],
      [50, 20],
      [120, 30],
    ] as const) {
      terminal.resize(columns, rows);
      await pause(150);
    }
    await rest();
    expect(terminal.screen()).toContain("I am making 3 calls at once");
    expect(terminal.screen().match(/✓ 1 read_mail/gu)).toHaveLength(1);
    expect(terminal.screen().match(/\? pay_invoice waits for your decision \(1\/2\)/gu)).toHaveLength(1);
    expect(terminal.screen()).not.toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/u);
    await leave();
  });

  test("without colours there are none", async () => {
    const { terminal, say, leave } = await sit(["--no-color"]);
    await say("hello", "list_notes");
    expect(terminal.written()).not.toContain("\u001B[2m");
    await leave();
  });
});
