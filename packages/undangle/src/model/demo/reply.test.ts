import { renderNotice } from "#core";
import { describe, expect, test } from "vitest";

import type { ModelRequest } from "../model.ts";
import { requestOf, tools } from "./conversation.fixture.ts";
import type { Said, Told } from "./conversation.fixture.ts";
import { replyTo } from "./reply.ts";
import type { Reply } from "./reply.ts";

const now = Date.UTC(2026, 4, 3, 10);
const reply = (conversation: readonly Said[], more: Partial<ModelRequest> = {}): Reply =>
  replyTo(requestOf(conversation, more), now);

const pay = { name: "transfer", arguments: { to: "ACME", amount: 300 } };
const rejection = (reason?: string): string => renderNotice({ id: "", name: "transfer", reason }, "rejected");
const wish = "Transfer 300 euros to ACME";

describe("calls", () => {
  test("are made for everything that a message asks for, at once", () => {
    const { text, calls } = reply(["Read my mail and pay 20 euros to Bob and delete mail 3"]);
    expect(text).toBe("I am making 3 calls at once: `read_mail`, `transfer` and `delete_mail`.");
    expect(calls).toEqual([
      { name: "read_mail", arguments: {} },
      { name: "transfer", arguments: { to: "Bob", amount: 20 } },
      { name: "delete_mail", arguments: { id: "3" } },
    ]);
  });

  test("of the same tool are counted, and told apart when they are told of", () => {
    const question = "What is the weather in Paris and Berlin?";
    expect(reply([question]).text).toBe("I am making 2 calls at once: `get_weather` × 2.");
    const calls = ["Paris", "Berlin"].map((city) => ({ name: "get_weather", arguments: { city }, result: "Sunny" }));
    expect(reply([question, { calls }])).toEqual({
      text: "- `get_weather(Paris)` says: Sunny.\n- `get_weather(Berlin)` says: Sunny.",
      calls: [],
    });
  });

  test("with what was made up say so", () => {
    expect(reply(["天气"])).toEqual({
      text: '我来调用 `get_weather`。我没能从你的话里确定 `city`，所以先随便填了：`city` 为 "北京"。',
      calls: [{ name: "get_weather", arguments: { city: "北京" } }],
    });
  });

  test("that cannot be filled are not made, and the reason is told", () => {
    const schema = { type: "object", properties: { amount: { type: "number", maximum: 100 } }, required: ["amount"] };
    const strict = { ...tools.transfer, schema };
    expect(reply(["Transfer 500 euros"], { tools: [strict] })).toEqual({
      text: "I cannot call `transfer`: its argument `amount` does not take 500.",
      calls: [],
    });
    const odd = { ...schema, properties: { amount: { type: "string", pattern: "^(?=x)y$" } } };
    expect(reply(["付款"], { tools: [{ ...strict, schema: odd }] })).toEqual({
      text: "我无法调用 `transfer`：没有找到参数 `amount` 可以接受的值。",
      calls: [],
    });
  });
});

describe("a plan of several turns", () => {
  const plan = "Tell me the time and then send a mail to bob@example.com about lunch saying see you";
  const time = { calls: [{ name: "gettime", result: "2026-05-03 18:00" }] };

  test("goes on when the first part is done, and tells of it", () => {
    expect(reply([plan]).calls.map(({ name }) => name)).toEqual(["gettime"]);
    expect(reply([plan, time])).toEqual({
      text: "It is 2026-05-03 18:00. Next, I am calling `send_mail`.",
      calls: [{ name: "send_mail", arguments: { to: "bob@example.com", subject: "lunch", body: "see you" } }],
    });
  });

  test("stops when the first part went wrong, and goes on when the person says so", () => {
    const failed = { calls: [{ name: "gettime", result: "The clock is broken.", isError: true }] };
    const { text, calls } = reply([plan, failed]);
    expect({ text, calls }).toEqual({
      text: "`gettime` failed: The clock is broken. I have not begun with `send_mail`, which was to come next. Say “yes” and I go on with it.",
      calls: [],
    });
    const agreed = reply([plan, failed, { answer: text }, "yes"]);
    expect(agreed.calls.map(({ name }) => name)).toEqual(["send_mail"]);
    const again = reply([plan, failed, { answer: text }, "try again"]);
    expect(again.calls.map(({ name }) => name)).toEqual(["gettime"]);
  });

  test("has an end: a yes to nothing is told so", () => {
    const mail = { calls: [{ name: "send_mail", result: "Sent." }] };
    expect(reply([plan, time, mail, { answer: "Done." }, "ok"]).text).toBe(
      "Nothing is left to do. What shall I do next?",
    );
    expect(reply(["看看邮件", { calls: [{ name: "read_mail", result: "空" }] }, { answer: "空。" }, "继续"]).text).toBe(
      "没有剩下要做的事了。接下来要做什么？",
    );
  });

  test("takes what a result says into the next call", () => {
    const read = { calls: [{ name: "read_mail", result: '{"id":"m7","subject":"Old"}' }] };
    expect(reply(["Read my mail, then delete it", read]).calls).toEqual([
      { name: "delete_mail", arguments: { id: "m7" } },
    ]);
  });
});

describe("what became of calls", () => {
  const told = (result: Omit<Told, "name">, message = wish): string =>
    reply([message, { calls: [{ ...pay, ...result }] }]).text;

  test.each([
    ["a text", { result: "Paid." }, "`transfer` says: Paid."],
    ["an object", { result: '{"to":"ACME","done":true}' }, "`transfer` says: to = ACME, done = true."],
    ["one value", { result: '{"balance":12}' }, "`transfer` says: 12."],
    ["a list", { result: "[1,2,3]" }, "`transfer` says: 1, 2, 3."],
    ["nothing", { result: "" }, "`transfer` is done; it had nothing to say."],
    ["an error", { result: "No money", isError: true }, "`transfer` failed: No money."],
    ["several lines", { result: "a\n  b\nc" }, "`transfer` says: a; b; c."],
    ["much", { result: "x".repeat(1000) }, `\`transfer\` says: ${"x".repeat(300)} … (1000 characters in all).`],
  ])("is told in a sentence: %s", (_title, result, expected) => {
    expect(told(result)).toBe(expected);
  });

  test("is told in the language of the question", () => {
    expect(told({ result: "Paid." }, "给 ACME 转账 300 元")).toBe("`transfer` 的结果：Paid.");
    expect(told({ result: "No", isError: true }, "给 ACME 转账 300 元")).toBe("`transfer` 失败了：No。");
  });

  test("a refusal ends it: the call is not made again, and something else is offered", () => {
    expect(reply([wish, { calls: [{ ...pay, result: rejection("too much"), isError: true }] }])).toEqual({
      text: "You rejected `transfer` (“too much”), so it did not run, and I will not ask for it again. If you want it done differently, tell me what to change, for example `to` or `amount`.",
      calls: [],
    });
    const refused = { calls: [{ ...pay, result: rejection(), isError: true }] };
    expect(reply(["给 ACME 转账 300 元", refused])).toEqual({
      text: "你拒绝了 `transfer`，所以它没有执行，我也不会再次发起。如果想换一种做法，请告诉我要改什么，例如 `to` 或 `amount`。",
      calls: [],
    });
  });

  test.each([
    ["make it 200 euros", { to: "ACME", amount: 200 }],
    ["改成 20 元", { to: "ACME", amount: 20 }],
    ["100", { to: "ACME", amount: 100 }],
    ["to Bob instead", { to: "Bob", amount: 300 }],
  ])("after a refusal the person may say how: %s", (message, args) => {
    const refused = { calls: [{ ...pay, result: rejection("no"), isError: true }] };
    expect(reply([wish, refused, { answer: "You rejected it." }, message]).calls).toEqual([
      { name: "transfer", arguments: args },
    ]);
  });

  test.each([
    ["superseded", "`transfer` was cancelled, because your next message came before it was completed."],
    ["expired", "`transfer` did not run, because nobody approved it in time."],
    [
      "crashed",
      "`transfer` was running when the process ended. I do not know what came of it; please check before it is run again.",
    ],
    ["timed-out", "`transfer` did not finish in time. I do not know what came of it."],
    ["stopped-running", "`transfer` was running when the run was stopped. I do not know what came of it."],
  ] as const)("%s is told as it is, and not tried again", (cause, expected) => {
    const text = renderNotice({ id: "c1", name: "transfer" }, cause);
    expect(reply([wish, { calls: [{ ...pay, result: text, isError: true }] }])).toEqual({ text: expected, calls: [] });
  });

  test("of very many calls only the first are told", () => {
    const calls = Array.from({ length: 5_000 }, () => ({ ...pay, result: "Paid." }));
    const lines = reply([wish, { calls }]).text.split("\n");
    expect([lines.length, lines.at(-1)]).toEqual([21, "- 4980 more calls have ended, too many to tell of each."]);
  });

  test("calls that a new message cancelled are told of before it is answered", () => {
    const cancelled = renderNotice({ id: "c1", name: "transfer" }, "superseded", { language: "zh" });
    const before = { calls: [{ ...pay, result: cancelled, isError: true }] };
    expect(reply([wish, before, "What time is it?"])).toEqual({
      text: "`transfer` was cancelled, because your next message came before it was completed. I am calling `gettime`.",
      calls: [{ name: "gettime", arguments: {} }],
    });
    expect(reply([wish, before, "yes"]).calls).toEqual([pay]);
    expect(reply([wish, before, "算了"]).text).toBe(
      "`transfer` 已被取消，因为在它完成之前你又发来了消息。好的，那就不做了。",
    );
  });
});

describe("an error that names an argument", () => {
  const schema = {
    type: "object",
    properties: { level: { type: "integer" }, mode: { type: "string" } },
    required: ["level"],
  };
  const heat = { name: "set_heating", description: "Sets the heating.", schema };
  const failing = (result: string, args: Readonly<Record<string, unknown>>): Said => ({
    calls: [{ name: "set_heating", arguments: args, result, isError: true }],
  });

  test.each([
    ["`level` must be at least 5", { level: 3 }, { level: 5 }],
    ["level must be more than 5, but it is 3", { level: 3 }, { level: 6 }],
    ['Invalid mode: expected one of "eco", "party"', { level: 3, mode: "x" }, { level: 3, mode: "eco" }],
    [
      "set_heating was not executed - its arguments do not fit:\n- `extra` is not allowed",
      { level: 3, extra: 1 },
      { level: 3 },
    ],
    ["set_heating 未被执行——参数不符合要求：\n- `level` 不能小于 5，实际是 3", { level: 3 }, { level: 5 }],
  ])("is mended once: %s", (problem, args, mended) => {
    const message = "Set the heating level to 3";
    const first = reply([message, failing(problem, args)], { tools: [heat] });
    expect(first.calls).toEqual([{ name: "set_heating", arguments: mended }]);
    const second = reply([message, failing(problem, args), failing(problem, mended)], { tools: [heat] });
    expect(second.calls).toEqual([]);
    expect(second.text).toContain("failed");
  });

  test("is only reported where nothing better is known", () => {
    const message = "Set the heating level to 3";
    expect(reply([message, failing("invalid level", { level: 3 })], { tools: [heat] }).calls).toEqual([]);
    expect(reply([message, failing("The boiler is off.", { level: 3 })], { tools: [heat] }).calls).toEqual([]);
  });

  test("does not change a sum that the person named", () => {
    const failed = { calls: [{ ...pay, result: "`amount` must be at most 100", isError: true }] };
    expect(reply([wish, failed])).toEqual({ text: "`transfer` failed: `amount` must be at most 100.", calls: [] });
  });
});

describe("tool choice", () => {
  test("none: nothing is called", () => {
    expect(reply([wish], { toolChoice: "none" })).toEqual({
      text: "I may not use tools in this answer; otherwise I would call `transfer`.",
      calls: [],
    });
    expect(reply(["你好"], { toolChoice: "none" }).calls).toEqual([]);
  });

  test("required: something is called, whatever was said, and not for ever", () => {
    const made = reply(["Hello"], { toolChoice: "required" });
    expect(made.calls).toHaveLength(1);
    const round = { calls: [{ name: "gettime", result: "18:00" }] };
    expect(reply(["Hello", round, round], { toolChoice: "required" }).calls).toHaveLength(1);
    expect(reply(["Hello", ...Array.from({ length: 8 }, () => round)], { toolChoice: "required" }).calls).toEqual([]);
    expect(reply(["Hello"], { toolChoice: "required", tools: [] }).calls).toEqual([]);
  });

  test("a tool: that one is called", () => {
    const { calls } = reply(["What time is it?"], { toolChoice: { tool: "search" } });
    expect(calls).toEqual([{ name: "search", arguments: { query: "time is it" } }]);
  });
});

describe("a final answer in a form", () => {
  const output = {
    type: "object",
    properties: { answer: { type: "string" }, temperature: { type: "number" } },
    required: ["answer", "temperature"],
  };
  const final = { name: "final_answer", description: "Gives the final answer.", schema: output };
  const more = { output, tools: [tools.weather, final] };
  const question = "What is the weather in Paris?";
  const found = {
    calls: [{ name: "get_weather", arguments: { city: "Paris" }, result: '{"temperature":21,"sky":"clear"}' }],
  };

  test("comes when everything else is done, of what was found out", () => {
    expect(reply([question], more).calls.map(({ name }) => name)).toEqual(["get_weather"]);
    expect(reply([question, found], more).calls).toEqual([
      {
        name: "final_answer",
        arguments: { answer: "get_weather says: temperature = 21, sky = clear.", temperature: 21 },
      },
    ]);
  });

  test("comes when it is asked for once more", () => {
    const reminder = "Please give your final answer by calling final_answer.";
    const { calls } = reply([question, found, { answer: "It is warm." }, reminder], more);
    expect(calls).toMatchObject([{ name: "final_answer", arguments: { temperature: 21 } }]);
  });

  test("is a text where there is no tool for it", () => {
    expect(JSON.parse(reply([question, found], { ...more, tools: [tools.weather] }).text)).toMatchObject({
      temperature: 21,
    });
  });
});

describe("talk", () => {
  test.each([
    ["Hello", /^Hello! I am Undangle's demo model: .* I can use:\n- `gettime`/su],
    ["What can you do?", /I can use:\n- `gettime`: 获取当前时间\n- `read_mail`: Reads the newest mail\./u],
    ["who are you?", /^I am Undangle's demo model/u],
    ["thanks!", /^You are welcome\.$/u],
    ["Bye", /^Goodbye!$/u],
    ["Tell me a joke", /^I have no tool that fits “Tell me a joke”\./u],
    ["你好", /^你好！我是 Undangle 的演示模型/u],
    ["你能做什么？", /我可以使用：\n- `gettime`：获取当前时间/u],
    ["给我讲个笑话", /^我没有适合“给我讲个笑话”的工具。/u],
    ["谢谢", /^不客气。$/u],
    ["", /^Hello!/u],
  ])("%j", (said, expected) => {
    const { text, calls } = reply([said]);
    expect(text).toMatch(expected);
    expect(calls).toEqual([]);
  });

  test("without tools it says what one can do about it", () => {
    const { text } = reply(["Explain monads"], { tools: [] });
    expect(text).toMatch(/^You said: “Explain monads”\. .*I have no tools here\./u);
  });

  test.each([
    ["You are Ada, a librarian.", "who are you?", "I am Ada, played here by"],
    ["You are a health assistant. Be kind.", "who are you?", "I am a health assistant, played here by"],
    ["你是一个健康助手。请关心用户。", "你是谁？", "我是健康助手，目前由 Undangle 的演示模型扮演"],
    ["你叫小明，说话要简短。", "你是谁？", "我是小明，"],
    ["Always answer in English.", "你是谁？", "I am Undangle's demo model"],
    ["请始终用中文回答。", "who are you?", "我是 Undangle 的演示模型"],
  ])("it takes up obvious instructions: %s", (system, said, expected) => {
    const instructions = [{ type: "text" as const, path: "", text: system }];
    expect(reply([said], { system: instructions }).text).toContain(expected);
  });

  test("an English message with a Chinese quotation is answered in English", () => {
    expect(reply(['Search for "天气"']).text).toBe("I am calling `search`.");
  });

  test("a message without words is answered in the language of the agent", () => {
    expect(reply(["42"], { language: "zh" }).text).toMatch(/^我没有适合“42”的工具/u);
  });
});

describe("odd histories", () => {
  test("an empty one is greeted", () => {
    expect(reply([]).text).toMatch(/^Hello!/u);
    expect(reply([], { language: "zh" }).text).toMatch(/^你好！/u);
  });

  test("one that ends with an answer has nothing new", () => {
    expect(reply(["Hi", { answer: "Hello." }])).toEqual({
      text: "There is nothing new for me to answer. What shall I do next?",
      calls: [],
    });
  });

  test("one of results alone is told of", () => {
    expect(reply([{ calls: [{ ...pay, result: "Paid." }] }]).text).toBe("`transfer` says: Paid.");
  });

  test("messages in a row are answered together", () => {
    expect(reply(["What time is it?", "And read my mail"]).calls.map(({ name }) => name)).toEqual([
      "gettime",
      "read_mail",
    ]);
  });

  test("a picture alone is not looked at, and that is said", () => {
    const media = {
      type: "media",
      path: "",
      kind: "image",
      mediaType: "image/png",
      source: { type: "bytes", data: "" },
    } as const;
    const messages = [{ role: "user", path: "", name: undefined, parts: [media] }] as const;
    expect(reply([], { messages }).text).toMatch(/^A picture or file came with your message\. I cannot look into it/u);
  });
});

test("it never loops, whatever the tools say", () => {
  const results = [
    "",
    "ok",
    "`id` must be at least 5",
    "invalid id",
    rejection(),
    "again",
    '{"error":"id is required"}',
  ];
  for (const result of results) {
    for (const isError of [true, false]) {
      const conversation: Said[] = ["Delete mail 4 and mail 5, then read my mail, then delete mail 6"];
      let turns = 0;
      for (; turns < 20; turns++) {
        const { calls } = reply(conversation);
        if (calls.length === 0) break;
        conversation.push({ calls: calls.map((call) => ({ ...call, result, isError })) });
      }
      expect(turns).toBeLessThanOrEqual(6);
    }
  }
});
