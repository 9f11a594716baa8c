import { check, repair } from "#codecs";
import { createAgent, tool } from "#engine";
import type { AgentOptions } from "#engine";
import { scriptedModel } from "#testing";
import { describe, expect, test } from "vitest";

import { chatOf, toldOf } from "../engine/recorded.ts";

/** An agent whose model calls `pay` with arguments of these texts, one turn after the other, and what the tool got. */
function stage(raws: readonly string[], more: Partial<AgentOptions> = {}) {
  const ran: unknown[] = [];
  const pay = tool({
    name: "pay",
    description: "Pays.",
    input: { type: "object" },
    execute: (args) => (ran.push(args), "paid"),
  });
  const model = scriptedModel(raws.flatMap((raw) => [{ calls: [{ name: "pay", raw }] }, { text: "Done." }]));
  const agent = createAgent({ name: "clerk", model, tools: [pay], ...more });
  return { thread: agent.thread("t"), ran };
}

const gated = { approvals: [{ tools: "pay" }] };

describe("a number that JSON cannot hold never runs, and nobody is asked about it:", () => {
  test.each<readonly [string, string, string]>([
    ["1e999", '{"amount":1e999}', "`amount`: 1e999"],
    ["-1e999", '{"amount":-1e999}', "`amount`: -1e999"],
    ["1E+400", '{"a":{"b":[0,1E+400]}}', "`a.b[1]`: 1E+400"],
    ["many digits", `{"n":${"9".repeat(400)}}`, `\`n\`: ${"9".repeat(40)}…`],
    ["in a text of JSON", JSON.stringify('{"amount":1e999}'), "`amount`: 1e999"],
    ["beside a key that looks like it", '{"1e999":"1e999","n":[1e999]}', "`n[0]`: 1e999"],
  ])("%s", async (_, raw, problem) => {
    for (const options of [{}, gated]) {
      const { thread, ran } = stage([raw], options);
      const end = await thread.send("Go.").result;
      expect([end.status, end.pending, ran]).toEqual(["done", [], []]);
      expect((await toldOf(thread))["pay"]).toBe(
        `pay was not executed - its arguments do not fit:\n- ${problem} is too large for a number`,
      );
      const [call] = await thread.calls();
      expect(call?.status).toBe("failed");
      expect(JSON.stringify(call?.arguments)).not.toContain("null");
      const chat = await chatOf(thread);
      expect(check(chat, { format: "openai-chat" })).toEqual([]);
      expect(repair(chat, { format: "openai-chat" }).edits).toEqual([]);
    }
  });

  test("in an edit of a person", async () => {
    const { thread, ran } = stage(['{"amount":1}'], gated);
    await thread.send("Go.").result;
    const { error } = await thread.decide({ call_1: { type: "edit", arguments: { amount: Infinity } } }).result;
    expect(error?.code).toBe("decision/refused");
    expect(ran).toEqual([]);
  });

  test("in a call that was imported while it waited", async () => {
    const { thread, ran } = stage([], gated);
    const functionCall = { id: "a", name: "pay", arguments: '{"amount":1e999}' };
    const tool_calls = [{ id: "a", type: "function", function: { name: "pay", arguments: functionCall.arguments } }];
    const messages = [
      { role: "user", content: "Pay." },
      { role: "assistant", content: null, tool_calls },
    ];
    await thread.import({ messages, pendingAction: { functionCall } }, { format: "openai-chat" });
    await thread.approveAll().result;
    expect(ran).toEqual([]);
  });

  test("in a final answer that is written as text", async () => {
    const output = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const;
    const model = scriptedModel([{ text: '{"n":1e999}' }, { text: '{"n":1}' }]);
    const end = await createAgent({ model, output }).thread("t").send("Go.").result;
    expect(end.output).toEqual({ n: 1 });
  });
});

describe("what is shown is what runs:", () => {
  test.each<readonly [string, string, readonly object[]]>([
    [
      "beyond 53 bits",
      '{"amount":9007199254740993}',
      [{ path: "amount", written: "9007199254740993", runs: "9007199254740992" }],
    ],
    [
      "negative",
      '{"a":[-9007199254740993]}',
      [{ path: "a[0]", written: "-9007199254740993", runs: "-9007199254740992" }],
    ],
    [
      "a decimal",
      '{"a":{"b c":0.12345678901234567890}}',
      [{ path: 'a["b c"]', written: "0.12345678901234567890", runs: "0.12345678901234568" }],
    ],
    ["so small that it is zero", '{"n":1e-400}', [{ path: "n", written: "1e-400", runs: "0" }]],
    [
      "with a decimal point in the middle",
      '{"n":123456789.123456789012}',
      [{ path: "n", written: "123456789.123456789012", runs: "123456789.12345679" }],
    ],
    [
      "in a text of JSON",
      JSON.stringify('{"n":12345678901234567890}'),
      [{ path: "n", written: "12345678901234567890", runs: "12345678901234567000" }],
    ],
  ])("a number that a tool gets as another one is marked, with the text: %s", async (_, raw, inexact) => {
    const { thread, ran } = stage([raw], gated);
    const events: unknown[] = [];
    const run = thread.send("Go.");
    for await (const { type, data } of run) if (type === "approval_required") events.push(data);
    const { pending } = await run.result;
    const text = raw.startsWith('"') ? (JSON.parse(raw) as string) : raw;
    expect(pending).toMatchObject([{ raw: text, inexact }]);
    expect(JSON.parse(JSON.stringify(events))).toEqual(JSON.parse(JSON.stringify(pending)));
    expect(await thread.pending()).toEqual(pending);
    expect(await thread.calls()).toMatchObject([{ raw: text, inexact }]);
    await thread.approveAll().result;
    expect(ran).toStrictEqual([JSON.parse(JSON.stringify(pending[0]?.arguments))]);
  });

  test.each([
    '{"n":0.1}',
    '{"n":1.0}',
    '{"n":1e3}',
    '{"n":1e23}',
    '{"n":9007199254740992}',
    '{"n":100000000000000000000}',
    '{"n":0.000}',
    '{"n":"9007199254740993"}',
    '{"9007199254740993":1}',
    '{"id":"3e55"}',
  ])("a number that stays what it is has no mark: %s", async (raw) => {
    const { thread } = stage([raw], gated);
    const [call] = (await thread.send("Go.").result).pending;
    expect([call?.raw, call?.inexact]).toEqual([undefined, undefined]);
  });

  test.each(['{"n":-0}', '{"n":-0.0,"list":[-0e5,{"m":-1e-400}]}'])("a negative zero runs as zero: %s", async (raw) => {
    for (const options of [{}, gated]) {
      const { thread, ran } = stage([raw], options);
      const { pending } = await thread.send("Go.").result;
      const shown = JSON.parse(JSON.stringify((await thread.calls())[0]?.arguments)) as unknown;
      if (pending.length > 0) await thread.approveAll().result;
      expect(ran).toStrictEqual([shown]);
    }
  });
});

describe("always, for the same arguments,", () => {
  test.each<readonly [string, string, "waits" | "runs"]>([
    ['{"n":9007199254740992}', '{"n":9007199254740993}', "waits"],
    ['{"n":9007199254740993}', '{"n":9007199254740992}', "waits"],
    ['{"n":9007199254740993}', '{ "n" : 9007199254740993 }', "runs"],
    ['{"n":9007199254740993}', '{"n":9007199254740993.0}', "runs"],
    ['{"n":0.1}', '{"n":0.1000000000000000055}', "waits"],
    ['{"n":0}', '{"n":1e-400}', "waits"],
    ['{"n":1e2}', '{"n":100.0}', "runs"],
    ['{"a":1,"b":2}', '{"b":2,"a":1}', "runs"],
  ])("given for %s: %s %s", async (first, second, outcome) => {
    for (const scope of ["thread", "agent"] as const) {
      const { thread } = stage([first, second], gated);
      await thread.send("Go.").result;
      await thread.decide({ call_1: { type: "approve", always: { match: "arguments", scope } } }).result;
      const { status } = await thread.send("Again.").result;
      expect(status).toBe(outcome === "waits" ? "waiting" : "done");
    }
  });

  test("an allowance for a number that runs as another one says so", async () => {
    for (const scope of ["thread", "agent"] as const) {
      const { thread } = stage(['{"n":9007199254740993}'], gated);
      await thread.send("Go.").result;
      await thread.decide({ call_1: { type: "approve", always: { match: "arguments", scope } } }).result;
      expect(await thread.allowed()).toMatchObject([{ raw: '{"n":9007199254740993}', inexact: [{ path: "n" }] }]);
    }
  });
});

test("arguments by a model that was written by hand are what their text says", async () => {
  const model = scriptedModel([{ calls: [{ name: "pay", arguments: { n: 1 }, raw: '{"n":2}' }] }, { text: "Done." }]);
  const { thread, ran } = stage([], { ...gated, model });
  const [call] = (await thread.send("Go.").result).pending;
  await thread.approveAll().result;
  expect(ran).toEqual([call?.arguments]);
});
