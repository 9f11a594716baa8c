import type { RuleId } from "#core";

/** Error texts from public reports about many servers and gateways, each with its rule. */
export const reportedErrors: readonly { readonly rule: RuleId; readonly text: string }[] = [
  {
    rule: "unknown-property",
    text: '{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\\"error\\":{\\"object\\":\\"error\\",\\"type\\":\\"invalid_request_error\\",\\"code\\":\\"invalid_request_error\\",\\"message\\":\\"Extra inputs are not permitted, field: \'messages[2].reasoning\', value: \'x\'\\"}}","provider_name":"Fireworks"}}}',
  },
  {
    rule: "unknown-property",
    text: "2 request validation errors: Extra inputs are not permitted, field: 'messages[3].tool_calls[0].index', value: 0; Extra inputs are not permitted, field: 'messages[3].reasoning_details'",
  },
  { rule: "unknown-property", text: "messages.65.content.1.tool_use.text: Extra inputs are not permitted" },
  {
    rule: "unknown-property",
    text: "[{'type': 'extra_forbidden', 'loc': ('body', 'messages', 2, 'typed-dict', 'tool_calls'), 'msg': 'Extra inputs are not permitted'}]",
  },
  {
    rule: "unknown-property",
    text: '{"object":"error","detail":[{"type":"extra_forbidden","loc":["body","messages",3,"assistant","refusal"],"msg":"Extra inputs are not permitted","input":null}]}',
  },
  { rule: "unknown-block", text: "Invalid input type 'compaction_trigger' at index 464" },
  { rule: "unknown-block", text: '{"error":{"message":"unsupported input item type: compaction_trigger"}}' },
  {
    rule: "unknown-block",
    text: "Invalid value: 'context_compaction'. Supported values are: 'apply_patch_call', 'apply_patch_call_output', 'code_interpreter_call', 'compaction', 'compaction_trigger', 'computer_call', and 'web_search_call'.",
  },
  { rule: "unknown-block", text: "The 'compaction_trigger' item must be the final input item." },
  {
    rule: "blank-text",
    text: "The conversation history that you provided is incorrectly formatted. The text in content block cannot be null or empty.",
  },
  { rule: "null-content", text: '400 Bad Request: "Param Incorrect" - `text` is not present' },
  { rule: "result-content", text: '{"code": "400", "message": "Param Incorrect", "param": "`text` is not set"}' },
  {
    rule: "missing-reasoning",
    text: '{"error":{"code":"400","message":"Param Incorrect","param":"The reasoning_content in the thinking mode must be passed back to the API.","type":""}}',
  },
  { rule: "missing-reasoning", text: "The `content[].thinking` in the thinking mode must be passed back to the API." },
  {
    rule: "missing-reasoning",
    text: "thinking is enabled but reasoning_content is missing in assistant tool call message at index 2",
  },
  {
    rule: "no-messages",
    text: '{"error":{"code":"400","message":"Param Incorrect","param":"messages must not be empty","type":""}}',
  },
  {
    rule: "unknown-role",
    text: '{"error":{"message":"Input should be <ChatMessageRole.TOOL: \'tool\'>","type":"invalid_request_error","param":"messages.0.function-after[_normalize_content(), ChatCompletionToolMessage].role","code":null}}',
  },
  {
    rule: "orphan-result",
    text: '{"object":"error","message":"Unexpected role RoleEnum.tool","type":"invalid_request_error","param":null,"code":null}',
  },
  {
    rule: "user-after-result",
    text: '{"object":"error","message":"Unexpected role \'user\' after role \'tool\'","type":"invalid_request_message_order","param":null,"code":"3230"}',
  },
  {
    rule: "last-message",
    text: "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",
  },
  { rule: "role-order", text: "Unexpected role 'tool' after role 'user'" },
  {
    rule: "missing-signature",
    text: "Unable to submit request because function call ReadFile in the 4. content block is missing a thought_signature.",
  },
  {
    rule: "empty-error-result",
    text: "The content field at messages.7.content.0.toolResult cannot be empty when status value is error.",
  },
  {
    rule: "blank-text",
    text: "ValidationException: The model returned the following errors: messages: text content blocks must contain non-whitespace text",
  },
  {
    rule: "empty-message",
    text: "The content field in the Message object at messages.3 is empty. Add a ContentBlock object to the content field and try again.",
  },
  {
    rule: "role-order",
    text: "A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.",
  },
  {
    rule: "role-order",
    text: "After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results.",
  },
  {
    rule: "role-order",
    text: "After the (optional) system message(s), user and assistant roles should be alternating.",
  },
  {
    rule: "orphan-result",
    text: "Bad request: Chat message input roles must alternate (user -> assistant -> u -> a -> ...) with an optional system at the start. Tool messages are optional and must follow a preceding assistant message containing tool calls.",
  },
  {
    rule: "text-with-call",
    text: "Jinja Exception: Cannot pass both content and thinking in an assistant message with tool calls! Put the analysis message in one or the other, but not both.",
  },
  { rule: "invalid-call-id", text: "Tool call IDs should be alphanumeric strings with length 9!" },
  { rule: "system-position", text: "Jinja Exception: System message must be at the beginning." },
  { rule: "no-user-message", text: "Error: Jinja Exception: No user query found in messages." },
  {
    rule: "no-user-message",
    text: "<400> InternalError.Algo.InvalidParameter: The input messages do not contain elements with the role of user",
  },
  { rule: "parallel-calls", text: "This model only supports single tool-calls at once!" },
  { rule: "empty-message", text: "invalid request: all elements in history must have a message." },
  {
    rule: "user-after-result",
    text: "invalid request: cannot specify message if the last entry in chat history contains tool results",
  },
  {
    rule: "unanswered-call",
    text: "invalid request: An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ",
  },
  {
    rule: "empty-message",
    text: "{'code': 'Client specified an invalid argument', 'error': 'Invalid request content: Each message must have at least one content element.'}",
  },
  { rule: "content-type", text: "The model expects a single `text` element per message." },
  {
    rule: "content-type",
    text: "'messages.0' : for 'role:system' the following must be satisfied[('messages.0.content' : value must be a string)]",
  },
  {
    rule: "null-content",
    text: "{'message': \"'NoneType' object is not iterable\", 'type': 'invalid_request_error', 'param': 'messages', 'code': 'wrong_api_format'}",
  },
  { rule: "missing-call-type", text: "Message: Missing required parameter: 'messages[2].tool_calls[0].type'." },
  {
    rule: "unknown-role",
    text: "Invalid message={'content': '', 'tool_calls': []} at index 2. Please ensure all messages are valid OpenAI chat completion messages.",
  },
  {
    rule: "orphan-result",
    text: "HTTP 400 invalid_request_error: invalid params, tool result's tool id(call_function_g094w5htkglv_1) not found (2013)",
  },
  { rule: "invalid-call-id", text: "invalid params, tool call id is invalid (2013)" },
  { rule: "unanswered-call", text: "Minimax error: invalid params, tool call and result not match (2013)" },
  {
    rule: "arguments-json",
    text: "invalid params, invalid function arguments json string, toolcallid: 5LJlV4a2z (2013)",
  },
  { rule: "system-position", text: "invalid params, chat content has invalid message role: system (2013)" },
  { rule: "no-user-message", text: '{"error":{"code":"1214","message":"messages 参数非法。请检查文档。"}}' },
  {
    rule: "content-type",
    text: "request param validation error, Value error, message[3].content[2] has invalid field(s): text, ***",
  },
  {
    rule: "null-content",
    text: "messages.1.ChatCompletionMessageGenericParam.content.str\n  Input should be a valid string [type=string_type, input_value=None, input_type=NoneType]",
  },
  {
    rule: "result-content",
    text: "1 validation error for ChatCompletionRequest\nmessages.2.tool.content\n  Input should be a valid string [type=string_type, input_value=[{'type': 'text', 'text': 'Rainy'}], input_type=list]",
  },
  {
    rule: "null-content",
    text: "{'object': 'error', 'message': \"[{'type': 'string_type', 'loc': ('body', 'messages', 2, 'typed-dict', 'content', 'str'), 'msg': 'Input should be a valid string', 'input': None}\"}",
  },
  {
    rule: "empty-tool-calls",
    text: "ValueError: Validating messages' `tool_calls` raised an error. Please ensure `tool_calls` are iterable of tool calls.",
  },
  {
    rule: "content-type",
    text: "1 validation error for Message\ncontent.0\n  Input should be a valid dictionary or instance of Content",
  },
  { rule: "unknown-role", text: 'AssertionError: assert role in ["system", "user", "assistant", "observation"], role' },
  {
    rule: "unknown-role",
    text: '{"code":"InvalidParameter","message":"Role must be user or assistant and Content length must be greater than 0"}',
  },
  {
    rule: "missing-reasoning",
    text: "Item 'fc_034ef' of type 'function_call' was provided without its required 'reasoning' item: 'rs_034'.",
  },
  {
    rule: "dangling-reasoning",
    text: "Item 'rs_057ab' of type 'reasoning' was provided without its required following item.",
  },
  { rule: "missing-reasoning", text: "Item 'msg_01' was provided without its required 'reasoning' item: 'rs_9'." },
  { rule: "unanswered-call", text: "No tool output found for tool call call_00." },
  { rule: "orphan-result", text: "No tool call found for function call output with call_id call_uelf." },
  { rule: "item-id-prefix", text: "Invalid 'input[3].id': 'call_1'. Expected an ID that begins with 'fc'." },
  {
    rule: "thinking-modified",
    text: "messages.3.content.4: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.",
  },
  {
    rule: "arguments-json",
    text: 'litellm.BadRequestError: DashscopeException - <400> InternalError.Algo.InvalidParameter: The "function.arguments" parameter of the code model must be in JSON format.',
  },
  {
    rule: "unknown-block",
    text: "Invalid value: ''. Supported values are: 'additional_tools', 'agent_message', 'apply_patch_call', 'message', 'reasoning', and 'web_search_call'.",
  },
  { rule: "missing-call-id", text: "AI_InvalidResponseDataError: Expected 'id' to be a string" },
  {
    rule: "orphan-result",
    text: '<400> InternalError.Algo.InvalidParameter: messages with role "tool" must be a response to a preceeding message with "tool_calls".',
  },
  {
    rule: "unanswered-call",
    text: "messages.243: `tool_use` ids were found without `tool_result` blocks immediately after: bash-uOQIdN0O.",
  },
  {
    rule: "missing-content",
    text: "Failed to deserialize the JSON body into the target type: messages[1]: missing field `content` at line 1 column 512",
  },
  {
    rule: "missing-result-id",
    text: "Failed to deserialize the JSON body into the target type: messages[2]: missing field `tool_call_id` at line 1 column 900",
  },
  { rule: "missing-call-type", text: "messages[1].tool_calls[0]: missing field `type` at line 1" },
  { rule: "missing-call-id", text: "messages[1].tool_calls[0]: missing field `id` at line 1" },
  {
    rule: "arguments-type",
    text: "messages[1].tool_calls[0].function.arguments: invalid type: map, expected a string at line 1",
  },
  { rule: "missing-name", text: "messages[1].tool_calls[0].function: missing field `name`" },
  {
    rule: "content-type",
    text: "messages[1].content: data did not match any variant of untagged enum ChatCompletionRequestContent",
  },
  { rule: "null-content", text: "messages[2].content: invalid type: null, expected a string at line 1 column 20" },
  {
    rule: "content-type",
    text: "json: cannot unmarshal array into Go struct field ChatRequest.messages.content of type string",
  },
  {
    rule: "last-message",
    text: "The last message of deepseek-reasoner must be a user message, or an assistant message with prefix mode on (refer to https://api-docs.deepseek.com/guides/chat_prefix_completion).",
  },
  {
    rule: "role-order",
    text: "deepseek-reasoner does not support successive user or assistant messages (messages[1] and messages[2] in your input). You should interleave the user/assistant messages in the message sequence.",
  },
  {
    rule: "missing-result-id",
    text: "1 validation error for ToolMessage\ntool_call_id\n  Field required [type=missing, input_value={'content': 'x'}, input_type=dict]",
  },
  {
    rule: "arguments-type",
    text: "1 validation error for AIMessage\ntool_calls.0.args\n  Input should be a valid dictionary [type=dict_type, input_value='{}', input_type=str]",
  },
  {
    rule: "missing-result-id",
    text: "[{'type': 'missing', 'loc': ('body', 'messages', 3, 'tool_call_id'), 'msg': 'Field required', 'input': {}}]",
  },
  {
    rule: "missing-call-id",
    text: '{"detail":[{"type":"missing","loc":["body","messages",2,"assistant","tool_calls",0,"id"],"msg":"Field required"}]}',
  },
  {
    rule: "arguments-type",
    text: '{"detail":[{"type":"string_type","loc":["body","messages",2,"assistant","tool_calls",0,"function","arguments"],"msg":"Input should be a valid string","input":{}}]}',
  },
  { rule: "unknown-role", text: "messages.1.role: Input should be 'user' or 'assistant'" },
  {
    rule: "unknown-role",
    text: "[{'type': 'literal_error', 'loc': ('body', 'messages', 2, 'typed-dict', 'role'), 'msg': \"Input should be 'system'\", 'input': 'assistant'}]",
  },
  { rule: "no-messages", text: "messages: at least one message is required" },
  { rule: "no-messages", text: "* GenerateContentRequest.contents: contents is not specified" },
  {
    rule: "no-messages",
    text: "Unable to submit request because at least one contents field is required. Learn more: https://cloud.google.com",
  },
  {
    rule: "unknown-property",
    text: "Invalid JSON payload received. Unknown name \"reasoning\" at 'contents[0].parts[0]': Cannot find field.",
  },
  { rule: "invalid-signature", text: "Corrupted thought signature." },
  { rule: "unknown-role", text: "Content with system role is not supported." },
  {
    rule: "null-content",
    text: "1 validation error detected: Value null at 'messages.1.member.content' failed to satisfy constraint: Member must not be null",
  },
  {
    rule: "result-content",
    text: 'Parameter validation failed:\nMissing required parameter in messages[2].content[0].toolResult: "content"',
  },
  {
    rule: "content-type",
    text: "Parameter validation failed:\nInvalid type for parameter messages[0].content, value: hello, type: <class 'str'>, valid types: <class 'list'>, <class 'tuple'>",
  },
  {
    rule: "unknown-block",
    text: 'Parameter validation failed:\nUnknown parameter in messages[0].content[0]: "type", must be one of: text, image, document, video, toolUse, toolResult, guardContent',
  },
  {
    rule: "unknown-block",
    text: "Parameter validation failed:\nInvalid number of parameters set for tagged union structure messages[0].content[0]. Can only set one of the following keys: text, image",
  },
  {
    rule: "missing-call-id",
    text: "Parameter validation failed:\nInvalid length for parameter messages[1].content[0].toolUse.toolUseId, value: 0, valid min length: 1",
  },
  {
    rule: "last-message",
    text: "Your API request included an `assistant` message in the final position, which would pre-fill the assistant response. When using tools, pre-filling the `assistant` response is not supported.",
  },
  {
    rule: "unanswered-call",
    text: 'AI_MessageConversionError: ToolInvocation must have a result: {"toolCallId":"call_1"}',
  },
  { rule: "no-messages", text: "AI_InvalidPromptError: Invalid prompt: messages must not be empty" },
  { rule: "system-position", text: "ValueError: Received multiple non-consecutive system messages." },
  { rule: "unknown-role", text: "jinja2.exceptions.TemplateError: System role not supported" },
  { rule: "unknown-role", text: "Only user, system and assistant roles are supported!" },
  {
    rule: "unknown-role",
    text: "Only user and assistant roles are supported, with the exception of an initial optional system message!",
  },
  { rule: "unknown-role", text: "Jinja Exception: Unexpected message role." },
  { rule: "content-type", text: "Jinja Exception: Unexpected item type in content." },
  { rule: "content-type", text: "unsupported content[].type" },
  { rule: "missing-call-type", text: "Failed to parse messages: Missing tool call type: {...}; messages = [...]" },
  { rule: "unknown-role", text: "Failed to parse messages: Missing 'role' in message: {}" },
  { rule: "missing-content", text: "jinja2.exceptions.UndefinedError: 'dict object' has no attribute 'content'" },
  { rule: "null-content", text: 'TypeError: can only concatenate str (not "NoneType") to str' },
  { rule: "content-type", text: 'TypeError: can only concatenate str (not "list") to str' },
  {
    rule: "unknown-property",
    text: "Additional properties are not allowed ('reasoning_content' was unexpected) - 'messages.1'",
  },
  { rule: "unknown-property", text: "Unknown parameter: 'messages[1].reasoning_content'." },
  { rule: "unknown-role", text: "Missing required parameter: 'messages[2].role'." },
  { rule: "unknown-role", text: "Invalid type for 'messages[2]': expected an object, but got a string instead." },
  {
    rule: "empty-tool-calls",
    text: "Invalid type for 'messages[2].tool_calls': expected an array of objects, but got null instead.",
  },
  {
    rule: "invalid-name",
    text: "Invalid 'messages[1].name': string does not match pattern. Expected a string that matches the pattern '^[^\\\\s<|\\\\\\\\/>]+$'.",
  },
  { rule: "result-content", text: "Missing required parameter: 'input[4].output'." },
  {
    rule: "result-content",
    text: "Invalid type for 'input[4].output': expected one of a string or array of objects, but got an object instead.",
  },
  {
    rule: "empty-tool-calls",
    text: "'messages.3' : for 'role:assistant' the following must be satisfied[('messages.3.tool_calls' : minimum number of items is 1)]",
  },
  {
    rule: "no-messages",
    text: "invalid request: message must be at least 1 token long or tool results must be specified.",
  },
  {
    rule: "user-after-result",
    text: "invalid request: cannot specify both message and tool_results in multistep mode",
  },
  { rule: "unknown-role", text: '{"error":{"code":"1214","message":"角色信息不正确"}}' },
  {
    rule: "empty-message",
    text: '{"error":{"code":"1213","message":"The prompt parameter was not received normally."}}',
  },
  {
    rule: "no-messages",
    text: '{"error":{"message":"Input required: specify \\"prompt\\" or \\"messages\\"","code":400}}',
  },
  {
    rule: "role-order",
    text: "openai.BadRequestError: Error code: 400 - {'error': {'message': 'messages: roles must alternate between \"user\" and \"assistant\", but found multiple \"user\" roles in a row'}}",
  },
  { rule: "duplicate-call-id", text: "Invalid request: tool_call_id call_1 is duplicated" },
  {
    rule: "encrypted-reasoning",
    text: "Item with id 'rs_68' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.",
  },
  { rule: "thinking-signature", text: "messages.1.content.0.thinking: each thinking block must contain thinking" },
  { rule: "content-type", text: "messages.0.content: Input should be a valid list" },
  { rule: "unknown-property", text: "messages.2.content.0.tool_use.caller: Extra inputs are not permitted" },
  { rule: "unanswered-call", text: "Tool call 'search' (call_9) has no matching tool result in the conversation" },
  { rule: "orphan-result", text: "Tool result for call_9 has no matching tool call" },
  { rule: "orphan-result", text: "Found a tool message without a preceding assistant tool call" },
  { rule: "unanswered-call", text: "tool_calls must be followed by tool responses" },
  { rule: "unanswered-call", text: "Every tool call must have a corresponding tool response" },
  { rule: "orphan-result", text: "tool_result without matching tool_use" },
  { rule: "duplicate-result", text: "Multiple tool results found for tool call id call_1" },
  { rule: "missing-result-id", text: "tool message is missing tool_call_id" },
  {
    rule: "arguments-json",
    text: "tool call arguments are not valid JSON: Unterminated string starting at: line 1 column 10",
  },
  { rule: "arguments-json", text: "Invalid tool call arguments: expected a JSON object" },
];
