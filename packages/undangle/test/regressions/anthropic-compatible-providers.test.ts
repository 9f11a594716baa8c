import { check, convert, repair, wrapFetch } from "undangle";
import { describe, expect, test } from "vitest";

const user = { role: "user", content: "What is there?" };
const unsigned = { type: "thinking", thinking: "I look." };
const call = { type: "tool_use", id: "call_1", name: "ls", input: {} };
const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: "a.txt" }] };
const tools = [{ name: "ls", input_schema: { type: "object" } }];

const loop = (model: string, ...blocks: readonly object[]) => ({
  model,
  max_tokens: 9,
  thinking: { type: "enabled", budget_tokens: 1024 },
  tools,
  messages: [user, { role: "assistant", content: blocks }, result],
});

const format = "anthropic";

const providers = [
  ["deepseek", "deepseek-v4-pro", "https://api.deepseek.com/anthropic/v1/messages"],
  ["moonshot", "kimi-k2.6", "https://api.moonshot.ai/anthropic/v1/messages"],
  ["moonshot", "kimi-for-coding", "https://api.kimi.com/coding/v1/messages"],
  ["zhipu", "glm-5.2", "https://api.z.ai/api/anthropic/v1/messages"],
  ["zhipu", "glm-5.2", "https://open.bigmodel.cn/api/anthropic/v1/messages"],
  ["minimax", "MiniMax-M3", "https://api.minimax.io/anthropic/v1/messages"],
  ["mimo", "mimo-v2.5-pro", "https://token-plan-cn.xiaomimimo.com/anthropic/v1/messages"],
  ["dashscope", "qwen3.7-max", "https://dashscope.aliyuncs.com/apps/anthropic/v1/messages"],
  ["openrouter", "minimax/minimax-m3", "https://openrouter.ai/api/v1/messages"],
] as const;

/** What wrapFetch sends. */
async function sentTo(url: string, body: object): Promise<unknown> {
  let sent = "";
  const send = wrapFetch({
    logger: false,
    fetch: (_, init) => {
      sent = init?.body as string; // text went in
      return Promise.resolve(Response.json({}));
    },
  });
  await send(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  return JSON.parse(sent);
}

describe("servers of the anthropic format that are not Anthropic's", () => {
  test.each(providers)(
    "%s (%s) gets unsigned thinking back, by option and by host %s",
    async (provider, model, url) => {
      const body = loop(model, unsigned, call);
      expect(check(body, { format, provider })).toEqual([]);
      expect(repair(body, { format, provider }).output).toBe(body);
      expect(await sentTo(url, body)).toEqual(body);

      const broken = { ...body, messages: body.messages.slice(0, 2) };
      const { output, problems } = repair(broken, { format, provider });
      expect(problems).toEqual([]);
      expect(output).toMatchObject({ thinking: body.thinking, messages: [user, body.messages[1], { role: "user" }] });
    },
  );

  test.each(["deepseek-v4-pro", "kimi-k2.6", "glm-5.2", "MiniMax-M3", "mimo-v2.5-pro"])(
    "%s keeps its thinking where nobody says who serves it, and through any gateway",
    async (model) => {
      const body = loop(model, unsigned, call);
      expect(repair(body, { format }).output).toBe(body);
      expect(await sentTo("https://gateway.example/anthropic/v1/messages", body)).toEqual(body);
    },
  );

  test.each([undefined, "anthropic"])("at Anthropic's own models unsigned thinking still goes (%s)", (provider) => {
    const { output, edits } = repair(loop("claude-sonnet-4-5", unsigned, call), { format, provider });
    expect(edits.map(({ rule }) => rule)).toEqual(["thinking-signature", "thinking-first"]);
    expect(output).toMatchObject({ thinking: { type: "disabled" } });
  });

  test.each([
    ["deepseek", "deepseek-v4-pro"],
    ["moonshot", "kimi-k2.6"],
    ["mimo", "mimo-v2.5"],
  ])("%s: calls that have lost their thinking get an empty block", (provider, model) => {
    const body = { ...loop(model, call), thinking: undefined };
    expect(check(body, { format, provider })).toMatchObject([
      { rule: "missing-reasoning", path: "messages[1].content" },
    ]);
    const { output, problems } = repair(body, { format, provider });
    expect(problems).toEqual([]);
    expect(output.messages[1]).toEqual({
      role: "assistant",
      content: [{ type: "thinking", thinking: "", signature: "" }, call],
    });
    expect(repair(output, { format, provider }).output).toBe(output);
    expect(check({ ...body, thinking: { type: "disabled" } }, { format, provider })).toEqual([]);
  });

  test("deepseek: a call that is restored gets one as well", () => {
    const body = { ...loop("deepseek-v4-pro", unsigned, call), messages: [user, result] };
    const { output, problems } = repair(body, { format, provider: "deepseek" });
    expect(problems).toEqual([]);
    expect(output.messages[1]).toMatchObject({ content: [{ type: "thinking" }, { type: "tool_use", id: "call_1" }] });
    expect(repair(output, { format, provider: "deepseek" }).output).toBe(output);
  });

  test("convert writes thoughts in plain words for them, and for nobody else", () => {
    const chat = {
      model: "deepseek-v4-pro",
      messages: [
        user,
        {
          role: "assistant",
          content: "",
          reasoning_content: "I look.",
          tool_calls: [{ id: "call_1", type: "function", function: { name: "ls", arguments: "{}" } }],
        },
        { role: "tool", tool_call_id: "call_1", content: "a.txt" },
      ],
    };
    const { output } = convert(chat, { from: "openai-chat", to: format, provider: "deepseek" });
    expect(JSON.stringify(output)).toContain("I look.");
    const elsewhere = convert(chat, { from: "openai-chat", to: format, model: "claude-sonnet-4-5" });
    expect(JSON.stringify(elsewhere.output)).not.toContain("I look.");
    expect(elsewhere.losses).toMatchObject([{ what: "reasoning" }]);
  });
});
