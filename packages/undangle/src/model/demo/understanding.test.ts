import { renderNotice } from "#core";
import { describe, expect, test } from "vitest";

import type { ToolDescription } from "../model.ts";
import { requestOf } from "./conversation.fixture.ts";
import type { Said } from "./conversation.fixture.ts";
import { replyTo } from "./reply.ts";
import type { Reply } from "./reply.ts";

const now = Date.UTC(2026, 10, 15, 9); // a Sunday

function described(
  name: string,
  description: string,
  properties: Readonly<Record<string, unknown>>,
  required = Object.keys(properties),
): ToolDescription {
  return { name, description, schema: { type: "object", properties, required } };
}

const text = { type: "string" };
const number = { type: "number" };
const currency = { enum: ["EUR", "USD", "CNY"] };
const person = { type: "object", properties: { name: text }, required: ["name"] };
const product = {
  type: "object",
  properties: { product: text, quantity: { type: "integer", minimum: 1 } },
  required: ["product", "quantity"],
};
const address = {
  type: "object",
  properties: { city: text, zip: { ...text, pattern: "^\\d{5}$" } },
  required: ["city", "zip"],
};

const add = described("add", "Adds two numbers.", { a: number, b: number });
const subtract = described("subtract", "Subtracts one number from another.", { a: number, b: number });
const convert = described("convert_currency", "Converts an amount of money.", {
  amount: number,
  from: currency,
  to: currency,
});
const pay = described(
  "transfer",
  "Transfers money.",
  { to: text, amount: number, currency: { enum: ["EUR", "USD"], default: "EUR" } },
  ["to", "amount"],
);
const light = described("set_light", "Turns the light of a room on or off.", {
  room: { enum: ["kitchen", "bedroom", "living_room"] },
  on: { type: "boolean" },
});
const meeting = described("book_meeting", "Books a meeting in the calendar.", {
  title: text,
  start: { ...text, format: "date-time" },
  minutes: { type: "integer" },
  attendees: { type: "array", items: person, minItems: 1 },
});
const order = described("place_order", "Places an order for products.", {
  items: { type: "array", items: product, minItems: 1 },
  address,
});
const weather = described("get_weather", "The weather in a city.", { city: text });
const flights = described("search_flights", "Searches flights.", { from: text, to: text });
const mail = described("send_mail", "Sends a mail.", { to: { ...text, format: "email" }, subject: text, body: text });
const draw = described("draw", "Draws a picture.", { of: text });
const upload = described("upload", "Uploads numbers.", { list: { type: "array", items: { type: "integer" } } });
const remove = described("delete_file", "Deletes a file.", { path: text });
const calculate = described("calculate", "Calculates an expression.", { expression: text });
const timer = described("set_timer", "Sets a timer.", { minutes: number });
const translate = described("translate", "Translates a text.", { text, target_language: { enum: ["en", "fr", "zh"] } });
const post = described("post_message", "Posts a message.", { channel: { ...text, pattern: "^#\\w+$" }, message: text });
const issue = described("close_issue", "Closes an issue.", { repo: text, number: { type: "integer" } });
const write = described("write_file", "Writes a file.", { path: text, content: text });
const sql = described("run_sql", "Runs a SQL query.", { sql: text });
const flight = described("book_flight", "Books a flight.", { flight: text, passenger: text });
const heating = described("set_heating", "Sets the temperature of a room.", { temperature: number });
const all = [add, subtract, convert, pay, light, meeting, order, weather, flights, mail, draw, upload, remove, timer];
const more = [...all, translate, heating];

const reply = (conversation: readonly Said[], tools: readonly ToolDescription[] = more): Reply =>
  replyTo(requestOf(conversation, { tools }), now);

/** What was called, as a later message finds it. */
const called = ({ calls }: Reply): Said => ({
  calls: calls.map((call) => ({ ...call, result: JSON.stringify(call.arguments) })),
});

const refused = ({ calls }: Reply): Said => ({
  calls: calls.map((call) => ({
    ...call,
    result: renderNotice({ id: "", name: call.name }, "rejected"),
    isError: true,
  })),
});

describe("sums", () => {
  test.each([
    ["Add 2 and 3", "add", 2, 3],
    ["what is 4 plus 5?", "add", 4, 5],
    ["2+2", "add", 2, 2],
    ["把 2 和 3 加起来", "add", 2, 3],
    ["the sum of 7 and 7", "add", 7, 7],
    ["subtract 3 from 10", "subtract", 10, 3],
    ["10 减去 4 是多少", "subtract", 10, 4],
  ])("%s", (message, name, a, b) => {
    expect(reply([message])).toMatchObject({ calls: [{ name, arguments: { a, b } }] });
    expect(reply([message]).text).not.toMatch(/made|随便/u);
  });

  test("that are one after the other are two calls", () => {
    const message = "add 7 and 8 and then add 1 and 1";
    expect(reply([message]).calls).toEqual([{ name: "add", arguments: { a: 7, b: 8 } }]);
    expect(reply([message, called(reply([message]))]).calls).toEqual([{ name: "add", arguments: { a: 1, b: 1 } }]);
  });

  test("that a tool has no place for are told of", () => {
    expect(reply(["Add 2, 3 and 4"]).text).toBe("I am calling `add`. `add` has no place for 4, so I left it out.");
  });

  test("are formulas where a formula is asked for", () => {
    expect(reply(["multiply 3 by 4"], [calculate]).calls).toMatchObject([{ arguments: { expression: "3 * 4" } }]);
  });

  test("work for a tool that is named beside them", () => {
    const sum = described("demo_get-sum", "Returns the sum of two numbers", { a: number, b: number });
    expect(reply(["add 2 and 3 with demo_get-sum"], [sum]).calls).toEqual([
      { name: "demo_get-sum", arguments: { a: 2, b: 3 } },
    ]);
  });

  test("are not seen in what is added to a list", () => {
    const todo = described("add_todo", "Adds a task to the to-do list.", { title: text });
    expect(reply(["Add buy milk to my todo list"], [add, todo]).calls).toMatchObject([{ name: "add_todo" }]);
  });
});

describe("choices", () => {
  test.each([
    ["convert 5 USD to CNY", { amount: 5, from: "USD", to: "CNY" }],
    ["Convert 100 dollars to euros", { amount: 100, from: "USD", to: "EUR" }],
    ["Convert $100 to euros", { amount: 100, from: "USD", to: "EUR" }],
    ["把100美元换成人民币", { amount: 100, from: "USD", to: "CNY" }],
    ["How much is €20 in dollars? convert it", { amount: 20, from: "EUR", to: "USD" }],
    ["convert to EUR from USD 7", { amount: 7, from: "USD", to: "EUR" }],
  ])("of two arguments are told apart: %s", (message, args) => {
    expect(reply([message], [convert]).calls).toEqual([{ name: "convert_currency", arguments: args }]);
  });

  test("are found by other words for them", () => {
    expect(reply(["Transfer 99 dollars to Bob"]).calls).toMatchObject([{ arguments: { amount: 99, currency: "USD" } }]);
    expect(reply(["关掉卧室的灯"]).calls).toMatchObject([{ arguments: { room: "bedroom", on: false } }]);
    expect(reply(["Translate 'good morning' to French"]).calls).toMatchObject([
      { arguments: { text: "good morning", target_language: "fr" } },
    ]);
  });

  test("that there are not are not replaced by others", () => {
    expect(reply(["Transfer 99 pounds to Bob"])).toEqual({
      text: 'I cannot call `transfer`: its argument `currency` does not take "GBP".',
      calls: [],
    });
  });
});

describe("what was said before", () => {
  const message = "Turn on the light in the living room";
  const before = [message, called(reply([message])), { answer: "It is on." }];

  test("is meant by what points there, and that is told", () => {
    expect(reply([...before, "turn it off"])).toEqual({
      text: 'I am calling `set_light`. As before, `room` is "living_room".',
      calls: [{ name: "set_light", arguments: { room: "living_room", on: false } }],
    });
  });

  test.each([
    ["set a timer for 10 minutes", "set a timer for a fortnight", "minutes", 1],
    ["Search flights from Berlin to Rome", "Search flights to Tromsö and back", "from", "example"],
  ])("does not stand for what was said and not understood: %s, %s", (first, second, name, value) => {
    const { text: told, calls } = reply([first, called(reply([first])), { answer: "Done." }, second]);
    expect(calls[0]?.arguments[name]).toBe(value);
    expect(told).toContain("made something up");
  });

  test("is not paid or deleted once more", () => {
    const deleted = [`delete a.txt`, called(reply(["delete a.txt"])), { answer: "Done." }];
    expect(reply([...deleted, "delete the other file"]).calls[0]?.arguments).not.toEqual({ path: "a.txt" });
    expect(reply([...deleted, "删除另一个文件"]).calls[0]?.arguments).not.toEqual({ path: "a.txt" });
    const paid = ["Transfer 5 euros to ACME", called(reply(["Transfer 5 euros to ACME"])), { answer: "Done." }];
    expect(reply([...paid, "Transfer 7 euros"]).calls[0]?.arguments["to"]).not.toBe("ACME");
    expect(reply([...paid, "and to Bob?"]).calls).toEqual([]);
  });

  test.each([
    ["What is the weather in Paris?", "and in New York?", { city: "New York" }],
    ["What is the weather in Paris?", "what about Bergen?", { city: "Bergen" }],
    ["Set the temperature to 21", "make it 23", { temperature: 23 }],
    ["北京天气怎么样？", "那广州呢？", { city: "广州" }],
    ["北京天气怎么样？", "那无锡呢？", { city: "无锡" }],
    ["Search flights from Berlin to Rome", "and from Munich?", { from: "Munich", to: "Rome" }],
  ])("is asked once more for something else: %s %s", (first, second, args) => {
    expect(reply([first, called(reply([first])), { answer: "Done." }, second]).calls).toMatchObject([
      { arguments: args },
    ]);
  });
});

test.each([
  "now what?",
  "and thanks",
  "and you?",
  "and then?",
  "那算了",
  "那怎么办呢",
  "你呢？",
  "and the others?",
  "and tomorrow?",
])("what asks for nothing of the kind is no follow-up: %s", (message) => {
  const first = "What is the weather in Paris?";
  expect(reply([first, called(reply([first])), { answer: "Done." }, message]).calls).toEqual([]);
});

describe("meetings", () => {
  const chinese = "帮我预订明天下午三点的会议，主题是周会，参加人张三和李四，45分钟";
  const english = "Book a meeting called Standup with Ann and Bob tomorrow at 10:30 for 30 minutes";

  test("are understood in both languages, and nothing is made up", () => {
    expect(reply([chinese])).toEqual({
      text: "我来调用 `book_meeting`。",
      calls: [
        {
          name: "book_meeting",
          arguments: {
            title: "周会",
            start: "2026-11-16T15:00:00Z",
            minutes: 45,
            attendees: [{ name: "张三" }, { name: "李四" }],
          },
        },
      ],
    });
    expect(reply([english])).toEqual({
      text: "I am calling `book_meeting`.",
      calls: [
        {
          name: "book_meeting",
          arguments: {
            title: "Standup",
            start: "2026-11-16T10:30:00Z",
            minutes: 30,
            attendees: [{ name: "Ann" }, { name: "Bob" }],
          },
        },
      ],
    });
  });

  test.each([
    [english, "ok, at 14:00", "2026-11-16T14:00:00Z"],
    [english, "on 2026-12-01 instead", "2026-12-01T10:30:00Z"],
    [chinese, "四点", "2026-11-16T16:00:00Z"],
    [chinese, "改到上午十点半", "2026-11-16T10:30:00Z"],
  ])("that were refused are changed by a word: %s, %s", (message, change, start) => {
    const conversation = [message, refused(reply([message])), { answer: "You rejected it." }, change];
    expect(reply(conversation).calls).toEqual([
      { name: "book_meeting", arguments: { ...reply([message]).calls[0]?.arguments, start } },
    ]);
  });

  test("without an hour have one that is made up, and that is told", () => {
    expect(reply(["Book a meeting called Standup with Ann tomorrow for 30 minutes"]).text).toBe(
      'I am calling `book_meeting`. I could not tell `start` from what you said, so I made something up: `start` is "2026-11-16T12:00:00Z".',
    );
  });
});

test.each([
  [
    order,
    "Order 3 pens and 2 notebooks to 12345 Springfield",
    {
      items: [
        { product: "pens", quantity: 3 },
        { product: "notebooks", quantity: 2 },
      ],
      address: { city: "Springfield", zip: "12345" },
    },
  ],
  [
    order,
    "下单两本书，送到上海 20000",
    { items: [{ product: "书", quantity: 2 }], address: { city: "上海", zip: "20000" } },
  ],
  [
    mail,
    "Send a mail to ann@example.com with the subject Lunch saying Let us meet at noon",
    { to: "ann@example.com", subject: "Lunch", body: "Let us meet at noon" },
  ],
  [draw, "draw a picture of a cat", { of: "cat" }],
  [upload, "Upload numbers 1, 2, 3", { list: [1, 2, 3] }],
  [upload, "Upload the numbers 5, 5 and 6", { list: [5, 5, 6] }],
  [timer, "set a timer for half an hour", { minutes: 30 }],
  [timer, "set a timer for 2 hours", { minutes: 120 }],
  [timer, "定一个半小时的计时器", { minutes: 30 }],
  [timer, "定一个五分钟的计时器", { minutes: 5 }],
  [pay, "Pay fifty euros to Bob", { to: "Bob", amount: 50 }],
  [pay, "给张三转账二十欧元", { to: "张三", amount: 20 }],
  [post, "Post 'deploy is done' to #general", { channel: "#general", message: "deploy is done" }],
  [issue, "close issue 5 in acme/web", { repo: "acme/web", number: 5 }],
  [write, "Write hello world into c.txt", { path: "c.txt", content: "hello world" }],
  [write, "把 notes.md 的内容改成“你好”", { path: "notes.md", content: "你好" }],
  [sql, "Run SELECT count(*) FROM users", { sql: "SELECT count(*) FROM users" }],
  [translate, "Translate hello into French", { text: "hello", target_language: "fr" }],
  [flight, "订 LH123，乘客王五", { flight: "LH123", passenger: "王五" }],
  [flights, "查一下从北京到上海的航班", { from: "北京", to: "上海" }],
  [flights, "flights to Oslo from Paris", { from: "Paris", to: "Oslo" }],
])("%# takes apart what was said", (tool, message, args) => {
  expect(reply([message], [tool])).toMatchObject({ calls: [{ name: tool.name, arguments: args }] });
  expect(reply([message], [tool]).text).not.toMatch(/made something up|随便/u);
});

test("a verb is nobody to be paid", () => {
  const message = "pay what it says";
  expect(reply([message], [pay]).calls[0]?.arguments["to"]).toBe("example");
  expect(reply([message], [pay]).text).toContain("I could not tell `to`");
});

describe("a final answer", () => {
  const output = { type: "object", properties: { city: text }, required: ["city"] };
  const final = { name: "final_answer", description: "Gives the final answer.", schema: output };

  test("is not the question", () => {
    const { calls } = replyTo(requestOf(["罗马有多大？"], { tools: [final], output }), now);
    expect(calls).toEqual([{ name: "final_answer", arguments: { city: "罗马" } }]);
  });

  test("may be spoken of by whoever asks for it", () => {
    const message = "Use final_answer to tell me the city: Paris";
    const { calls } = replyTo(requestOf([message], { tools: [final], output }), now);
    expect(calls).toEqual([{ name: "final_answer", arguments: { city: "Paris" } }]);
  });
});

test("a message that is too long to be looked at is said to be as long as it is", () => {
  expect(reply(["x ".repeat(50_000)], []).text).toContain("(99999 characters in all)");
});

test("a reference with a bare percent sign is followed", () => {
  const schema = {
    type: "object",
    properties: { n: { $ref: "#/$defs/100%" } },
    required: ["n"],
    $defs: { "100%": { type: "integer" } },
  };
  const tool = { name: "count_sheep", description: "Counts sheep.", schema };
  expect(() => reply(["count sheep"], [tool])).not.toThrow();
});

test("a Chinese name in an English sentence does not make it Chinese", () => {
  expect(reply(["Transfer 20 euros to 张三"]).text).toBe("I am calling `transfer`.");
  expect(reply(["transfer 给张三 20 欧元"]).text).toBe("我来调用 `transfer`。");
});

test.each([
  "和",
  "和张三",
  "参加人",
  "参加人张三和",
  "€",
  "把",
  "1、",
  "1 plus ",
  "with A and ",
  "从北京到",
  "5% of ",
  "3 plus 4 times ",
  "20 to Bob, ",
  "乘客",
  "a/",
  "select ",
  "两本书",
])("a message of nothing but %j takes no time, whatever the tools take", (piece) => {
  for (const tool of [meeting, order, flights, pay, add, translate, sql]) {
    const long = `${tool.name} ${piece.repeat(5000 / piece.length)} and again`;
    const start = performance.now();
    reply([long, called(reply([long], [tool])), { answer: "Done." }, long], [tool]);
    expect(performance.now() - start).toBeLessThan(3000);
  }
});
