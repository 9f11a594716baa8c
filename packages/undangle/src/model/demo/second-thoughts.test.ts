import { describe, expect, test } from "vitest";

import type { ToolDescription } from "../model.ts";
import { requestOf } from "./conversation.fixture.ts";
import type { Said } from "./conversation.fixture.ts";
import { replyTo } from "./reply.ts";
import type { Reply } from "./reply.ts";

const described = (
  name: string,
  description: string,
  properties: Readonly<Record<string, unknown>>,
): ToolDescription => ({
  name,
  description,
  schema: { type: "object", properties, required: Object.keys(properties) },
});

const text = { type: "string" };
const number = { type: "number" };
const tools = [
  described("get_weather", "The weather in a city.", { city: text }),
  described("calculate", "Evaluates an arithmetic expression.", { expression: text }),
  described("add", "Adds two numbers.", { a: number, b: number }),
  described("transfer", "Transfers money.", { to: text, amount: number }),
  described("set_volume", "Sets the volume, in percent.", { percent: number }),
  described("read_file", "Reads a file.", { path: text }),
];

const reply = (...conversation: readonly Said[]): Reply => replyTo(requestOf(conversation, { tools }), 0);
const called = (...conversation: readonly Said[]): unknown =>
  reply(...conversation).calls.map((call) => call.arguments);

describe("percentages", () => {
  test.each([
    ["What is 15% of 200?", "200 * 15 / 100"],
    ["Calculate 20 percent of 80", "80 * 20 / 100"],
    ["what's a 20% tip on $85", "85 * 20 / 100"],
    ["How much is 25% off 80?", "80 * (100 - 25) / 100"],
    ["What is 200 plus 10%?", "200 * (100 + 10) / 100"],
    ["200 减去 10% 是多少？", "200 * (100 - 10) / 100"],
    ["200 的 15% 是多少？", "200 * 15 / 100"],
    ["What is 50% of 30% of 200?", "200 * 50 / 100 * 30 / 100"],
    ["3.5% of 1,200", "1200 * 3.5 / 100"],
    ["计算 15% 的 200", "200 * 15 / 100"],
    ["200 的百分之 15 是多少", "200 * 15 / 100"],
  ])("are calculated: %s", (message, expression) => {
    expect(reply(message).calls).toEqual([{ name: "calculate", arguments: { expression } }]);
    expect(reply(message).text).not.toMatch(/made|随便/u);
  });

  test("are numbers for a tool that does not calculate, and stay what they were in what is passed on", () => {
    expect(called("Transfer 10% of 200 to Bob")).toEqual([{ to: "Bob", amount: 20 }]);
    const mail = described("send_mail", "Sends a mail.", { to: { ...text, format: "email" }, body: text });
    const message = "Send a mail to bob@example.com saying 15% of 200 is 30";
    expect(replyTo(requestOf([message], { tools: [...tools, mail] }), 0).calls).toEqual([
      { name: "send_mail", arguments: { to: "bob@example.com", body: "15% of 200 is 30" } },
    ]);
  });

  test("of nothing are what a tool takes", () => {
    expect(called("Set the volume to 30%")).toEqual([{ percent: 30 }]);
  });
});

describe("several numbers in one sentence", () => {
  test.each([
    ["What is 3 times 4 plus 2?", "3 * 4 + 2"],
    ["10 加上 5 减去 3 是多少", "10 + 5 - 3"],
    ["12 divided by 4 minus 1", "12 / 4 - 1"],
    ["Add 2, 3 and 4", "2 + 3 + 4"],
  ])("are one calculation: %s", (message, expression) => {
    expect(reply(message).calls).toEqual([{ name: "calculate", arguments: { expression } }]);
  });

  test.each([
    ["Transfer 20 to Bob, 30 to Ann and 40 to Carl", ["Bob", 20, "Ann", 30, "Carl", 40]],
    ["Transfer 5 dollars to Bob and 7 to Ann", ["Bob", 5, "Ann", 7]],
    ["pay Bob 20 and Ann 30", ["Bob", 20, "Ann", 30]],
    ["给张三转 20 元，李四 30 元", ["张三", 20, "李四", 30]],
    ["给张三转账 20 元，给李四 30 元", ["张三", 20, "李四", 30]],
  ])("each go with the one they stand beside: %s", (message, expected) => {
    expect(reply(message).calls.flatMap(({ arguments: { to, amount } }) => [to, amount])).toEqual(expected);
  });
});

describe("what no tool does", () => {
  const rome = { calls: [{ name: "get_weather", arguments: { city: "Rome" }, result: "sunny" }] };

  test("is told of at the end, and the rest is done", () => {
    const message = "Get the weather in Rome and then dance";
    expect(called(message)).toEqual([{ city: "Rome" }]);
    expect(reply(message, rome).text).toBe(
      "`get_weather` says: sunny. I have no tool for “dance”, so I left that out.",
    );
    expect(reply("查一下罗马的天气，然后跳个舞", rome).text).toMatch(/没有工具可以做“跳个舞”，所以我没有做。$/u);
  });

  test.each(["Get the weather in Rome and then tell me what it is", "Get the weather in Rome, then thanks"])(
    "is not seen in what is done anyway: %s",
    (message) => {
      expect(reply(message, rome).text).toBe("`get_weather` says: sunny.");
    },
  );
});

describe("a question about a result", () => {
  const result = JSON.stringify({ city: "Oslo", temperature: 21, condition: "sunny", humidity: 40 });
  const before: readonly Said[] = [
    "Weather in Oslo?",
    { calls: [{ name: "get_weather", arguments: { city: "Oslo" }, result }] },
    { answer: "It is sunny." },
  ];

  test.each([
    ["What was the temperature?", "`get_weather` said: temperature = 21."],
    ["how warm is it?", "`get_weather` said: temperature = 21."],
    ["And the humidity?", "`get_weather` said: humidity = 40."],
    ["Is it sunny there?", "`get_weather` said: condition = sunny."],
    ["温度是多少？", "刚才 `get_weather` 的结果是：temperature = 21。"],
    ["湿度呢？", "刚才 `get_weather` 的结果是：humidity = 40。"],
  ])("is answered by it: %s", (message, answer) => {
    expect(reply(...before, message)).toEqual({ text: answer, calls: [] });
  });

  test("as a whole is answered by the last one", () => {
    expect(reply(...before, "Tell me the result again").text).toContain("temperature = 21");
    expect(reply(...before, "再说一遍").text).toContain("temperature = 21");
  });

  test.each([
    ["What is the temperature in Rome?", [{ city: "Rome" }]],
    ["What is the temperature now?", [{ city: "Oslo" }]],
    ["And in Rome?", [{ city: "Rome" }]],
  ])("that names something else is a new one: %s", (message, calls) => {
    expect(called(...before, message)).toEqual(calls);
  });

  test("about what may have changed is asked of its tool again", () => {
    const clock = described("gettime", "The current time.", {});
    const bank = described("get_balance", "The balance of the account.", {});
    const balance = { calls: [{ name: "get_balance", result: '{"balance":100,"currency":"EUR"}' }] };
    const ask = (...conversation: readonly Said[]): Reply =>
      replyTo(requestOf(conversation, { tools: [...tools, clock, bank] }), 0);
    const time = { calls: [{ name: "gettime", result: '{"time":"10:00","zone":"UTC"}' }] };
    expect(ask("What time is it?", time, { answer: "10:00." }, "What time is it?").calls).toMatchObject([
      { name: "gettime" },
    ]);
    const paid = { calls: [{ name: "transfer", arguments: { to: "Bob", amount: 5 }, result: "done" }] };
    const later: readonly Said[] = [
      "My balance?",
      balance,
      { answer: "100" },
      "Transfer 5 to Bob",
      paid,
      { answer: "Done." },
    ];
    expect(ask(...later, "What is my balance?").calls).toMatchObject([{ name: "get_balance" }]);
    expect(ask(...later, "What was my balance?").text).toBe("`get_balance` said: balance = 100.");
  });

  test("that nobody has told of is not made up", () => {
    expect(reply("What was the humidity?").calls).toEqual([]);
    expect(reply("What was the humidity?").text).toMatch(/^I have no tool that fits/u);
  });
});

describe("other languages", () => {
  test.each(["東京の天気を教えてください", "こんにちは", "カタカナ", "서울 날씨 알려줘", "Какая погода в Москве?"])(
    "are told that it knows but two: %s",
    (message) => {
      expect(reply(message)).toEqual({
        text: "I understand only English and Chinese. Please say it in one of them.",
        calls: [],
      });
    },
  );

  test("may be quoted, and be names", () => {
    expect(reply('What is the weather in "東京の街"?').calls).toMatchObject([{ name: "get_weather" }]);
    expect(called("Transfer 20 to Юрий")).toMatchObject([{ amount: 20 }]);
  });
});
