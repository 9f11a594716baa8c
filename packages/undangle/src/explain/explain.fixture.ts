import type { RuleId } from "#core";
import { rules } from "#core";
import { explain } from "./explain.ts";

/** Every error text of the catalogue with its rule. */
export const catalogueTexts = (Object.keys(rules) as RuleId[]).flatMap((rule) =>
  rules[rule].cases.flatMap(({ id, errors }) => errors.map((text) => ({ id, rule, text }))),
);

/** Wrappings of an error text by libraries, gateways, terminals and people. */
export const wrappers: Readonly<Record<string, (text: string) => string>> = {
  bare: (text) => text,
  litellm: (text) => `litellm.BadRequestError: OpenAIException - ${text} Received Model Group=gpt-4o\nFallbacks=None`,
  python: (text) =>
    `openai.BadRequestError: Error code: 400 - {'error': {'message': ${pythonText(text)}, 'type': 'x'}}`,
  json: (text) => JSON.stringify({ type: "error", error: { type: "invalid_request_error", message: text } }),
  "json in json": (text) => JSON.stringify({ error: JSON.stringify({ error: { message: text } }) }),
  openrouter: (text) =>
    JSON.stringify({ error: { message: "Oops", code: 400, metadata: { raw: JSON.stringify({ message: text }) } } }),
  entities: (text) => `<p>${text.replaceAll(/["'&<>`]/gu, (sign) => `&#${sign.codePointAt(0)};`)}</p>`,
  trace: (text) =>
    `Traceback (most recent call last):\n  File "app.py", line 12, in run\n    raise error\nApiError: ${text}\n    at async run (file:///app/index.js:1:2)`,
  "other quotes": (text) => text.replaceAll(/["'`]/gu, "”"),
  "upper case": (text) => text.toUpperCase(),
};

/** The same text about other messages and other calls. */
export function elsewhere(text: string, number: number, id: string): string {
  return text
    .replaceAll(/(?<![\w-])\d+(?![\w-])/gu, String(number))
    .replaceAll(
      /\b(call|toolu|fc|rs|srvtoolu|tooluse)_(?:…|\.\.\.|X+|x+|1)/gu,
      (_, prefix: string) => `${prefix}_${id}`,
    );
}

/** The position of the rule among the explanations of the text. Infinity if the text is not recognised. */
export function placeOf(rule: RuleId, text: string): number {
  const place = explain(text).findIndex((one) => one.rule === rule && one.confidence !== "nearest");
  return place === -1 ? Number.POSITIVE_INFINITY : place;
}

/** The last accepted position of a rule: second, except for rules that share their text with two or three likelier rules. */
export function lastPlace(rule: RuleId): number {
  return rule === "text-after-call" ? 2 : rule === "result-not-first" ? 3 : 1;
}

/** A text as Python's repr() writes it. */
function pythonText(text: string): string {
  return text.includes("'") && !text.includes('"') ? `"${text}"` : `'${text.replaceAll("'", String.raw`\'`)}'`;
}

/**
 * Error texts as users see them: wrapped, escaped, truncated, coloured, with other ids and names, each with its first
 * rule.
 */
export const wrappedTexts: readonly { readonly rule: RuleId; readonly text: string }[] = [
  {
    rule: "unanswered-call",
    text: "litellm.BadRequestError: OpenAIException - An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_abc",
  },
  {
    rule: "unanswered-call",
    text: `Error code: 400 - {'error': {'message': "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_9, call_10", 'type': 'invalid_request_error', 'param': 'messages.[4].role', 'code': None}}`,
  },
  {
    rule: "unanswered-call",
    text: String.raw`{"error":{"message":"litellm.BadRequestError: AnthropicException - b'{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"messages.5: \\\"tool_use\\\" ids were found without \\\"tool_result\\\" blocks immediately after: toolu_x\"}}'","code":"400"}}`,
  },
  {
    rule: "unanswered-call",
    text: String.raw`{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"messages.2: \u0060tool_use\u0060 ids were found without \u0060tool_result\u0060 blocks immediately after: toolu_01\"}}","provider_name":"Anthropic"}}}`,
  },
  {
    rule: "unanswered-call",
    text: "API Error: 400 \n    {&quot;type&quot;:&quot;error&quot;,&quot;error&quot;:{&quot;message&quot;:&quot;messages.89: \n    `tool_use` ids were found without `tool_result` blocks immediately after: \n    toolu_01EG&quot;}}",
  },
  {
    rule: "unanswered-call",
    text: '<400> InternalError.Algo.InvalidParameter: An assistant message with "tool_calls" must be followed by tool messages responding to each "tool_call_id". The following tool_call_ids did not have response messages: message[12].role',
  },
  {
    rule: "unanswered-call",
    text: "AN ASSISTANT MESSAGE WITH ‘TOOL_CALLS’ MUST BE FOLLOWED BY TOOL MESSAGES RESPONDING TO EACH ‘TOOL_CALL_ID’.",
  },
  {
    rule: "unanswered-call",
    text: "An assistant message with 'tool_calls' must be followed by tool mess… (truncated)",
  },
  {
    rule: "unanswered-call",
    text: "│ openai.BadRequestError: an assistant message with 'tool_calls' must be follow │\n│ ed by tool messages responding to each 'tool_call_id'. The following tool_call │\n│ _ids did not have response messages: Shell:58                                  │",
  },
  {
    rule: "unanswered-call",
    text: "\u001B[31mError:\u001B[0m 400 An assistant message with \u001B[1m'tool_calls'\u001B[0m must be followed by tool messages responding to each 'tool_call_id'. (insufficient tool messages following tool_calls message)",
  },
  {
    rule: "unanswered-call",
    text: String.raw`An assistant message with **tool\_calls** must be followed by tool messages`,
  },
  {
    rule: "unanswered-call",
    text: "<p>An assistant message with <code>tool_calls</code> must be followed by tool messages responding to each <code>tool_call_id</code></p>",
  },
  {
    rule: "unanswered-call",
    text: "> messages.130: `tool_use` ids were found without\n> `tool_result` blocks immediately after: toolu_01G2Q9",
  },
  {
    rule: "unanswered-call",
    text: "stream error: No tool output found for custom tool call call_77. (request id: 20260101)",
  },
  {
    rule: "unanswered-call",
    text: String.raw`{"error":{"message":"{\n  \"error\": {\n    \"code\": 400,\n    \"message\": \"Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.\",\n    \"status\": \"INVALID_ARGUMENT\"\n  }\n}\n","code":400,"status":"Bad Request"}}`,
  },
  {
    rule: "unanswered-call",
    text: "400 Please ensure that the number of function response parts should be equal to number of function call parts of the function call turn.",
  },
  {
    rule: "unanswered-call",
    text: "botocore.errorfactory.ValidationException: An error occurred (ValidationException) when calling the ConverseStream operation: Expected toolResult blocks at messages.4.content for the following Ids: tooluse_A, tooluse_B, but found: tooluse_C",
  },
  {
    rule: "unanswered-call",
    text: "Did not find 1 tool_result block(s) at the beginning of this message. Messages following tool_use blocks must begin with a matching number of tool_result blocks.",
  },
  {
    rule: "unanswered-call",
    text: "ValueError: Found AIMessages with tool_calls that do not have a corresponding ToolMessage. Here are the first few of those tool calls: [{'name': 'f', 'args': {}, 'id': 'call_6V2'}].",
  },
  { rule: "unanswered-call", text: "AI_MissingToolResultsError: Tool result is missing for tool call call_5." },
  {
    rule: "unanswered-call",
    text: '{"object":"error","message":"Not the same number of function calls and responses","code":"3230"}',
  },
  {
    rule: "displaced-result",
    text: '{"type":"error","error":{"type":"bad_request_error","message":"invalid params, tool call result does not follow tool call (2013)"},"request_id":"06"}',
  },
  {
    rule: "displaced-result",
    text: "[400 Bad Request] Please ensure that function response turn comes immediately after a function call turn.",
  },
  {
    rule: "orphan-result",
    text: "status 400 gpt-4.1: Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
  },
  {
    rule: "orphan-result",
    text: '[Error: HTTP 400:\n{"error":{"message":"Messages with role \'tool\' must be a response to a preceding\nmessage with\n\'tool_calls\'","type":"invalid_request_error"}}]',
  },
  {
    rule: "orphan-result",
    text: 'Invalid parameter: messages with role "tool" must follow a preceding message with "tool_calls".',
  },
  {
    rule: "orphan-result",
    text: "Invalid parameter: 'tool_call_id' of 'call_XXXXXXXXX' not found in 'tool_calls' of previous message.",
  },
  { rule: "orphan-result", text: "Invalid request: tool_call_id search:3 is not found" },
  {
    rule: "orphan-result",
    text: String.raw`[{"error":"Error: 400 {\"type\":\"error\",\"error\":{\"message\":\"messages.48.content.1: unexpected \`tool_use_id\` found in \`tool_result\` blocks: toolu_019. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.\"}}\n    at generate (/$bunfs/root/claude:109:10367)"}]`,
  },
  {
    rule: "orphan-result",
    text: "请问下400 No tool call found for function call output with call_id fcUdHXdv33lqE3HoR9P6yJNJ7. 是什么问题？",
  },
  {
    rule: "orphan-result",
    text: "messages.2.content.0: `tool_result` block(s) provided when previous message does not contain any `tool_use` blocks",
  },
  {
    rule: "orphan-result",
    text: "The number of toolResult blocks at messages.14.content exceeds the number of toolUse blocks of previous turn.",
  },
  { rule: "orphan-result", text: "invalid params, tool result's tool id(call_function_9k_1) not found (2013)" },
  {
    rule: "duplicate-result",
    text: "Invalid parameter: Duplicate value for 'tool_call_id' of 'call_Q', in messages[70] and messages[81].",
  },
  {
    rule: "duplicate-result",
    text: "each tool_use must have a single result. Found multiple `tool_result` blocks with id: toolu_9",
  },
  { rule: "duplicate-result", text: "Duplicate function_call_output for call_id read_file:12" },
  { rule: "duplicate-result", text: "The toolResult blocks at messages.8.content contain duplicate Ids: tooluse_9Z" },
  { rule: "duplicate-call-id", text: "The toolUse blocks at messages.8.content contain duplicate Ids: search_web" },
  { rule: "duplicate-call-id", text: "Duplicate 'call_id': call_same_1" },
  {
    rule: "duplicate-item",
    text: "Duplicate item found with id msg_0a. Remove duplicate items from your input and try again.",
  },
  { rule: "missing-call-id", text: "messages.9.content.4.tool_use.id: Field required" },
  {
    rule: "missing-call-id",
    text: "Invalid type for 'messages[12].tool_calls[3].id': expected a string, but got null instead.",
  },
  {
    rule: "missing-result-id",
    text: "{'error': {'message': \"Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'.\", 'param': 'messages.[3].tool_call_id'}}",
  },
  {
    rule: "missing-result-id",
    text: "'messages.3' : for 'role:tool' the following must be satisfied[('messages.3.tool_call_id' : property 'tool_call_id' is missing)]",
  },
  {
    rule: "invalid-call-id",
    text: "Invalid 'messages[2].tool_call_id': string too long. Expected a string with maximum length 40, but got a string with length 64 instead.",
  },
  {
    rule: "invalid-call-id",
    text: "messages.31.content.2.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
  },
  { rule: "invalid-call-id", text: "Tool call id was functions.bash:0 but must be a-z, A-Z, 0-9, with a length of 9." },
  {
    rule: "server-call-id",
    text: "messages.1.content.3.server_tool_use.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'",
  },
  {
    rule: "item-id-length",
    text: "CAPIError: 400 Invalid 'input[4].id': string too long. Expected a string with maximum length 64, but got a string with length 408 instead.",
  },
  { rule: "item-id-prefix", text: "Invalid 'input[7].id': 'item_9'. Expected an ID that begins with 'msg'." },
  {
    rule: "invalid-name",
    text: "1 validation error detected: Value at 'messages.6.member.content.3.member.toolUse.name' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+",
  },
  {
    rule: "invalid-name",
    text: "Function name was my tool but must be a-z, A-Z, 0-9, or contain underscores and dashes",
  },
  {
    rule: "missing-name",
    text: "GenerateContentRequest.contents[14].parts[3].function_response.name: Name cannot be empty.\n",
  },
  {
    rule: "arguments-type",
    text: "messages.8.content.2.tool_use.input: Input should be a valid dictionary (request id: req_011)",
  },
  {
    rule: "arguments-type",
    text: '{"error":"json: cannot unmarshal string into Go struct field ChatRequest.messages.tool_calls.function.arguments of type api.ToolCallFunctionArguments"}',
  },
  {
    rule: "arguments-json",
    text: "litellm.InternalServerError: InternalServerError: Custom_openaiException - Failed to parse tool call arguments as JSON: [json.exception.parse_error.101] parse error at line 1, column 131",
  },
  {
    rule: "arguments-json",
    text: "invalid params, invalid function arguments json string, tool_call_id: call_function_zz_9 (2013)",
  },
  {
    rule: "missing-tools",
    text: "litellm.UnsupportedParamsError: Bedrock doesn't support tool calling without `tools=` param specified.",
  },
  {
    rule: "missing-tools",
    text: "The toolConfig field must be defined when using the toolUse and toolResult content blocks",
  },
  { rule: "empty-message", text: "Invalid assistant message: content or tool_calls must be set" },
  {
    rule: "empty-message",
    text: "Error 400, Message: Unable to submit request because it must include at least one parts field, which describes the prompt input.",
  },
  { rule: "empty-message", text: "messages[7]:content和tool_calls 字段不能同时为空" },
  {
    rule: "empty-message",
    text: String.raw`{"message":"messages[2]:content\u548ctool_calls \u5b57\u6bb5\u4e0d\u80fd\u540c\u65f6\u4e3a\u7a7a"}`,
  },
  {
    rule: "no-user-message",
    text: String.raw`{"error":{"code":"1214","message":"messages \u53c2\u6570\u975e\u6cd5\u3002"}}`,
  },
  {
    rule: "no-user-message",
    text: "AI_APICallError: The messages parameter is illegal. Please check the documentation.",
  },
  { rule: "empty-text", text: "messages: text content blocks must be non-empty" },
  {
    rule: "blank-text",
    text: "The text field in the ContentBlock object at messages.41.content.3 is blank. Add text to the text field",
  },
  {
    rule: "null-content",
    text: "Invalid type for 'input[31].content': expected one of an array of objects or string, but got null instead.",
  },
  {
    rule: "content-type",
    text: "Failed to deserialize the JSON body into the target type: messages[2]: invalid type: sequence, expected a string",
  },
  {
    rule: "missing-content",
    text: '{"detail":[{"type":"missing","loc":["body","messages",5,"ChatCompletionRequestAssistantMessage","content"],"msg":"Field required"}]}',
  },
  {
    rule: "unknown-role",
    text: "Invalid value: 'human'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.",
  },
  {
    rule: "unknown-property",
    text: "'messages.9' : for 'role:assistant' the following must be satisfied[('messages.9' : property 'audio' is unsupported)]",
  },
  { rule: "unknown-property", text: "Unknown parameter: 'input[44].status'." },
  { rule: "chat-shape", text: "400 Unknown parameter: 'input[12].tool_calls'." },
  {
    rule: "role-order",
    text: "jinja2.exceptions.TemplateError: Conversation roles must alternate user/assistant/user/assistant/...",
  },
  {
    rule: "role-order",
    text: 'messages: roles must alternate between "user" and "assistant", but found multiple "user" roles in a row',
  },
  { rule: "role-order", text: "Unexpected role 'tool' after role 'system'" },
  {
    rule: "last-message",
    text: "This model does not support assistant message prefill. The conversation must end with a user message.",
  },
  {
    rule: "system-position",
    text: "messages.9: role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool result",
  },
  {
    rule: "missing-reasoning",
    text: "Missing `reasoning_content` field in the assistant message at message index 22. For more information, please refer to https://api-docs.deepseek.com/guides/thinking_mode#tool-calls",
  },
  {
    rule: "missing-reasoning",
    text: "Item 'msg_07b2' of type 'message' was provided without its required 'reasoning' item: 'rs_07b2'.",
  },
  {
    rule: "dangling-reasoning",
    text: "Item 'rs_9' of type 'reasoning' was provided without its required following item.",
  },
  {
    rule: "thinking-first",
    text: "messages.13.content.0.type: Expected `thinking` or `redacted_thinking`, but found `text`.",
  },
  { rule: "thinking-signature", text: "messages.1.content.0.thinking.signature: Field required" },
  {
    rule: "missing-signature",
    text: "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly. Additional data, function call `default_api:bash` , position 51.",
  },
  {
    rule: "unpaired-server-call",
    text: "messages.3: `web_search` tool use with id `srvtoolu_9Q` was found without a corresponding `web_search_tool_result` block",
  },
  {
    rule: "orphan-server-result",
    text: "messages.7.content.2: unexpected `tool_use_id` found in `web_search_tool_result` blocks: srvtoolu_9",
  },
  { rule: "upstream-error", text: '{"error":{"message":"Provider returned error","code":400}}' },
];
