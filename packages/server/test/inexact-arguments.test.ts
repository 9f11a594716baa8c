import { tool } from "undangle/agent";
import { expect, test } from "vitest";

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
