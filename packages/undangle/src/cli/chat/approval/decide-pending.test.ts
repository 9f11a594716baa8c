import { setTimeout as pause } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { createAgent, tool } from "#engine";
import type { AgentOptions, Thread } from "#engine";
import { memoryStore } from "#store";
import { scriptedModel } from "#testing";

import { openDesk } from "../desk.ts";
import type { Desk } from "../desk.ts";
import { createManner } from "../manner.ts";
import { createTerminal } from "../terminal.fixture.ts";
import type { TestTerminal } from "../terminal.fixture.ts";
import { showEvent } from "../view/show-event.ts";
import { newView } from "../view/view.ts";
import { createApprover } from "./approver.ts";

let close = (): void => {};
afterEach(() => close());

interface Table {
  readonly terminal: TestTerminal;
  readonly thread: Thread;
  /** Asks, as `/pending` does, or because a call seems to wait. */
  readonly ask: (isSudden?: boolean) => Promise<void>;
}

/** A thread in which one call of `run` waits, and a desk that hears of it. */
async function sit(
  args: Readonly<Record<string, unknown>> | string,
  { isSent = false, ...options }: Partial<AgentOptions> & { readonly isSent?: boolean } = {},
): Promise<Table> {
  const manner = createManner({ language: "en", isAsked: true, paint: (_, text) => text, by: "ann" });
  const terminal = createTerminal({ columns: 60, rows: 20 });
  const idle = (): void => {};
  const desk: Desk = openDesk({
    terminal,
    now: () => performance.now(),
    face: () => manner.face(terminal.columns, terminal.rows),
    view: newView(),
    history: [],
    complete: () => [],
    queued: () => [],
    listener: { said: idle, touched: idle, interrupted: idle, left: idle },
  });
  const run = tool({
    name: "run",
    description: "Runs something.",
    input: { type: "object" },
    execute: () => "it ran",
  });
  const call = typeof args === "string" ? { name: "run", raw: args } : { name: "run", arguments: args };
  const model = scriptedModel([{ calls: [call] }, { text: "Well." }]);
  const agent = createAgent({ model, tools: [run], approvals: [{ tools: "run" }], ...options });
  const thread = agent.thread("t");
  if (!isSent) await thread.send("Run it.").result;
  const watch = async (): Promise<undefined> => undefined;
  const approver = createApprover({ desk, manner, thread: () => thread, watch });
  const listening = new AbortController();
  void (async () => {
    for await (const event of thread.events({ after: 0, signal: listening.signal })) {
      desk.show((view, face) => showEvent(view, event, { face, at: performance.now() }));
      approver.heard(event);
    }
  })();
  close = () => {
    listening.abort();
    desk.close();
  };
  await pause(50);
  return { terminal, thread, ask: (isSudden) => approver.ask(isSudden) };
}

test("the reason of the rule is shown, and nothing in it steers the terminal", async () => {
  const approvals = [{ tools: "run", reason: "Commands cannot be undone. \u001B[2J" }];
  const { terminal, ask } = await sit({ flag: true }, { approvals });
  void ask();
  await terminal.until("a approve");
  expect(terminal.all()).toContain("Commands cannot be undone.");
  expect(terminal.all()).not.toContain("undone. \u001B[2J");
});

test("all of the arguments are shown, however long they are, and nothing in them steers the terminal", async () => {
  const script = Array.from({ length: 40 }, (_, line) => `line ${line} \u001B[2J`).join("\n");
  const { terminal, ask } = await sit({ script, flag: true });
  void ask();
  await terminal.until("a approve");
  for (let line = 0; line < 40; line++) expect(terminal.all()).toContain(`line ${line} \\x1b[2J`);
  expect(terminal.all()).toContain("flag: true");
});

test("a number that runs as another one is marked, and the text of the arguments is shown", async () => {
  const { terminal, ask } = await sit('{"amount":9007199254740993}');
  void ask();
  await terminal.until("a approve");
  expect(terminal.all()).toContain("amount: 9007199254740992");
  expect(terminal.all()).toContain("! amount is written as 9007199254740993 but runs as");
  expect(terminal.all()).toContain('! {"amount":9007199254740993}');
});

test("a window that becomes too low for them has them printed above the question", async () => {
  const args = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`argument${i}`, i]));
  const { terminal, thread, ask } = await sit(args);
  void ask();
  await terminal.until("a approve");
  expect(terminal.screen()).toContain("argument0: 0");
  for (const [columns, rows] of [
    [30, 10],
    [60, 20],
    [24, 9],
  ] as const) {
    terminal.resize(columns, rows);
    await pause(400);
  }
  expect(terminal.screen()).toContain("l later");
  const whole = Object.keys(args).map((name, i) => `  ${name}: ${i}`);
  expect(terminal.all()).toContain(`${whole.join("\n")}\n\n? run waits`);
  terminal.type("r");
  await terminal.until("Reason (optional):");
  terminal.type("\r");
  await terminal.until("⊘ 1 run(");
  expect(await thread.pending()).toEqual([]);
});

test("that nothing waits is said to those who asked for it, and not behind the last decision", async () => {
  const { terminal, thread, ask } = await sit({});
  await thread.approveAll().result;
  await ask(true);
  await pause(50);
  expect(terminal.all()).not.toContain("Nothing waits");
  await ask();
  await terminal.until("There are no pending calls.");
});

test("only what the rule allows is offered, and no other key does anything", async () => {
  const { terminal, thread, ask } = await sit(
    {},
    { approvals: [{ tools: "run", decisions: ["reject"], always: false }] },
  );
  void ask();
  await terminal.until("r reject · l later");
  terminal.type("a");
  terminal.type("w");
  await pause(100);
  expect(await thread.pending()).toHaveLength(1);
});

test("a call that is decided elsewhere is asked about no more, and that is said", async () => {
  const { terminal, thread, ask } = await sit({});
  const asking = ask();
  await terminal.until("a approve");
  await thread.rejectAll("not here").result;
  await asking;
  await terminal.until("run is no longer pending: it is rejected.");
  expect(terminal.screen()).not.toContain("a approve");
});

test("a call that expires is asked about no more, and that is said", async () => {
  const { terminal, ask } = await sit({}, { approvals: [{ tools: "run", expiresAfter: 2500 }] });
  await ask();
  expect(new Set(terminal.written().match(/expires in \d s/gu)).size).toBeGreaterThan(1);
  await terminal.until("run is no longer pending: it is expired.");
  expect(terminal.screen()).toContain("■ 1 run()  expired");
});

test("who decides is kept", async () => {
  const { terminal, thread, ask } = await sit({});
  const asking = ask();
  await terminal.until("a approve");
  terminal.type("a");
  await asking;
  await terminal.until("✓ 1 run()");
  expect((await thread.calls())[0]?.decision).toMatchObject({ type: "approve", by: "ann" });
});

test("a call of another agent states why it cannot be approved, and offers the other decisions", async () => {
  const store = memoryStore();
  const model = scriptedModel([{ calls: [{ name: "run", arguments: {} }] }]);
  const run = tool({ name: "run", description: "Runs something.", approval: true, execute: () => "it ran" });
  await createAgent({ name: "sandbox", store, model, tools: [run] })
    .thread("t")
    .send("Run it.").result;
  const { terminal, ask } = await sit({}, { name: "production", store, tools: [run], approvals: [], isSent: true });
  void ask();
  await terminal.until("r reject");
  expect(terminal.all()).toContain("Cannot be approved here: the agent sandbox requested");
  expect(terminal.all()).not.toContain("a approve");
});
