import { UndangleError } from "#core";
import { describe, expect, test } from "vitest";

import type { ModelRequest } from "../model.ts";
import { requestOf, tools } from "./conversation.fixture.ts";
import type { Said } from "./conversation.fixture.ts";
import { demoModel } from "./demo-model.ts";

const model = demoModel({ pace: 0 });
const turnOf = (said: readonly Said[], more: Partial<ModelRequest> = {}) => model.stream(requestOf(said, more)).turn();
const callsOf = async (said: string, more: Partial<ModelRequest> = {}) =>
  (await turnOf([said], more)).calls.map(({ name, arguments: args }) => [name, args]);

const sum = {
  name: "get-sum",
  description: "Returns the sum of two numbers",
  schema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
};
const payInvoice = {
  name: "pay_invoice",
  description: "Pays an invoice.",
  schema: {
    type: "object",
    properties: { invoice: { type: "integer" }, amount: { type: "number", description: "Euros." } },
    required: ["invoice", "amount"],
  },
};

describe("calls", () => {
  test.each([
    ["What time is it?", [["gettime", {}]]],
    ["现在几点钟？", [["gettime", {}]]],
    ["What time is it in Tokyo?", [["gettime", { timezone: "Asia/Tokyo" }]]],
    ["Transfer 300 euros to ACME", [["transfer", { to: "ACME", amount: 300 }]]],
    ["给张三转账300元", [["transfer", { to: "张三", amount: 300 }]]],
    [
      "Delete mail 4 and mail 5",
      [
        ["delete_mail", { id: "4" }],
        ["delete_mail", { id: "5" }],
      ],
    ],
    ["What is the weather in Paris in celsius?", [["get_weather", { city: "Paris", unit: "celsius" }]]],
    ["北京今天天气怎么样", [["get_weather", { city: "北京" }]]],
    ["Search for undangle", [["search", { query: "undangle" }]]],
    ["Read the file src/app.ts", [["read_file", { path: "src/app.ts" }]]],
    ["查询快递 SF123456", [["查询快递", { 单号: "SF123456" }]]],
    [
      "Send a mail to bob@x.org with the subject 'Hi' saying 'See you'",
      [["send_mail", { to: "bob@x.org", subject: "Hi", body: "See you" }]],
    ],
    ["Tell me a joke", []],
    ["Hello", []],
  ])("%s", async (said, expected) => {
    expect(await callsOf(said)).toEqual(expected);
  });

  test.each(["Pay invoice 12 (300 euros)", "Pay 300 euros for invoice 12", "支付12号发票（300欧元）"])(
    "%s: numbers go to the arguments that the words beside them name",
    async (said) => {
      expect(await callsOf(said, { tools: [payInvoice] })).toEqual([["pay_invoice", { invoice: 12, amount: 300 }]]);
    },
  );

  test("a part that fits no tool belongs to the part before it", async () => {
    expect(await callsOf("Get the sum of 2 and 3, and read my mail", { tools: [sum, tools.readMail] })).toEqual([
      ["get-sum", { a: 2, b: 3 }],
      ["read_mail", {}],
    ]);
  });

  test("after `then` a call waits for the results before it, and takes values from them", async () => {
    const said = "Read my mail, then pay ACME";
    expect(await callsOf(said)).toEqual([["read_mail", {}]]);
    const result = "Invoice 12: 300 euros, due on Friday.";
    const { calls } = await turnOf([said, { calls: [{ name: "read_mail", result }] }]);
    expect(calls.map(({ arguments: args }) => args)).toEqual([{ to: "ACME", amount: 300 }]);
  });

  test("a failed call is reported, and ends the plan", async () => {
    const failed = { name: "read_mail", result: "The inbox is locked.", isError: true };
    const { text, calls } = await turnOf(["Read my mail, then pay ACME", { calls: [failed] }]);
    expect([text, calls]).toEqual(["`read_mail` did not succeed: The inbox is locked.", []]);
  });

  test.each([
    ["crashed", "Read my mail, then pay ACME", "The outcome of `read_mail` is unknown: It was running."],
    ["stopped-running", "Read my mail", "The outcome of `read_mail` is unknown: It was running."],
    ["timed-out", "读取我的邮件 read_mail", "`read_mail` 的结果未知：It was running."],
    ["stopped", "Read my mail", "`read_mail` did not succeed: It was running."],
  ] as const)("a call without a result (%s) is reported as what is known of it, and not repeated", async (...given) => {
    const [cause, said, report] = given;
    const { text, calls } = await turnOf([said, { calls: [{ name: "read_mail", result: "It was running.", cause }] }]);
    expect([text, calls]).toEqual([report, []]);
  });

  test("an argument that the message lacks is made up, and the text says so", async () => {
    const { text, calls } = await turnOf(["Transfer money"]);
    expect(calls).toHaveLength(1);
    expect(text).toContain("I made some up: `to` = ");
  });

  test.each([
    ["none", "Read my mail", []],
    ["required", "Tell me a joke", ["gettime"]],
    [{ tool: "search" }, "Read my mail", ["search"]],
  ] as const)("toolChoice %j", async (toolChoice, said, names) => {
    const { calls } = await turnOf([said], { toolChoice });
    expect(calls.map(({ name }) => name)).toEqual(names);
  });

  test("parallelCalls: false makes one call at a time", async () => {
    const said = "Read my mail and tell me the time";
    expect(await callsOf(said, { parallelCalls: false })).toEqual([["read_mail", {}]]);
    const { calls } = await turnOf([said, { calls: [{ name: "read_mail", result: "-" }] }], { parallelCalls: false });
    expect(calls.map(({ name }) => name)).toEqual(["gettime"]);
  });
});

describe("text", () => {
  test.each([
    ["What time is it?", '{"time":"18:00:00","timezone":"Asia/Tokyo"}', "It is 18:00:00 (Asia/Tokyo)."],
    ["现在几点钟？", '{"time":"18:00:00","timezone":"Asia/Shanghai"}', "现在是 18:00:00（Asia/Shanghai）。"],
    ["What time is it?", "half past six", "`gettime` returned: half past six"],
    ["What time is it?", "", "`gettime` is done. It returned nothing."],
  ])("%s with the result %s", async (said, result, expected) => {
    expect((await turnOf([said, { calls: [{ name: "gettime", result }] }])).text).toBe(expected);
  });

  test("introduces the persona, and lists the tools", async () => {
    const system = [{ type: "text" as const, path: "", text: "You are Ada, a librarian." }];
    const { text } = await turnOf(["Hi!"], { system });
    expect(text).toMatch(/^Hello! I am Ada, played by Undangle's demo model/u);
    expect(text).toContain("- `search`: Searches the web.");
    expect((await turnOf(["给我讲个笑话"], { tools: [] })).text).toMatch(/^你说的是：“给我讲个笑话”。/u);
  });
});

describe("output", () => {
  const schema = {
    type: "object",
    properties: {
      answer: { type: "string" },
      age: { type: "integer" },
      tags: { type: "array", items: { enum: ["x"] } },
    },
    required: ["answer", "age", "tags"],
  };
  const system = [
    { type: "text" as const, path: "", text: `JSON schema:\n${JSON.stringify(schema)}\nAnswer in JSON.` },
  ];

  test.each([
    ["a schema", { output: schema }],
    ["any object, described in the instructions", { output: { type: "object" }, system }],
  ])("%s", async (_, more) => {
    const { text } = await turnOf(["Anna is 31 years old."], { tools: [], ...more });
    expect(JSON.parse(text)).toEqual({ answer: expect.any(String) as string, age: 31, tags: ["x"] });
  });

  test("any object", async () => {
    const { text } = await turnOf(["Hello"], { tools: [], output: { type: "object" } });
    expect(JSON.parse(text)).toEqual({ answer: expect.stringMatching(/^Hello!/u) as string });
  });
});

describe("sampling", () => {
  test.each(["Hello", "你好", "Read my mail", "Transfer 300 euros to ACME and read my mail"])(
    "%s: a response is cut off where its tokens are used up",
    async (said) => {
      const whole = await turnOf([said]);
      const all = Number(whole.usage?.["completion_tokens"]);
      for (const maxTokens of [1, 2, 5, 10, all - 1]) {
        const { text, finish, usage, calls } = await turnOf([said], { sampling: { maxTokens } });
        expect(Number(usage?.["completion_tokens"])).toBeLessThanOrEqual(maxTokens);
        expect(finish).toBe("length");
        expect(whole.text.startsWith(text)).toBe(true);
        expect(calls.filter(({ state }) => state === "ready").length).toBeLessThan(Math.max(whole.calls.length, 1));
      }
      expect(await turnOf([said], { sampling: { maxTokens: all } })).toEqual(whole);
    },
  );

  test("a stop sequence ends the text before it, and no call follows", async () => {
    const { text, calls, finish } = await turnOf(["Read my mail"], { sampling: { stop: ["never", "calling"] } });
    expect([text, calls, finish]).toEqual(["I am ", [], "stop"]);
  });
});

describe("stream", () => {
  test("text comes in small chunks, and no character is split", async () => {
    const request = requestOf(["哈哈哈哈哈哈哈哈哈哈哈哈 haha haha haha haha 😀😀😀"], { tools: [] });
    const chunks: string[] = [];
    for await (const part of model.stream(request)) if (part.type === "text-delta") chunks.push(part.text);
    expect(chunks.length).toBeGreaterThan(10);
    expect(chunks.join("")).toContain("哈哈哈哈哈哈哈哈哈哈哈哈 haha haha haha haha 😀😀😀");
  });

  test("the same conversation gets the same response, with ids that the thread does not know", async () => {
    const said = "Read my mail and tell me the time";
    const knownIds = ["call_demo_1", "call_demo_3", "x"];
    const { calls } = await turnOf([said], { knownIds });
    expect(calls.map(({ id }) => id)).toEqual(["call_demo_4", "call_demo_5"]);
    expect((await turnOf([said], { knownIds: knownIds.values() })).calls).toEqual(calls);
  });

  test.each(["mcp.mail:read", "读取邮件", "read mail", "functions.read_mail"])(
    "a tool may be named %s",
    async (name) => {
      const { calls } = await turnOf(["Read my mail"], { tools: [{ ...tools.readMail, name }] });
      expect(calls.map((call) => call.name)).toEqual([name]);
    },
  );

  test("an aborted request ends at once", async () => {
    const aborted = await turnOf(["Hello"], { signal: AbortSignal.abort(new Error("enough")) });
    expect(aborted).toMatchObject({ complete: false, text: "", error: { message: "enough", from: "connection" } });
    const controller = new AbortController();
    const stream = demoModel({ pace: 60_000 }).stream(requestOf(["Hello"], { signal: controller.signal }));
    setTimeout(() => controller.abort(new Error("enough")), 5);
    expect(await stream.turn()).toMatchObject({ complete: false, error: { message: "enough" } });
  });
});

test.each([[{ pace: -1 }], [{ pace: Number.NaN }], [{ pace: "fast" }], [{ name: 1 }], [{ speed: 1 }]])(
  "it refuses the options %j",
  (options) => {
    // Wrong on purpose: the types forbid it, and JavaScript does not.
    expect(() => demoModel(options as object)).toThrow(UndangleError);
  },
);
