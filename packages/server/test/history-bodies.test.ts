import { describe, expect, test } from "vitest";

import { serve } from "./serve-fixture.ts";

const json = { "content-type": "application/json" };
const big = "12345678901234567890";

/** A request body with one unanswered call. */
const dangling = (more: string, args = `"{}"`): string =>
  `{"model":"m",${more}"messages":[{"role":"user","content":"x, 1.0, ${big}"},` +
  `{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":${args}}}]},` +
  `{"role":"user","content":"y"}]}`;

const list = [
  { role: "user", content: "x" },
  { role: "assistant", content: [{ type: "tool_use", id: "t", name: "f", input: {} }] },
  { role: "user", content: "y" },
];

describe("options beside the messages of a body", () => {
  test("are options, and no field of the history", async () => {
    const { call } = serve();
    const checked = await call("POST", "/check", { messages: list, format: "anthropic" });
    expect(checked.body["format"]).toBe("anthropic");
    expect(checked.body["problems"]).toMatchObject([{ rule: "unanswered-call" }, { rule: "missing-tools" }]);
    const repaired = await call("POST", "/repair", { messages: list, format: "anthropic", language: "zh", model: "c" });
    expect(repaired.body["format"]).toBe("anthropic");
    expect(repaired.body["output"]).toMatchObject({ model: "c" });
    expect(Object.keys(repaired.body["output"] as object)).not.toContain("format");
    expect(repaired.text).toContain("已被取消");
    const converted = await call("POST", "/convert", { messages: list, from: "anthropic", to: "openai-chat" });
    expect([converted.body["from"], converted.body["to"]]).toEqual(["anthropic", "openai-chat"]);
    expect(converted.text).toContain('"tool_calls"');
  });

  test("win over those of the query, and are checked by the library", async () => {
    const { call } = serve();
    const checked = await call("POST", "/check?format=openai-chat", { messages: list, format: "anthropic" });
    expect(checked.body["format"]).toBe("anthropic");
    const unknown = await call("POST", "/check", { messages: list, format: "antropic" });
    expect([unknown.status, unknown.text]).toEqual([400, expect.stringContaining("antropic")]);
  });

  test.each([["json"], [{ type: "object" }]])("the format %j of an answer belongs to the history", async (format) => {
    const { call } = serve();
    const messages = [{ role: "user", content: "x" }];
    const { body } = await call("POST", "/check", { model: "llama3", messages, format, options: { num_ctx: 4096 } });
    expect(body["format"]).toBe("ollama");
  });
});

describe("numbers that JavaScript does not write as they are written", () => {
  test.each([
    ["large ones", `"seed":${big},`],
    ["those that are too large", `"a":1e400,"b":-1E+999,`],
    ["fractions", `"temperature":1.0,"top_p":0.90,"z":-0,`],
    ["those in lists and objects", `"metadata":{"a":[1.0,${big},3,{"b":2.50}]},`],
  ])("stay in a repaired body: %s", async (_, more) => {
    const { call } = serve();
    const { text, status } = await call("POST", "/repair", dangling(more), json);
    expect(status).toBe(200);
    expect(text).toContain(`"output":{"model":"m",${more}"messages":`);
    expect(text).toContain('"rule":"unanswered-call"');
    expect(text).toContain(`x, 1.0, ${big}`);
  });

  test("stay in arguments, in edits and in a converted history", async () => {
    const { call } = serve();
    const repaired = await call("POST", "/repair", dangling("", `{"id":${big},"z":1.0}`), json);
    expect(repaired.text).toContain(`"arguments":"{\\"id\\":${big},\\"z\\":1.0}"`);
    const input = JSON.stringify(list).replace('"input":{}', `"input":{"id":${big}}`);
    const converted = await call("POST", "/convert?from=anthropic&to=openai-chat", input, json);
    expect(converted.text).toContain(`"arguments":"{\\"id\\":${big}}"`);
    const gemini = await call("POST", "/convert", `{"history":${input},"from":"anthropic","to":"gemini"}`, json);
    expect(gemini.text).toContain(`"args":{"id":${big}}`);
  });

  test("stay in a healthy history", async () => {
    const { call } = serve();
    const body = `{"model":"m","seed":${big},"messages":[{"role":"user","content":"x"}]}`;
    const { text } = await call("POST", "/repair", body, json);
    expect(text).toContain(`"output":${body}`);
  });
});
