import { expect, test } from "vitest";

import type { ToolDescription } from "../../model.ts";
import { tools } from "../conversation.fixture.ts";
import { requestOf } from "../conversation.fixture.ts";
import type { Said } from "../conversation.fixture.ts";
import { gatherFor } from "../propose.ts";
import { readSituation } from "../situation.ts";
import { fillArguments } from "./fill-arguments.ts";

const now = Date.UTC(2026, 4, 3, 10);

function filled(tool: ToolDescription, message: string, before: readonly Said[] = []): unknown {
  const situation = readSituation(requestOf([message, ...before]), undefined);
  const filling = fillArguments(tool.schema, gatherFor(tool, message, situation, now));
  return filling.ok ? filling.arguments : filling;
}

function toolWith(properties: Readonly<Record<string, unknown>>, required = Object.keys(properties)): ToolDescription {
  return { name: "any", description: undefined, schema: { type: "object", properties, required } };
}

const { transfer, sendMail, weather, search, readFile, todo, gettime, deleteMail, parcel } = tools;

test.each([
  [transfer, "Transfer 300 euros to ACME", { to: "ACME", amount: 300 }],
  [transfer, "pay Bob Miller $1,250.50", { to: "Bob Miller", amount: 1250.5 }],
  [transfer, "给张三转账300元", { to: "张三", amount: 300 }],
  [transfer, "转给李四 50 块", { to: "李四", amount: 50 }],
  [transfer, "I want to pay 80 euros to the landlord", { to: "landlord", amount: 80 }],
  [
    sendMail,
    "send a mail to bob@example.com about lunch saying see you at noon.",
    { to: "bob@example.com", subject: "lunch", body: "see you at noon" },
  ],
  [
    sendMail,
    'mail bob@example.com, subject "Hi there", body: "Come, please."',
    { to: "bob@example.com", subject: "Hi there", body: "Come, please." },
  ],
  [
    sendMail,
    "给 bob@example.com 发邮件，主题是周会，内容是明天十点见",
    { to: "bob@example.com", subject: "周会", body: "明天十点见" },
  ],
  [weather, "What is the weather in New York?", { city: "New York" }],
  [weather, "How hot is it in Bergen in fahrenheit?", { city: "Bergen", unit: "fahrenheit" }],
  [weather, "查一下杭州明天的天气", { city: "杭州" }],
  [weather, "苏州天气怎么样", { city: "苏州" }],
  [search, "Search for cheap flights to Rome", { query: "cheap flights to Rome" }],
  [search, "search the web for cats, limit 5", { query: "cats", limit: 5 }],
  [search, "搜索一下量子计算的资料", { query: "量子计算" }],
  [readFile, "open src/index.ts please", { path: "src/index.ts" }],
  [readFile, "读取 /etc/hosts", { path: "/etc/hosts" }],
  [todo, "Add buy milk to my todo list", { title: "buy milk" }],
  [
    todo,
    "Add a high priority task: call mum, due tomorrow",
    { title: "call mum", priority: "high", due: "2026-05-04" },
  ],
  [todo, "提醒我明天交报告", { title: "明天交报告", due: "2026-05-04" }],
  [gettime, "What time is it in Tokyo?", { timezone: "Asia/Tokyo" }],
  [gettime, "纽约现在几点？", { timezone: "America/New_York" }],
  [gettime, "现在几点钟？", {}],
  [deleteMail, "delete the old one", { id: "old one" }],
  [deleteMail, "delete mail 7", { id: "7" }],
  [parcel, "单号 SF123456 的快递到哪了", { 单号: "SF123456" }],
])("%# fills what was said", (tool, message, expected) => {
  expect(filled(tool, message)).toEqual(expected);
});

test.each([
  "支付 12 号发票 300 欧元",
  "支付发票 12（300 欧元）",
  "支付发票12，300欧元",
  "支付 300 欧元的 12 号发票",
  "请付第12号发票，金额300",
  "pay bill 12 with 300 euros",
])("the number of a thing is that of the argument of its name: %s", (message) => {
  const payInvoice = toolWith({ invoice: { type: "integer" }, amount: { type: "number" } });
  expect(filled(payInvoice, message)).toEqual({ invoice: 12, amount: 300 });
});

test("an id of a result is the argument of the next call", () => {
  const read = { calls: [{ name: "read_mail", result: '[{"id":"m1","from":"ACME"},{"id":"m2"}]' }] };
  expect(filled(deleteMail, "delete it", [read])).toEqual({ id: "m1" });
});

test("a sum that a result names is paid", () => {
  const read = { calls: [{ name: "read_mail", result: "Invoice 12: 300 euros, due on Friday." }] };
  expect(filled(transfer, "pay invoice 12", [read])).toMatchObject({ amount: 300 });
});

test("what nobody said is made up, and said so", () => {
  const situation = readSituation(requestOf(["send it"]), undefined);
  expect(fillArguments(sendMail.schema, gatherFor(sendMail, "send it", situation, now))).toMatchObject({
    ok: true,
    madeUp: ["to", "subject", "body"],
    arguments: { to: "demo@example.com" },
  });
});

test("what is made up inside of an argument is told as that argument", () => {
  const tool = toolWith({
    tags: { type: "array", items: { type: "string" }, minItems: 1 },
    at: toolWith({ n: { type: "number" } }).schema,
  });
  const situation = readSituation(requestOf(["show it"]), undefined);
  expect(fillArguments(tool.schema, gatherFor(tool, "show it", situation, now))).toEqual({
    ok: true,
    arguments: { tags: ["example"], at: { n: 1 } },
    madeUp: ["tags", "at"],
    carried: [],
  });
});

test("a number that was asked for and does not fit is not replaced by another", () => {
  const tool = toolWith({ amount: { type: "number", maximum: 100 } });
  expect(filled(tool, "pay 500 euros")).toEqual({ ok: false, parameter: "amount", said: 500 });
});

test.each([
  ["a pattern that looks ahead", { code: { type: "string", pattern: "^(?=.*\\d)(?=.*[a-z])[a-z\\d]{12}$" } }],
  ["a schema that nothing fits", { code: { type: "string", minLength: 5, maxLength: 2 } }],
  ["a recursion without an end", { node: { $ref: "#" } }],
])("%s is not filled with rubbish", (_title, properties) => {
  expect(filled(toolWith(properties), "go")).toMatchObject({ ok: false });
});

test.each([
  ["a default", { unit: { type: "string", default: "metre" } }, "go", { unit: "metre" }],
  ["a constant", { kind: { const: "invoice" } }, "go", { kind: "invoice" }],
  ["null", { note: { type: ["string", "null"] } }, "go", { note: null }],
  ["an example", { code: { type: "string", pattern: "^(?=x)x+$", examples: ["xx"] } }, "go", { code: "xx" }],
  ["a choice", { mode: { enum: ["light_mode", "dark_mode"] } }, "dark mode please", { mode: "dark_mode" }],
  ["true", { isDone: { type: "boolean" } }, "mark it as done", { isDone: true }],
  ["false", { notify: { type: "boolean" } }, "without notify", { notify: false }],
  ["a moment", { at: { type: "string", format: "date-time" } }, "tomorrow at 7pm", { at: "2026-05-04T19:00:00Z" }],
  ["a Chinese date", { date: { type: "string" } }, "2026年6月1日", { date: "2026-06-01" }],
  ["a formula", { expression: { type: "string" } }, "12 * (3 + 4) 等于多少？", { expression: "12 * (3 + 4)" }],
  [
    "a list of addresses",
    { recipients: { type: "array", items: { type: "string", format: "email" } } },
    "a@example.com, b@example.com",
    { recipients: ["a@example.com", "b@example.com"] },
  ],
  [
    "an object inside",
    { order: { type: "object", properties: { count: { type: "integer" } }, required: ["count"] } },
    "count 3",
    { order: { count: 3 } },
  ],
  ["one of two forms", { id: { anyOf: [{ type: "integer" }, { type: "string" }] } }, "id 12", { id: 12 }],
])("it fills %s", (_title, properties, message, expected) => {
  expect(filled(toolWith(properties), message)).toEqual(expected);
});
