import { afterAll, describe, expect, test } from "vitest";
import { streamFormats } from "#codecs";
import { wireServer } from "undangle/testing";
import type { WireServer } from "undangle/testing";
import type { WireFormat } from "../../src/testing/faults/fault.ts";
import { judgeWire } from "../../src/testing/judge/judge.ts";
import { broken } from "../fixtures/broken.ts";

const servers = new Map<string, WireServer>();
afterAll(async () => {
  for (const server of servers.values()) await server.close();
});

/** Why a strict server refuses a request. */
async function refusalOf(path: string, body: object, provider?: string): Promise<string | undefined> {
  const server =
    servers.get(provider ?? "") ??
    (await wireServer({ turns: () => ({ text: "Yes." }), ...(provider !== undefined && { provider }) }));
  servers.set(provider ?? "", server);
  const { status } = await fetch(server.url + path, { method: "POST", body: JSON.stringify(body) });
  expect(status).toBe(400);
  return server.requests.at(-1)?.refused;
}

const hello = { role: "user", content: "Hi." };
const answer = { role: "assistant", content: "Yes?" };

describe("chat", () => {
  const call = (id: unknown, name: unknown = "look_up", args: unknown = "{}") => ({
    id,
    type: "function",
    function: { name, arguments: args },
  });
  const calling = (...calls: unknown[]) => ({ role: "assistant", content: null, tool_calls: calls });
  const result = (id: string, content: unknown = "3") => ({ role: "tool", tool_call_id: id, content });

  test.each([
    {
      messages: [
        hello,
        answer,
        hello,
        calling(call("call_a"), call("call_b"), call("call_c")),
        result("call_b"),
        hello,
      ],
      text: "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_a, call_c",
    },
    {
      messages: [hello, calling(call("call_a"), call(null)), result("call_a")],
      text: "Invalid type for 'messages[1].tool_calls[1].id': expected a string, but got null instead.",
    },
    {
      messages: [hello, calling(call("call_a")), result("call_a"), result("call_a")],
      text: "Invalid parameter: Duplicate value for 'tool_call_id' of 'call_a', in messages[2] and messages[3].",
    },
    {
      messages: [hello, answer, hello, calling(call("x".repeat(47))), result("x".repeat(47))],
      text: "Invalid 'messages[3].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 47 instead.",
    },
    {
      messages: [
        hello,
        calling(call("call_a"), call("call_b", "look_up", { a: 1 })),
        result("call_a"),
        result("call_b"),
      ],
      text: "Invalid type for 'messages[1].tool_calls[1].function.arguments': expected a string, but got an object instead.",
    },
    {
      messages: [hello, calling(call("call_a", "look up")), result("call_a")],
      text: "Invalid 'messages[1].tool_calls[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
    },
    {
      messages: [{ role: "bot", content: "Hi." }],
      text: "Invalid value: 'bot'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.",
    },
    {
      provider: "mistral",
      messages: [hello, calling(call("call_a")), result("call_a")],
      text: "Tool call id was call_a but must be a-z, A-Z, 0-9, with a length of 9.",
    },
    {
      provider: "mistral",
      messages: [hello, { ...answer, reasoning_content: "Hm." }, hello],
      text: '{"type":"extra_forbidden","loc":["body","messages",1,"assistant","reasoning_content"],"msg":"Extra inputs are not permitted"}',
    },
    {
      provider: "deepseek",
      messages: [hello, calling(call("call_a")), hello],
      text: "insufficient tool messages following tool_calls message",
    },
    {
      provider: "minimax",
      messages: [hello, answer, result("call_z"), hello],
      text: "invalid params, tool result's tool id(call_z) not found (2013)",
    },
    {
      provider: "dashscope",
      messages: [hello, calling(call("call_a"), call("call_b")), result("call_a"), hello],
      text: '<400> InternalError.Algo.InvalidParameter: An assistant message with "tool_calls" must be followed by tool messages responding to each "tool_call_id". The following tool_call_ids did not have response messages: message[3].role',
    },
    {
      provider: "moonshot",
      messages: [hello, answer, hello, { role: "assistant", content: "" }, hello],
      text: "Invalid request: the message at position 3 with role 'assistant' must not be empty",
    },
    {
      provider: "zhipu",
      messages: [hello, { role: "assistant", content: "" }, hello],
      text: "messages[1]:content和tool_calls 字段不能同时为空",
    },
    {
      provider: "groq",
      messages: [hello, { ...answer, reasoning_content: "Hm." }, hello],
      text: "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning_content' is unsupported)]",
    },
    {
      provider: "azure",
      messages: [hello, { role: "assistant", tool_calls: [call("call_a")] }, result("call_a")],
      text: "'content' is a required property - 'messages.1'",
    },
    {
      provider: "xai",
      messages: [hello, calling(call("call_a"), call("call_b", "look_up", "{")), result("call_a"), result("call_b")],
      text: "invalid_prompt: Invalid request: messages.1.tool_calls.1.function.arguments: arguments must be a valid JSON object string",
    },
  ])("$text", async ({ messages, text, provider }) => {
    expect(await refusalOf("/v1/chat/completions", { model: "some-model", messages }, provider)).toBe(text);
  });
});

describe("Responses", () => {
  const call = (id: unknown, more: object = {}) => ({
    type: "function_call",
    call_id: id,
    name: "look_up",
    arguments: "{}",
    ...more,
  });
  const output = (id: unknown) => ({ type: "function_call_output", call_id: id, output: "3" });

  test.each([
    { input: [hello, call("call_a"), hello], text: "No tool output found for function call call_a." },
    { input: [hello, call("c"), output("c"), call("c")], text: "Duplicate 'call_id': c" },
    { input: [hello, call("c"), output("c"), output("c")], text: "Duplicate function_call_output for call_id c" },
    {
      input: [hello, { type: "custom_tool_call_output", call_id: "call_z", output: "3" }],
      text: "No tool call found for custom tool call output with call_id call_z.",
    },
    {
      input: [hello, hello, call("c", { id: "call_7" }), output("c")],
      text: "Invalid 'input[2].id': 'call_7'. Expected an ID that begins with 'fc'.",
    },
    { input: [hello, { role: "user" }], text: "Missing required parameter: 'input[1].content'." },
    {
      input: [hello, { role: "assistant", content: [{ type: "input_text", text: "Hi." }] }],
      text: "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
    },
    {
      input: [hello, { ...hello, tool_calls: [] }],
      text: "Unknown parameter: 'input[1].tool_calls'.",
    },
    {
      input: [hello, { type: "reasoning", id: "rs_9", summary: [] }],
      text: "Item 'rs_9' of type 'reasoning' was provided without its required following item.",
    },
  ])("$text", async ({ input, text }) => {
    expect(await refusalOf("/v1/responses", { model: "gpt-4.1", input })).toBe(text);
  });
});

describe("Anthropic", () => {
  const use = (id: string, more: object = {}) => ({ type: "tool_use", id, name: "look_up", input: {}, ...more });
  const result = (id: string, content: unknown = "3") => ({ type: "tool_result", tool_use_id: id, content });
  const said = (...content: unknown[]) => ({ role: "assistant", content });
  const given = (...content: unknown[]) => ({ role: "user", content });
  const search = { type: "server_tool_use", id: "srvtoolu_9", name: "web_search", input: {} };

  test.each([
    {
      messages: [hello, answer, hello, said(use("toolu_a"), use("toolu_b"), use("toolu_c")), given(result("toolu_b"))],
      text: "messages.3: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_a, toolu_c. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    },
    {
      messages: [hello, said(use("toolu_a")), given(result("toolu_a"), result("toolu_z"))],
      text: "messages.2.content.1: unexpected `tool_use_id` found in `tool_result` blocks: toolu_z. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
    },
    {
      messages: [hello, said({ type: "text", text: "Hm." }, search), hello],
      text: "messages.1: `web_search` tool use with id `srvtoolu_9` was found without a corresponding `web_search_tool_result` block",
    },
    {
      messages: [hello, said({ type: "code_execution_tool_result", tool_use_id: "srvtoolu_8", content: [] }), hello],
      text: "messages.1.content.0: unexpected `tool_use_id` found in `code_execution_tool_result` blocks: srvtoolu_8. Each `code_execution_tool_result` block must have a corresponding `server_tool_use` block before it.",
    },
    {
      messages: [hello, said(use("a.b")), given(result("a.b"))],
      text: "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    },
    {
      messages: [
        hello,
        said(use("toolu_a"), use("toolu_b", { input: "{}" })),
        given(result("toolu_a"), result("toolu_b")),
      ],
      text: "messages.1.content.1.tool_use.input: Input should be a valid dictionary",
    },
    {
      messages: [hello, said(use("toolu_a")), given(result("toolu_a", [{ type: "json" }]))],
      text: "messages.2.content.0.tool_result.content.0: Input tag 'json' found using 'type' does not match any of the expected tags: 'document', 'image', 'search_result', 'text'",
    },
    {
      messages: [hello, said(use("toolu_a")), given({ type: "text", text: "Here." }, result("toolu_a"))],
      text: "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_a. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    },
  ])("$text", async ({ messages, text }) => {
    const tools = [{ name: "look_up", input_schema: { type: "object" } }];
    const body = { model: "claude-sonnet-4-5", max_tokens: 9, tools, messages };
    expect(await refusalOf("/v1/messages", body)).toBe(text);
  });
});

describe("Gemini, Bedrock and Ollama", () => {
  const words = (text: string) => ({ role: "user", parts: [{ text }] });
  const use = (toolUseId: string, more: object = {}) => ({ toolUse: { toolUseId, name: "f", input: {}, ...more } });
  const toolConfig = { tools: [{ toolSpec: { name: "f", inputSchema: { json: {} } } }] };

  test.each([
    {
      path: "/v1beta/models/gemini-2.5-pro:generateContent",
      body: {
        contents: [
          words("Hi."),
          { role: "model", parts: [{ functionCall: { name: "f", args: {} } }] },
          { role: "user", parts: [{ functionResponse: { name: "", response: {} } }] },
        ],
      },
      text: "* GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be empty.",
    },
    {
      path: "/v1beta/models/gemini-3-pro:generateContent",
      body: {
        contents: [
          words("Hi."),
          { role: "model", parts: [{ text: "Hm." }, { functionCall: { name: "look_up", args: {} } }] },
          { role: "user", parts: [{ functionResponse: { name: "look_up", response: {} } }] },
        ],
      },
      text: "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `default_api:look_up`, position 2.",
    },
    {
      path: "/model/amazon.nova-pro-v1:0/converse",
      body: {
        toolConfig,
        messages: [
          { role: "user", content: [{ text: "Hi." }] },
          { role: "assistant", content: [use("tooluse_a"), use("tooluse_b")] },
          { role: "user", content: [{ text: "And?" }] },
        ],
      },
      text: "Expected toolResult blocks at messages.2.content for the following Ids: tooluse_a, tooluse_b",
    },
    {
      path: "/model/amazon.nova-pro-v1:0/converse",
      body: {
        toolConfig,
        messages: [
          { role: "user", content: [{ text: "Hi." }] },
          { role: "assistant", content: [{ text: "Hm." }, use("a b")] },
          { role: "user", content: [{ toolResult: { toolUseId: "a b", content: [{ text: "3" }] } }] },
        ],
      },
      text: "1 validation error detected: Value at 'messages.2.member.content.2.member.toolUse.toolUseId' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.:-]+",
    },
    {
      path: "/api/chat",
      body: {
        model: "qwen3",
        messages: [{ role: "assistant", content: "", tool_calls: [{ function: { name: "f", arguments: [1] } }] }],
      },
      text: "json: cannot unmarshal array into Go struct field ChatRequest.messages.tool_calls.function.arguments of type api.ToolCallFunctionArguments",
    },
  ])("$text", async ({ path, body, text }) => {
    expect(await refusalOf(path, body)).toBe(text);
  });
});

describe("no refusal quotes another request", () => {
  const wires: ReadonlySet<string> = new Set(streamFormats);

  /** What a text quotes that the body does not have. */
  function foreignIn(text: string, body: unknown): readonly string[] {
    const given = JSON.stringify(body);
    const ids = text.match(/\b(?:call|toolu|srvtoolu|tooluse|fc|ctc|rs|msg)_[\w-]+/gu) ?? [];
    const indexes = [...text.matchAll(/\b(?:messages|message|input|contents)(?:\[(\d+)\]|\.(\d+)\b)/gu)];
    const count = listOf(body).length;
    return [
      ...(text.match(/…|XXX|\b[XNn]\b(?=[.\]])/gu) ?? []),
      ...ids.filter((id) => !["call_id"].includes(id) && !given.includes(id)),
      // Amazon counts from 1, and names the message that ought to follow the last.
      ...indexes.filter(([, a, b]) => Number(a ?? b) > count).map(([whole]) => whole),
    ];
  }

  function listOf(body: unknown): readonly unknown[] {
    if (Array.isArray(body)) return body;
    const { messages, input, contents } = body as Readonly<Record<string, unknown>>; // a request body
    return [messages, input, contents].find((list) => Array.isArray(list)) ?? [];
  }

  test.each(broken.filter(({ format }) => wires.has(format)))("$id", ({ format, provider, body }) => {
    const court = { format: format as WireFormat, ...(provider !== undefined && { provider }) }; // those of the set
    const verdicts = judgeWire(body, court);
    expect(verdicts).not.toEqual([]);
    expect(verdicts.filter(({ text }) => foreignIn(text, body).length > 0)).toEqual([]);
  });
});
