import { tool } from "undangle/agent";
import { describe, expect, test } from "vitest";

import { serve } from "./serve-fixture.ts";

const raw = '{"amount":9007199254740993}';
const marked = {
  arguments: { amount: 9007199254740992 },
  raw,
  inexact: [{ path: "amount", written: "9007199254740993", runs: "9007199254740992" }],
};

test("whoever decides over HTTP sees the text of a number that runs as another one, and a mark", async () => {
  const pay = tool({
    name: "pay",
    description: "Pays.",
    input: { type: "object" },
    approval: true,
    execute: () => "paid",
  });
  const { call } = serve({ turns: [{ calls: [{ name: "pay", raw }] }], agent: { tools: [pay] } });
  await call("POST", "/threads", { id: "t" });
  const sent = await call("POST", "/threads/t/messages?wait=true", { content: "Pay." });
  expect(sent.body).toMatchObject({ pending: [marked] });
  expect((await call("GET", "/threads/t")).body).toMatchObject({ pending: [marked], calls: [marked] });
  expect(JSON.stringify((await call("GET", "/queue")).body)).toContain(JSON.stringify(marked.inexact));
});

test("a call of a client's tool keeps the digits that the model wrote", async () => {
  const { call } = serve({ turns: [{ calls: [{ name: "theirs", raw }] }] });
  const sent = await call("POST", "/v1/chat/completions", {
    messages: [{ role: "user", content: "Go." }],
    tools: [{ type: "function", function: { name: "theirs" } }],
  });
  expect(sent.body).toMatchObject({
    choices: [{ message: { tool_calls: [{ function: { name: "theirs", arguments: raw } }] } }],
  });
});

describe("an edit over HTTP", () => {
  const stage = async () => {
    const ran: unknown[] = [];
    const pay = tool({
      name: "pay",
      description: "Pays.",
      input: { type: "object" },
      approval: true,
      execute: (args) => (ran.push(args), "paid"),
    });
    const { app, call } = serve({
      turns: [{ calls: [{ name: "pay", arguments: {} }] }, { text: "Paid." }],
      agent: { tools: [pay] },
    });
    await call("POST", "/threads", { id: "t" });
    await call("POST", "/threads/t/messages?wait=true", { content: "Pay." });
    const edit = (args: string) =>
      app.inject({
        method: "POST",
        url: "/threads/t/decisions?wait=true",
        headers: { "content-type": "application/json" },
        payload: `{"decisions":{"call_1":{"type":"edit","arguments":${args}}}}`,
      });
    return { ran, edit };
  };

  test.each([
    ['{"amount":9007199254740993}', "amount", "9007199254740993 would be read as 9007199254740992"],
    ['{"list":[1,-9007199254740993]}', "list[1]", "-9007199254740993 would be read as -9007199254740992"],
    ['{"a":{"b":0.12345678901234567890}}', "a.b", "would be read as 0.12345678901234568"],
    ['{"amount":1e-400}', "amount", "1e-400 would be read as 0"],
    ['{"amount":1e999}', "amount", "1e999 is too large for a number"],
    [`{"amount":${"9".repeat(400)}}`, "amount", "… is too large for a number"],
  ])("with a number that would be rounded is refused: %s", async (args, path, words) => {
    const { ran, edit } = await stage();
    const refused = await edit(args);
    expect([refused.statusCode, refused.json()]).toMatchObject([
      400,
      { error: { code: "number-inexact", param: `decisions.call_1.arguments.${path}` } },
    ]);
    expect(refused.body).toContain(words);
    expect((await edit('{"amount":1}')).statusCode).toBe(200);
    expect(ran).toEqual([{ amount: 1 }]);
  });

  test.each([
    ['{"amount":9007199254740991}', { amount: 9007199254740991 }],
    ['{"amount":9007199254740992}', { amount: 9007199254740992 }],
    ['{"amount":12.50}', { amount: 12.5 }],
    ['{"amount":1e3}', { amount: 1000 }],
    ['{"amount":123456789012345680000}', { amount: 123456789012345680000 }],
    ['{"amount":0.30000000000000004}', { amount: 0.30000000000000004 }],
    ['{"amount":0.0000000000000000}', { amount: 0 }],
    ['{"id":"9007199254740993"}', { id: "9007199254740993" }],
  ])("with a number that stays the same runs: %s", async (args, expected) => {
    const { ran, edit } = await stage();
    expect((await edit(args)).statusCode).toBe(200);
    expect(ran).toEqual([expected]);
  });
});

describe("a call that is imported with a number beyond JSON is shown as JSON, and does not run:", () => {
  const action = (args: string): string =>
    `"pendingAction":{"functionCall":{"id":"a","name":"pay","arguments":${args}}}`;
  const said = '{"role":"user","content":"Pay."}';
  test.each([
    ["an object beside the messages", `{"messages":[${said}],${action('{"amount":1e999}')}}`],
    ["a negative number", `{"messages":[${said}],${action('{"amount":-1e999}')}}`],
    ["a text beside the messages", `{"messages":[${said}],${action(JSON.stringify('{"amount":1e999}'))}}`],
  ])("%s", async (_, history) => {
    const ran: unknown[] = [];
    const execute = (args: unknown): string => (ran.push(args), "paid");
    const pay = tool({ name: "pay", description: "Pays.", input: { type: "object" }, approval: true, execute });
    const { app, call } = serve({ turns: [{ text: "Hm." }], agent: { tools: [pay] } });
    const imported = await app.inject({
      method: "POST",
      url: "/threads/import",
      headers: { "content-type": "application/json" },
      payload: `{"id":"t","history":${history}}`,
    });
    expect(imported.statusCode).toBe(201);
    const { pending, messages } = (await call("GET", "/threads/t")).body;
    expect(pending).toMatchObject([
      { arguments: expect.stringContaining("1e999") as string, raw: expect.stringContaining("1e999") as string },
    ]);
    expect(JSON.stringify(messages)).toContain("1e999");
    for (const path of ["/queue", "/threads/t/export", "/threads/t/export?format=anthropic"])
      expect(await call("GET", path)).toMatchObject({ status: 200, body: expect.anything() as object });
    const { body } = await call("POST", "/threads/t/decisions?wait=true", { all: "approve" });
    expect([body["status"], ran]).toEqual(["done", []]);
    expect((await call("GET", "/threads/t")).body).toMatchObject({ calls: [{ name: "pay", status: "failed" }] });
  });
});
