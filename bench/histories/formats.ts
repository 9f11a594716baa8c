import { argumentsText, argumentsValue, idOf, toolNames } from "./conversation.ts";
import type { Conversation } from "./conversation.ts";

export type Format = keyof typeof formats;

/** A request body, as it comes out of JSON.parse. */
export type Body = Readonly<Record<string, unknown>>;

interface Message {
  readonly role: string;
  readonly content: object[];
}

/** How each format holds a conversation. Every body ends with a user's message. */
export const formats = {
  "openai-chat": ({ turns }) => ({
    model: "gpt-5.1",
    tools: toolNames.map((name) => ({ type: "function", function: { name, parameters: { type: "object" } } })),
    messages: [
      ...turns.flatMap(({ question, calls, results, answer }) => [
        { role: "user", content: question },
        {
          role: "assistant",
          content: null,
          tool_calls: calls.map((call) => ({
            id: idOf(call),
            type: "function",
            function: { name: call.name, arguments: argumentsText(call) },
          })),
        },
        ...results.map((result) => ({ role: "tool", tool_call_id: idOf(result), content: result.text })),
        { role: "assistant", content: answer },
      ]),
      { role: "user", content: last },
    ],
  }),
  anthropic: ({ turns }) => ({
    model: "claude-sonnet-4-5",
    max_tokens: 4096,
    tools: toolNames.map((name) => ({ name, input_schema: { type: "object" } })),
    messages: alternating([
      ...turns.flatMap(({ question, calls, results, answer }) => [
        { role: "user", content: [{ type: "text", text: question }] },
        {
          role: "assistant",
          content: calls.map((call) => ({
            type: "tool_use",
            id: idOf(call, "toolu_01"),
            name: call.name,
            input: argumentsValue(call),
          })),
        },
        {
          role: "user",
          content: results.map((result) => ({
            type: "tool_result",
            tool_use_id: idOf(result, "toolu_01"),
            content: result.text,
          })),
        },
        { role: "assistant", content: [{ type: "text", text: answer }] },
      ]),
      { role: "user", content: [{ type: "text", text: last }] },
    ]),
  }),
  "openai-responses": ({ turns }) => ({
    model: "gpt-5.1",
    tools: toolNames.map((name) => ({ type: "function", name, parameters: { type: "object" } })),
    input: [
      ...turns.flatMap(({ question, calls, results, answer }) => [
        { role: "user", content: question },
        ...calls.map((call) => ({
          type: "function_call",
          call_id: idOf(call),
          name: call.name,
          arguments: argumentsText(call),
        })),
        ...results.map((result) => ({ type: "function_call_output", call_id: idOf(result), output: result.text })),
        { role: "assistant", content: answer },
      ]),
      { role: "user", content: last },
    ],
  }),
  gemini: ({ turns }) => ({
    model: "gemini-2.5-pro",
    tools: [{ functionDeclarations: toolNames.map((name) => ({ name })) }],
    contents: alternating([
      ...turns.flatMap(({ question, calls, results, answer }) => [
        { role: "user", content: [{ text: question }] },
        {
          role: "model",
          content: calls.map((call) => ({ functionCall: { name: call.name, args: argumentsValue(call) } })),
        },
        {
          role: "user",
          content: results.map(({ name, text }) => ({ functionResponse: { name, response: { output: text } } })),
        },
        { role: "model", content: [{ text: answer }] },
      ]),
      { role: "user", content: [{ text: last }] },
    ]).map(({ role, content }) => ({ role, parts: content })),
  }),
  bedrock: ({ turns }) => ({
    modelId: "amazon.nova-pro-v1:0",
    toolConfig: { tools: toolNames.map((name) => ({ toolSpec: { name, inputSchema: { json: { type: "object" } } } })) },
    messages: alternating([
      ...turns.flatMap(({ question, calls, results, answer }) => [
        { role: "user", content: [{ text: question }] },
        {
          role: "assistant",
          content: calls.map((call) => ({
            toolUse: { toolUseId: idOf(call, "tooluse_"), name: call.name, input: argumentsValue(call) },
          })),
        },
        {
          role: "user",
          content: results.map((result) => ({
            toolResult: { toolUseId: idOf(result, "tooluse_"), content: [{ text: result.text }] },
          })),
        },
        { role: "assistant", content: [{ text: answer }] },
      ]),
      { role: "user", content: [{ text: last }] },
    ]),
  }),
  ollama: ({ turns }) => ({
    model: "qwen3",
    tools: toolNames.map((name) => ({ type: "function", function: { name, parameters: { type: "object" } } })),
    messages: [
      ...turns.flatMap(({ question, calls, results, answer }) => [
        { role: "user", content: question },
        {
          role: "assistant",
          content: "",
          tool_calls: calls.map((call) => ({ function: { name: call.name, arguments: argumentsValue(call) } })),
        },
        ...results.map(({ name, text }) => ({ role: "tool", tool_name: name, content: text })),
        { role: "assistant", content: answer },
      ]),
      { role: "user", content: last },
    ],
  }),
  "ai-sdk": ({ turns }) => ({
    messages: [
      ...turns.flatMap(({ question, calls, results, answer }) => [
        { role: "user", content: question },
        {
          role: "assistant",
          content: calls.map((call) => ({
            type: "tool-call",
            toolCallId: idOf(call),
            toolName: call.name,
            input: argumentsValue(call),
          })),
        },
        ...(results.length === 0 ? [] : [{ role: "tool", content: results.map(aiSdkResult) }]),
        { role: "assistant", content: answer },
      ]),
      { role: "user", content: last },
    ],
  }),
  langchain: ({ turns }) => ({
    messages: [
      ...turns.flatMap(({ question, calls, results, answer }) => [
        { type: "human", data: { content: question } },
        {
          type: "ai",
          data: {
            content: "",
            tool_calls: calls.map((call) => ({
              type: "tool_call",
              id: idOf(call),
              name: call.name,
              args: argumentsValue(call),
            })),
            invalid_tool_calls: [],
          },
        },
        ...results.map((result) => ({
          type: "tool",
          data: { content: result.text, tool_call_id: idOf(result), name: result.name, status: "success" },
        })),
        { type: "ai", data: { content: answer, tool_calls: [] } },
      ]),
      { type: "human", data: { content: last } },
    ],
  }),
} as const satisfies Readonly<Record<string, (source: Conversation) => Body>>;

const last = "Thank you. And the next one?";

const aiSdkResult = (result: { readonly serial: number; readonly name: string; readonly text: string }) => ({
  type: "tool-result",
  toolCallId: idOf(result),
  toolName: result.name,
  output: { type: "text", value: result.text },
});

/** Without empty messages, and with neighbours of one role in one message, as these formats want it. */
function alternating(messages: readonly Message[]): readonly Message[] {
  const output: { readonly role: string; content: object[] }[] = [];
  for (const { role, content } of messages) {
    const before = output.at(-1);
    if (before?.role === role) before.content.push(...content);
    else if (content.length > 0) output.push({ role, content: [...content] });
  }
  return output;
}
