import { createAgent, tool } from "#engine";
import type { AgentOptions, Thread } from "#engine";
import { demoModel } from "#model";
import type { Model, ModelRequest } from "#model";
import { memoryStore } from "#store";
import { describe, expect, test } from "vitest";

import { afterDeath } from "./after-death.ts";
import { faultsOf } from "./health.ts";
import { chatOf } from "./recorded.ts";

/** The demo model, and what it was asked. */
function watchedModel(): Model & { readonly requests: ModelRequest[] } {
  const model = demoModel({ pace: 0 });
  const requests: ModelRequest[] = [];
  return {
    name: model.name,
    requests,
    stream(request) {
      requests.push(request);
      return model.stream(request);
    },
  };
}

const transferInput = {
  type: "object",
  properties: { to: { type: "string" }, amount: { type: "number" } },
  required: ["to", "amount"],
} as const;
const mailInput = { type: "object", properties: { id: { type: "string" } }, required: ["id"] } as const;
const zoneInput = { type: "object", properties: { timezone: { type: "string", description: "时区" } } } as const;

const gettime = tool({
  name: "gettime",
  description: "获取当前时间",
  input: zoneInput,
  execute: ({ timezone = "Asia/Shanghai" }) => ({ time: "2026-05-03 18:00:00", timezone }),
});
const readMail = tool({
  name: "read_mail",
  description: "Reads the newest mail.",
  execute: () => "Invoice 12: 300 euros, due on Friday.",
});

interface Stage {
  readonly thread: Thread;
  readonly model: ReturnType<typeof watchedModel>;
  /** What ran, with its arguments. */
  readonly ran: string[];
  /** All that is wrong with the thread, or with what the model was asked, in any format. */
  readonly faults: () => Promise<readonly string[]>;
}

function createStage(options: Partial<AgentOptions> = {}): Stage {
  const ran: string[] = [];
  const model = watchedModel();
  const store = memoryStore();
  const transfer = tool({
    name: "transfer",
    description: "Transfers money.",
    input: transferInput,
    approval: true,
    execute: ({ to, amount }) => {
      ran.push(`transfer ${to} ${amount}`);
      return "Done.";
    },
  });
  const deleteMail = tool({
    name: "delete_mail",
    description: "Deletes a mail.",
    input: mailInput,
    approval: true,
    execute: ({ id }) => void ran.push(`delete ${id}`),
  });
  const agent = createAgent({ model, store, tools: [gettime, readMail, transfer, deleteMail], ...options });
  return { thread: agent.thread("t"), model, ran, faults: () => faultsOf(store, model.requests) };
}

test("现在几点钟？ is answered in Chinese, by the tool", async () => {
  const { thread, faults } = createStage({ instructions: "你是一个健康助手。" });
  const { status, text, usage } = await thread.send("现在几点钟？").result;
  expect({ status, text }).toEqual({ status: "done", text: "现在是 2026-05-03 18:00:00（Asia/Shanghai）。" });
  expect(usage.totalTokens).toBeGreaterThan(0);
  expect(await faults()).toEqual([]);
});

describe("approvals", () => {
  test("one is approved, one is rejected, one stays pending until a message supersedes it", async () => {
    const { thread, ran, faults } = createStage();
    const waiting = await thread.send("Read my mail, transfer 300 euros to ACME and delete mail 4 and mail 5").result;
    expect(waiting.status).toBe("waiting");
    expect(waiting.pending.map(({ name, arguments: args }) => [name, args])).toEqual([
      ["transfer", { to: "ACME", amount: 300 }],
      ["delete_mail", { id: "4" }],
      ["delete_mail", { id: "5" }],
    ]);
    const [pay = "", first = ""] = waiting.pending.map(({ id }) => id);
    const decided = await thread.decide({ [pay]: { type: "approve" }, [first]: { type: "reject", reason: "keep it" } })
      .result;
    expect(decided).toMatchObject({ status: "waiting", pending: [{ name: "delete_mail", arguments: { id: "5" } }] });
    const { status, text } = await thread.send("What time is it in Tokyo?").result;
    expect({ status, text }).toEqual({ status: "done", text: "It is 2026-05-03 18:00:00 (Asia/Tokyo)." });
    expect(ran).toEqual(["transfer ACME 300"]);
    const said = (await chatOf(thread)).flatMap(({ role, content }) => (role === "assistant" ? [content] : []));
    expect(said[1]).toBe(
      [
        "- `read_mail` returned: Invoice 12: 300 euros, due on Friday.",
        "- `transfer` returned: Done.",
        "- You rejected `delete_mail` (“keep it”), so it did not run.",
        "- `delete_mail` did not succeed: Tool call delete_mail with id call_demo_4 was cancelled - another message came in before it could be completed.",
        "Write what to change if you want it done differently.",
        "",
        "I am calling `gettime`.",
      ].join("\n"),
    );
    expect(await faults()).toEqual([]);
  });

  test("a rejected call is reported, and not repeated", async () => {
    const { thread, ran, faults } = createStage({ language: "zh" });
    await thread.send("给张三转账300元").result;
    const { status, text } = await thread.rejectAll("太多了").result;
    expect({ status, text }).toEqual({
      status: "done",
      text: "你拒绝了 `transfer`（“太多了”），所以它没有执行。如果想换一种做法，请告诉我要改什么。",
    });
    expect(ran).toEqual([]);
    expect(await faults()).toEqual([]);
  });

  test("a sum that was read is paid in the next turn", async () => {
    const { thread, ran } = createStage();
    const { pending } = await thread.send("Read my mail, then pay ACME").result;
    expect(pending.map(({ arguments: args }) => args)).toEqual([{ to: "ACME", amount: 300 }]);
    await thread.approveAll().result;
    expect(ran).toEqual(["transfer ACME 300"]);
  });
});

test("an error is reported, and the call is not repeated", async () => {
  let tried = 0;
  const heating = tool({
    name: "set_heating",
    description: "Sets the level of the heating.",
    input: { type: "object", properties: { level: { type: "integer" } }, required: ["level"] } as const,
    execute: () => {
      tried += 1;
      throw new Error("The boiler is broken.");
    },
  });
  const { thread } = createStage({ tools: [heating] });
  const { text } = await thread.send("Set the heating to level 3").result;
  expect([text, tried]).toEqual(["`set_heating` did not succeed: The boiler is broken.", 1]);
});

test("a call that ran when the process ended has an unknown outcome, and is not repeated", async () => {
  const store = memoryStore();
  const begun = Promise.withResolvers<void>();
  const pay = tool({
    name: "pay_invoice",
    description: "Pays the invoice.",
    execute: () => {
      begun.resolve();
      return new Promise<never>(() => undefined);
    },
  });
  const dying = createAgent({ model: watchedModel(), store, tools: [pay] }).thread("t");
  void dying.send("Pay the invoice").result.catch(() => undefined);
  await begun.promise;
  const agent = createAgent({ model: watchedModel(), store: afterDeath(store), tools: [pay] });
  const { text = "" } = (await (await agent.thread("t").recover())?.result) ?? {};
  expect(text).toMatch(/^The outcome of `pay_invoice` is unknown: /u);
  expect(text).not.toContain("did not succeed");
});

test("a final answer in a form is given", async () => {
  const output = {
    type: "object",
    properties: { answer: { type: "string" }, timezone: { type: "string" } },
    required: ["answer", "timezone"],
  } as const;
  const { thread, faults } = createStage({ output });
  expect(await thread.send("What time is it in Tokyo?").result).toMatchObject({
    status: "done",
    output: { answer: "It is 2026-05-03 18:00:00 (Asia/Tokyo).", timezone: "Asia/Tokyo" },
  });
  expect(await faults()).toEqual([]);
});

test("it stops the moment that it is stopped, and what was said stays", async () => {
  const model = demoModel({ pace: 30 });
  const thread = createAgent({ model, tools: [gettime] }).thread("t");
  const run = thread.send("Hello");
  let said = "";
  for await (const { type, data } of run) {
    if (type !== "text_delta") continue;
    said += data.text;
    void run.stop();
  }
  const { status } = await run.result;
  expect(status).toBe("stopped");
  expect(said.length).toBeLessThan(100);
  expect((await chatOf(thread)).at(-1)).toMatchObject({ role: "assistant", content: said });
  expect((await thread.send("What time is it?").result).text).toMatch(/^It is 2026/u);
});

test("without tools it talks", async () => {
  const { thread, faults } = createStage({ tools: [], instructions: "You are Ada, a librarian." });
  expect((await thread.send("Hi!").result).text).toMatch(/^Hello! I am Ada, played by Undangle's demo model/u);
  expect((await thread.send("给我讲个笑话").result).text).toMatch(/^你说的是：“给我讲个笑话”。/u);
  expect(await faults()).toEqual([]);
});
