import { check, repair, wrapFetch } from "undangle";
import { describe, expect, test } from "vitest";

const ask = { role: "user", content: "What is there?" };
const call = (id: string): object => ({ id, type: "function", function: { name: "ls", arguments: "{}" } });
const calling = (extra: object = {}): object => ({
  role: "assistant",
  content: "",
  tool_calls: [call("aaaaaaaa1")],
  ...extra,
});
const result = { role: "tool", tool_call_id: "aaaaaaaa1", content: "a.txt" };

describe("Mistral: a user message directly after a result", () => {
  const provider = "mistral";

  test("is reported as likely, and an assistant message is put between them", () => {
    const list = [ask, calling(), result, ask];
    expect(check(list, { provider })).toMatchObject([
      { rule: "user-after-result", path: "messages[3]", confidence: "likely", repairable: true },
    ]);
    const { output, problems, edits } = repair(list, { provider });
    expect(problems).toEqual([]);
    expect(edits).toMatchObject([{ rule: "user-after-result", type: "insert", to: "messages[3]", lossless: true }]);
    expect(output.map((message) => "role" in message && message.role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
    ]);
    expect([output[0], output[1], output[2], output[4]]).toEqual(list);
    expect(repair(output, { provider }).output).toBe(output);
  });

  test.each(["en", "zh"] as const)("also after an interruption that is repaired (%s)", (language) => {
    const { output } = repair([ask, calling(), ask], { provider, language });
    const [, , notice, between, last] = output as readonly { readonly role: string; readonly content: string }[];
    expect([notice?.role, between?.role]).toEqual(["tool", "assistant"]);
    expect(between?.content).not.toBe("");
    expect(last).toBe(ask);
  });

  test("through OpenRouter as well, and nowhere else", () => {
    const body = { model: "mistralai/mistral-large-2512", messages: [ask, calling(), result, ask] };
    expect(check(body, { provider: "openrouter" }).map(({ rule }) => rule)).toEqual(["user-after-result"]);
    expect(check({ ...body, model: "x" }, { provider: "openrouter" })).toEqual([]);
    expect(check(body, { provider: "openai" })).toEqual([]);
  });
});

describe("reasoning that an upstream wants back", () => {
  test.each([
    ["deepseek/deepseek-v4-flash", {}],
    ["deepseek/deepseek-chat-v3.1", { reasoning: { enabled: true } }],
    ["moonshotai/kimi-k2.6", {}],
    ["xiaomi/mimo-v2.5-pro", {}],
    ["xiaomi/mimo-v2-flash", { reasoning: { effort: "high" } }],
  ])("%s at OpenRouter", (model, extra) => {
    const provider = "openrouter";
    const body = { model, ...extra, messages: [ask, calling(), result, ask] };
    expect(check(body, { provider })).toMatchObject([{ rule: "missing-reasoning", confidence: "likely" }]);
    const { output, problems } = repair(body, { provider });
    expect(problems).toEqual([]);
    expect(output.messages[1]).toEqual({ ...calling(), reasoning_content: "" });
    for (const kept of [{ reasoning: "so" }, { reasoning_details: [{ type: "reasoning.text", text: "so" }] }]) {
      expect(check({ ...body, messages: [ask, calling(kept), result] }, { provider })).toEqual([]);
    }
  });

  test("is not asked for where thinking is off", () => {
    const body = {
      model: "deepseek/deepseek-v4-flash",
      reasoning: { enabled: false },
      messages: [ask, calling(), result],
    };
    expect(check(body, { provider: "openrouter" })).toEqual([]);
  });
});

describe("MiMo", () => {
  const provider = "mimo";

  test("takes no null beside calls and no list as a result, and wants reasoning back", () => {
    const image = { type: "image_url", image_url: { url: "https://example.org/a.png" } };
    const shown = { ...result, content: [{ type: "text", text: "one" }, { type: "text", text: "two" }, image] };
    const body = { model: "mimo-v2.5", messages: [ask, calling({ content: null }), shown, ask] };
    expect(check(body, { provider }).map(({ rule }) => rule)).toEqual([
      "null-content",
      "missing-reasoning",
      "image-role",
      "result-content",
    ]);
    const { output, problems } = repair(body, { provider });
    expect(problems).toEqual([]);
    expect(output.messages[1]).toEqual(calling({ content: " ", reasoning_content: "" }));
    expect(output.messages[2]).toEqual({ ...result, content: "one\n\ntwo" });
    expect(JSON.stringify(output.messages[3])).toContain("https://example.org/a.png");
    expect(repair(output, { provider }).output).toBe(output);
  });

  test("is told by its host, and by its models at hosts that nobody knows", async () => {
    for (const url of [
      "https://api.xiaomimimo.com/v1/chat/completions",
      "https://gateway.example/v1/chat/completions",
    ]) {
      let sent = "";
      const send = wrapFetch({
        logger: false,
        fetch: (_, init) => {
          sent = init?.body as string; // the body of a request is its text here
          return Promise.resolve(Response.json({}));
        },
      });
      const body = { model: "mimo-v2-flash", messages: [ask, calling({ content: null }), result] };
      await send(url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      expect(JSON.parse(sent)).toMatchObject({ messages: [ask, { content: " " }, result] });
    }
  });
});
