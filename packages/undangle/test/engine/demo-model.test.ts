import { createAgent, tool } from "#engine";
import type { AgentOptions, Thread } from "#engine";
import { demoModel } from "#model";
import type { Model, ModelRequest } from "#model";
import { memoryStore } from "#store";
import { describe, expect, test } from "vitest";

import { faultsOf } from "./health.ts";
import { chatOf } from "./recorded.ts";

/** The demo model, and what it was asked. */
function watchedModel(): Model & { readonly requests: ModelRequest[] } {
  const model = demoModel({ pace: 0, now: () => Date.UTC(2026, 4, 3) });
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
        "- `read_mail` says: Invoice 12: 300 euros, due on Friday.",
        "- `transfer` says: Done.",
        "- You rejected `delete_mail(4)` (“keep it”), so it did not run, and I will not ask for it again.",
        "- `delete_mail(5)` was cancelled, because your next message came before it was completed.",
        "If you want it done differently, tell me what to change, for example `id`.",
        "",
        "I am calling `gettime`.",
      ].join("\n"),
    );
    expect(await faults()).toEqual([]);
  });

  test("what was rejected is asked for again only in the way that the person wants", async () => {
    const { thread, ran, faults } = createStage({ language: "zh" });
    await thread.send("给张三转账300元").result;
    const refused = await thread.rejectAll("太多了").result;
    expect(refused.text).toBe(
      "你拒绝了 `transfer`（“太多了”），所以它没有执行，我也不会再次发起。如果想换一种做法，请告诉我要改什么，例如 `to` 或 `amount`。",
    );
    await thread.send("改成20元").result;
    const { text } = await thread.approveAll().result;
    expect(text).toBe("`transfer` 的结果：Done.");
    expect(ran).toEqual(["transfer 张三 20"]);
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

describe("errors", () => {
  const level = (execute: (n: number) => string) =>
    tool({
      name: "set_heating",
      description: "Sets the level of the heating.",
      input: { type: "object", properties: { level: { type: "integer" } }, required: ["level"] } as const,
      execute: ({ level: n }) => execute(n),
    });

  test("one that names an argument is mended once", async () => {
    const tried: number[] = [];
    const heating = level((n) => {
      tried.push(n);
      if (n < 5) throw new Error("`level` must be at least 5");
      return `It is at ${n}.`;
    });
    const { thread, faults } = createStage({ tools: [heating] });
    expect((await thread.send("Set the heating to level 3").result).text).toBe("`set_heating` says: It is at 5.");
    expect(tried).toEqual([3, 5]);
    expect(await faults()).toEqual([]);
  });

  test("one that stays is told, after two tries at most", async () => {
    let tried = 0;
    const heating = level((n) => {
      throw new Error(`\`level\` must be more than ${n + ++tried}`);
    });
    const { thread } = createStage({ tools: [heating] });
    const { status, text } = await thread.send("Set the heating to level 3").result;
    expect({ status, tried }).toEqual({ status: "done", tried: 2 });
    expect(text).toMatch(/^`set_heating` failed: `level` must be more than/u);
  });

  test("one that says nothing about arguments is told at once", async () => {
    let tried = 0;
    const heating = level(() => {
      tried++;
      throw new Error("The boiler is broken.");
    });
    const { thread } = createStage({ tools: [heating] });
    expect((await thread.send("Set the heating to level 3").result).text).toBe(
      "`set_heating` failed: The boiler is broken.",
    );
    expect(tried).toBe(1);
  });
});

test("a plan ends however much it asks for, and however often it is told to go on", async () => {
  const { thread, model, faults } = createStage({ tools: [gettime, readMail], limits: { steps: 50 } });
  const wish = Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? "read my mail" : "tell me the time")).join(
    ", then ",
  );
  const { status } = await thread.send(wish).result;
  expect(status).toBe("done");
  expect(model.requests.length).toBeLessThan(10);
  for (const more of ["yes", "go on", "继续", "again", "try again"]) {
    expect((await thread.send(more).result).status).toBe("done");
  }
  expect(model.requests.length).toBeLessThan(30);
  expect(await faults()).toEqual([]);
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
  expect((await thread.send("Hi!").result).text).toMatch(/^Hello! I am Ada, played here by Undangle's demo model/u);
  expect((await thread.send("给我讲个笑话").result).text).toMatch(/^你说的是：“给我讲个笑话”。/u);
  expect(await faults()).toEqual([]);
});
