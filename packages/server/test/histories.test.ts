import { check, convert, explain, repair } from "undangle";
import { createClient } from "undangle/client";
import { describe, expect, test } from "vitest";

import { serve } from "./serve-fixture.ts";

const dangling = [
  { role: "user", content: "What is the weather?" },
  { role: "assistant", tool_calls: [{ id: "c1", type: "function", function: { name: "weather", arguments: "{}" } }] },
  { role: "user", content: "Never mind." },
];
const body = { model: "deepseek-chat", messages: dangling, tools: [] };
const toolError = "tool_use ids were found without tool_result blocks immediately after: toolu_1";

/** What an answer says, once it went through JSON. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe("a history that is sent", () => {
  test.each([
    ["a list of messages", dangling, ""],
    ["the body of a request", body, ""],
    ["a history with its options", { history: dangling, format: "openai-chat" }, ""],
    ["a history with its options in the query", dangling, "?format=openai-chat&provider=deepseek"],
  ])("as %s is checked and mended as the library does it", async (_, payload, query) => {
    const { call } = serve();
    const history = "history" in payload ? payload.history : payload;
    const options = query.includes("provider") ? { provider: "deepseek" } : {};
    const checked = await call("POST", `/check${query}`, payload);
    expect([checked.status, checked.body]).toEqual([
      200,
      { format: "openai-chat", problems: plain(check(history, options)) },
    ]);
    const repaired = await call("POST", `/repair${query}`, payload);
    expect([repaired.status, repaired.body]).toEqual([200, plain(repair(history, options))]);
    expect(check(repaired.body["output"])).toEqual([]);
  });

  test("is mended in the way that is wanted", async () => {
    const { call } = serve();
    const { body: answer } = await call("POST", "/repair", { history: dangling, notices: "classic", language: "zh" });
    expect(answer).toEqual(plain(repair(dangling, { notices: "classic", language: "zh" })));
  });

  test("is written in another format", async () => {
    const { call } = serve();
    const { body: answer } = await call("POST", "/convert", { history: body, to: "anthropic" });
    expect(answer).toEqual({ ...(plain(convert(body, { to: "anthropic" })) as object), to: "anthropic" });
    expect((await call("POST", "/convert?to=anthropic", body)).body).toEqual(answer);
  });

  test("counts in the metrics by the rules that it broke, and is kept nowhere", async () => {
    const { call } = serve();
    await call("POST", "/repair", dangling);
    expect((await call("GET", "/metrics")).text).toContain('undangle_repairs_total{rule="unanswered-call"} 1');
    expect((await call("GET", "/threads")).body["data"]).toEqual([]);
  });
});

test("an error text is explained", async () => {
  const { call } = serve();
  const { body: answer } = await call("POST", "/explain", { text: toolError, format: "anthropic" });
  expect(answer).toEqual({ explanations: explain(toolError, { format: "anthropic" }) });
});

describe("what cannot be meant is refused by its name", () => {
  const many = (count: number, value: unknown): unknown[] => Array.from({ length: count }, () => value);
  test.each<[string, unknown, string | null, string]>([
    ["/check", { history: dangling, formt: "x" }, "formt", "options/unknown"],
    ["/check", { history: dangling, orphans: "drop" }, "orphans", "options/unknown"],
    ["/check?format=morse", dangling, null, "format/unsupported"],
    ["/check", { history: dangling, format: 7 }, "format", "options/value"],
    ["/check", { history: dangling, provider: "nobody" }, "provider", "options/value"],
    ["/check", { history: "hello" }, "history", "parameter-invalid"],
    ["/check", { model: "x" }, null, "input/no-messages"],
    ["/repair", { history: dangling, orphans: "eat" }, "orphans", "options/value"],
    ["/repair", { history: dangling, notice: "no" }, "notice", "options/unknown"],
    ["/repair", null, "history", "parameter-invalid"],
    ["/repair", 7, "history", "parameter-invalid"],
    ["/convert", dangling, "to", "options/value"],
    ["/convert", { history: dangling, to: "morse" }, null, "format/unsupported"],
    ["/explain", {}, "text", "parameter-missing"],
    ["/explain", { text: "x", tone: "kind" }, "tone", "options/unknown"],
    ["/explain", [], "body", "parameter-invalid"],
    ["/explain", { text: "x".repeat(100_001) }, "text", "parameter-invalid"],
    ["/check", many(20_001, { role: "user", content: "x" }), "history", "parameter-invalid"],
    ["/check", [{ role: "user", content: [{ list: many(200_000, 1) }] }], "history", "parameter-invalid"],
    ["/check", { messages: [{ role: "user", content: many(2001, 1) }] }, "messages[0].content", "parameter-invalid"],
  ])("%s %.40j", async (url, payload, param, code) => {
    const { call } = serve();
    const { status, body: answer } = await call("POST", url, JSON.stringify(payload), {
      "content-type": "application/json",
    });
    expect([status, answer["error"]]).toMatchObject([400, { param, code, type: "invalid_request_error" }]);
  });

  test("also where the answer would be longer than anybody could read", async () => {
    const { call } = serve({ options: { limits: { body: 100_000 } } });
    const orphans = many(1000, { role: "tool", tool_call_id: "a" }); // each is shown with all that are restored around it
    const { status, body: answer } = await call("POST", "/repair", { history: orphans, format: "anthropic" });
    expect([status, answer["error"]]).toMatchObject([422, { param: "history", code: "response-too-long" }]);
  });
});

test("the client asks for all four", async () => {
  const { app } = serve();
  const client = createClient({ url: await app.listen({ port: 0, host: "127.0.0.1" }) });
  expect((await client.check(dangling)).problems.map(({ rule }) => rule)).toEqual(["unanswered-call"]);
  const { output, edits } = await client.repair(dangling, { orphans: "drop" });
  expect([check(output), edits.length]).toEqual([[], 1]);
  expect((await client.convert(body, { to: "gemini" })).output).toHaveProperty("contents");
  expect((await client.explain(toolError))[0]?.rule).toBe("unanswered-call");
  await expect(client.repair([], { orphans: "drop", format: "ollama" })).resolves.toHaveProperty("problems");
});
