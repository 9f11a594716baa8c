import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

import { runIn } from "../../memory-io.fixture.ts";

const story = "Read my mail, pay invoice 12 (300 euros) and delete all mail.";
let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "undangle-plain-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const chat = (stdin: string, ...args: readonly string[]) => runIn({ stdin, folder }, "chat", ...args);

/** The exit code of a signal that arrives while the mail of the thread is read. */
const stopWhileReading = (thread: string, code: number): Promise<number> =>
  vi.waitUntil(
    async () => (await runIn({ folder }, "threads", "show", thread, "--json")).stdout.includes("read_mail") && code,
    { timeout: 10_000 },
  );
let threads = 0;
const newThread = (): string => `stopped-${++threads}`;

interface Line {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}
const linesOf = (stdout: string): readonly Line[] =>
  stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line); // what the program has written

describe("in lines", () => {
  test("each line is a message, and stdout has nothing but answers", async () => {
    const { exitCode, stdout, stderr } = await chat("What time is it?\n\nhello\n");
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^I am calling `get_time`\.\nIt is .*\nHello! I am Undangle's demo model/u);
    expect(stderr).toContain("✓ 1 get_time()");
  });

  test("MESSAGE is one message, whatever stdin has, and a dash is what stdin has", async () => {
    expect((await chat("hello", "What", "time", "is", "it?")).stdout).toMatch(/^I am calling `get_time`/u);
    const { stderr } = await chat("What time is it?", "Tell me:", "-", "--quiet");
    expect(stderr).toBe("");
  });

  test("calls that wait end it with 3, and stderr says which and how to decide", async () => {
    const { exitCode, stderr } = await chat(`${story}\nhello\nbye\n`, "--thread", "waiting");
    expect(exitCode).toBe(3);
    expect(stderr).toContain('call_2 pay_invoice {"invoice":12,"amount":300}');
    expect(stderr).toContain("undangle threads decide waiting --approve call_2");
    expect(stderr).toContain("2 later messages were not sent.");
    const again = await chat("hello\n", "--thread", "waiting");
    expect(again).toMatchObject({ exitCode: 3, stdout: "" });
    expect(again.stderr).toContain("1 later message was not sent.");
  });

  test.each([[], ["--json"]])("told to end, it stops what goes on, and the thread can go on (%j)", async (...flags) => {
    const id = newThread();
    const stopped = stopWhileReading(id, 130);
    const stdin = flags.length === 0 ? `${story}\n` : `${JSON.stringify({ message: story })}\n`;
    const { exitCode } = await runIn({ stdin, folder, stopped }, "chat", "--thread", id, ...flags);
    expect(exitCode).toBe(130);
    const { stdout } = await runIn({ folder }, "threads", "show", id, "--json");
    const { status, calls } = JSON.parse(stdout) as { status: string; calls: readonly { status: string }[] }; // as the help says
    expect(status).toBe("idle");
    expect(calls.filter((call) => ["lost", "running", "awaiting"].includes(call.status))).toEqual([]);
  });

  test("--approve all lets them run, --approve none rejects them", async () => {
    const all = await chat("hello\n", "--thread", "waiting", "--approve", "all");
    expect(all).toMatchObject({ exitCode: 0 });
    expect(all.stdout).toContain("Invoice 12 is paid: 300 euros.");
    const none = await chat(`${story}\n`, "--approve=none");
    expect(none).toMatchObject({ exitCode: 0 });
    expect(none.stdout).toContain("You rejected `pay_invoice` (“it cannot be approved here”)");
  });

  test("a payment beyond the balance fails, and the reply says why", async () => {
    const { exitCode, stdout } = await chat("", "--approve", "all", "Pay invoice 13 (5000 euros).");
    expect(exitCode).toBe(0);
    expect(stdout).toContain(
      "`pay_invoice` did not succeed: The account has 1000 euros, so 5000 euros cannot be paid.",
    );
  });

  test.each([
    [["--model", "nothing"], /"nothing"/u],
    [["--agent", "nobody"], /nobody/u],
    [["--store", "ftp://host"], /store/u],
    [["--approve", "some"], /Known: all, none/u],
  ])("%j is refused before anything is said", async (args, message) => {
    const { exitCode, stdout, stderr } = await chat("hello\n", ...args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toMatch(message);
  });

  test("--approve none tells the model why in the language of the config, and not of the person", async () => {
    const tool = `{ name: "pay_invoice", description: "Pays an invoice.", schema: { type: "object" }, approval: false,
      idempotent: false, retries: { times: 0, delay: 0 }, validate: (value) => ({ ok: true, value }), execute: () => "" }`;
    const own = mkdtempSync(join(tmpdir(), "undangle-plain-"));
    writeFileSync(
      join(own, "undangle.config.mjs"),
      `export default { agents: { clerk: { tools: [${tool}], approvals: [{ tools: "pay_invoice" }] } } };`,
    );
    const world = { folder: own, env: { LANG: "zh_CN.UTF-8" } };
    await runIn(world, "chat", "--approve", "none", "--thread", "t", "Pay invoice 12.");
    const { stdout } = await runIn(world, "threads", "show", "t");
    expect(stdout).toContain("it cannot be approved here");
    expect(stdout).not.toContain("没有人");
    rmSync(own, { recursive: true });
  });

  test("where nothing can be kept in the folder, it says what to do", async () => {
    const own = mkdtempSync(join(tmpdir(), "undangle-plain-"));
    writeFileSync(join(own, ".undangle"), "");
    const { exitCode, stderr } = await runIn({ folder: own }, "chat", "hello");
    expect(exitCode).toBe(2);
    expect(stderr).toContain("its folder does not exist, or is a file.");
    expect(stderr).toContain("--store PATH, or only in memory with --store memory.");
    rmSync(own, { recursive: true });
  });

  test("a decision needs no message", async () => {
    await chat("Pay invoice 12 (300 euros).\n", "--thread", "decided");
    expect(await chat("", "--thread", "decided", "--approve", "all")).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining("Invoice 12 is paid") as unknown,
      stderr: expect.stringContaining("pay_invoice(invoice: 12, amount: 300)") as unknown,
    });
  });

  test("calls that wait in a thread that is not stored are decided by the same command", async () => {
    const { exitCode, stderr } = await chat("Pay invoice 12 (300 euros).\n", "--store", "memory");
    expect(exitCode).toBe(3);
    expect(stderr).toContain("--approve all or --approve none, or a file as --store");
    expect(stderr).not.toContain("threads decide");
  });

  test("nothing to say is a mistake", async () => {
    expect(await chat("")).toMatchObject({ exitCode: 2, stdout: "" });
  });

  test("it speaks Chinese", async () => {
    const { stderr } = await chat("", "--language", "zh");
    expect(stderr).toContain("没有消息");
  });
});

describe("in JSON", () => {
  test("messages and decisions go in, events come out", async () => {
    const first = await chat(`${JSON.stringify({ message: story })}\n`, "--json", "--thread", "json");
    expect(first.exitCode).toBe(3);
    const events = linesOf(first.stdout);
    expect(events[0]).toEqual({
      type: "thread",
      data: { id: "json", agent: "demo", model: "demo", store: ".undangle/threads.db" },
    });
    expect(events.filter(({ type }) => type === "approval_required").map(({ data }) => data["id"])).toEqual([
      "call_2",
      "call_3",
    ]);
    expect(events.at(-1)).toMatchObject({ type: "run_end", data: { status: "waiting" } });
    const decisions = { call_2: { type: "approve" }, call_3: { type: "reject", reason: "I keep my mail" } };
    const second = await chat(`${JSON.stringify({ decide: decisions })}\n`, "--json", "--thread", "json");
    expect(second.exitCode).toBe(0);
    const ends = linesOf(second.stdout).filter(({ type }) => type === "tool_call_end");
    expect(ends.map(({ data }) => `${String(data["id"])} ${String(data["status"])}`).toSorted()).toEqual([
      "call_2 succeeded",
      "call_3 rejected",
    ]);
  });

  test("what is no command is told with its line, and the rest is done", async () => {
    const input = '{"message": "hello"\n{"mesage": "hello"}\n\n{"stop": true}\n{"message": "hello"}\n';
    const { exitCode, stdout, stderr } = await chat(input, "--json");
    expect(exitCode).toBe(2);
    expect(stderr).toContain("line 1 of stdin:");
    expect(
      linesOf(stdout)
        .filter(({ type }) => type === "input_error")
        .map(({ data }) => data["line"]),
    ).toEqual([1, 2]);
    expect(linesOf(stdout).at(-1)).toMatchObject({ type: "run_end", data: { status: "done" } });
  });

  test("a reader that goes away ends it quietly", async () => {
    const outcome = await runIn({ stdin: '{"message":"hello"}\n', folder, stdoutBreaksAfter: 400 }, "chat", "--json");
    expect(outcome).toMatchObject({ exitCode: 0, stderr: "" });
    const inLines = await runIn({ stdin: "hello\n", folder, stdoutBreaksAfter: 20 }, "chat", "--quiet");
    expect(inLines).toMatchObject({ exitCode: 0, stderr: "" });
  });

  test("a decision that cannot be taken is told as the end of a run that did not begin", async () => {
    const { exitCode, stdout } = await chat('{"decide": {"call_9": {"type": "approve"}}}\n', "--json");
    expect(exitCode).toBe(1);
    expect(linesOf(stdout).at(-1)).toMatchObject({ type: "run_end", data: { error: { code: "decision/refused" } } });
  });
});

describe("told to end", () => {
  test("in lines it stops the run, says nothing more, and its exit code is that of the signal", async () => {
    const stdin = "Read my mail\nWhat time is it?\n";
    const id = newThread();
    const stopped = stopWhileReading(id, 143);
    const outcome = await runIn({ stdin, folder, stopped }, "chat", "--thread", id);
    expect(outcome.exitCode).toBe(143);
    const { stdout } = await runIn({ folder }, "threads", "show", id, "--json");
    expect(JSON.parse(stdout)).toMatchObject({ status: "idle", calls: [{ name: "read_mail", status: "stopped" }] });
    expect(stdout).not.toContain("What time");
  });

  test("in JSON it also tells what became of the run", async () => {
    const stdin = `${JSON.stringify({ message: "Read my mail" })}\n${JSON.stringify({ message: "hello" })}\n`;
    const id = newThread();
    const stopped = stopWhileReading(id, 130);
    const { exitCode, stdout } = await runIn({ stdin, folder, stopped }, "chat", "--json", "--thread", id);
    expect(exitCode).toBe(130);
    expect(linesOf(stdout).at(-1)).toMatchObject({ type: "run_end", data: { status: "stopped" } });
    expect(linesOf(stdout).filter(({ type }) => type === "run_start")).toHaveLength(1);
  });

  test("calls that only wait for a decision go on waiting", async () => {
    await chat("", "--thread", "patient", "Pay invoice 12 (300 euros).");
    const stopped = Promise.resolve(130);
    expect((await runIn({ stdin: "", folder, stopped }, "chat", "--json", "--thread", "patient")).exitCode).toBe(130);
    expect((await runIn({ folder }, "threads", "list", "--status", "waiting")).stdout).toContain("patient");
  });
});
