import { defineRules } from "./rule.ts";

export const shape = defineRules({
  "missing-call-type": {
    title: "A call has no type",
    statement: "Every entry of tool_calls has a type.",
    why: "The call was assembled from stream chunks, or by hand, with only the id and the function.",
    fix: '`type: "function"` is added.',
    lossless: true,
    cases: [
      {
        id: "OAC-CALL-TYPE",
        format: "openai-chat",
        statement: "tool_calls[].type is required.",
        errors: [
          "Missing required parameter: 'messages[2].tool_calls[0].type'.",
          "Invalid value: 'tool_call'. Supported values are: 'function' and 'custom'.",
        ],
        evidence: "issue",
        source: "https://github.com/langchain-ai/langchain-azure/issues/35",
      },
    ],
  },
  "empty-tool-calls": {
    title: "tool_calls is an empty list",
    statement: "tool_calls, if present, has at least one entry.",
    why: "A serializer writes `tool_calls: []` for assistant messages without calls.",
    fix: "The key is deleted.",
    lossless: true,
    cases: [
      {
        id: "OAC-TOOLCALLS-EMPTY",
        format: "openai-chat",
        statement: "tool_calls, if present, has at least one entry.",
        errors: [
          "400 Invalid 'messages[1].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.",
        ],
        evidence: "issue",
        source: "https://github.com/openai/openai-node/pull/1341",
      },
      {
        id: "VLM-TOOLCALLS-EMPTY",
        format: "openai-chat",
        provider: "vllm",
        statement:
          "The Llama 3.1 and 3.2 templates assert one tool call, so an empty list fails; newer versions of vLLM drop it themselves.",
        errors: ["This model only supports single tool-calls at once!"],
        evidence: "issue",
        source: "https://github.com/vllm-project/vllm/issues/13978",
      },
    ],
  },
  "unknown-role": {
    title: "The provider does not support the role",
    statement: "Every message has a role that the format defines.",
    why: "The history comes from another format or framework (`model`, `human`, `function`, `tool`), or the model no longer supports an old role.",
    fix: "The role is mapped to its equivalent in the format; system text moves to the place that the format requires.",
    lossless: true,
    cases: [
      {
        id: "OAC-ROLE",
        format: "openai-chat",
        statement: "Only system, developer, user, assistant, tool and function; reasoning models refuse function.",
        errors: [
          "Invalid value: 'bogus'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.",
          "Unsupported value: 'messages[59].role' does not support 'function' with this model.",
        ],
        evidence: "recorded",
        source:
          "https://github.com/kangminlee-maker/local-OAuth-CLI-API-adapter/blob/4bbd033089736dc80f67e9088cfd0560da1c5c91/test/openai-chat-validation-parity.test.mjs",
      },
      {
        id: "OAR-ROLE",
        format: "openai-responses",
        statement: "Only user, assistant, system and developer; a result is an item, not a role.",
        errors: ["Invalid value: 'tool'. Supported values are: 'assistant', 'system', 'developer', and 'user'."],
        evidence: "recorded",
        source:
          "https://github.com/kangminlee-maker/local-OAuth-CLI-API-adapter/blob/01de5ceca609cc5ed3f0ccc1cac8fbbca578be9c/test/openai-responses-validation-parity.test.mjs",
      },
      {
        id: "ANT-ROLE",
        format: "anthropic",
        statement:
          "Only user and assistant; system text belongs in the top-level field, except on models that accept it between turns.",
        errors: [
          'messages: Unexpected role "bogus". Allowed roles are "user" or "assistant"',
          "role 'system' is not supported on this model",
          "messages.0: use the top-level 'system' parameter for the initial system prompt",
        ],
        evidence: "recorded",
        source:
          "https://github.com/kangminlee-maker/local-OAuth-CLI-API-adapter/blob/0137ad8f8b318a4d03ee31560a6c050bf5452679/test/anthropic-messages-validation-parity.test.mjs",
      },
      {
        id: "GEM-ROLE",
        format: "gemini",
        statement:
          "Every content has the role user or model; before Gemini 3.5, a response turn may have the role function or tool.",
        errors: [
          "Please use a valid role: user, model.",
          "Role 'function' is not supported. Please use a valid role: SYSTEM, SYSTEM_1, USER, ASSISTANT, DEVELOPER, CONTEXT, USER_CONTEXT, MODEL, USER.",
        ],
        evidence: "issue",
        source: "https://github.com/memex-lab/dart_agent_core/issues/34",
      },
      {
        id: "BDR-ROLE",
        format: "bedrock",
        statement: "Only user and assistant; since 2026 also system, on models that accept it between turns.",
        errors: [],
        evidence: "docs",
        source: "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Message.html",
      },
      {
        id: "MIS-ROLE",
        format: "openai-chat",
        provider: "mistral",
        statement: "Only known roles.",
        errors: ["Unsupported message type"],
        evidence: "source-code",
        source:
          "https://github.com/mistralai/mistral-common/blob/bc022b91aa1c3b1fb771ac70931ae0009dbf9bad/src/mistral_common/protocol/instruct/validator.py",
      },
    ],
  },
  "no-messages": {
    title: "There are no messages",
    statement: "The request has at least one message.",
    why: "Trimming removed everything, or the list was built under another key.",
    fix: "No automatic repair, because only the caller knows the message.",
    lossless: true,
    cases: [
      {
        id: "OAC-EMPTY",
        format: "openai-chat",
        statement: "messages is not empty.",
        errors: [
          "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
        ],
        evidence: "issue",
        source: "https://github.com/CopilotKit/CopilotKit/issues/529",
      },
      {
        id: "OAR-EMPTY",
        format: "openai-responses",
        statement: "input is required; it may be empty only with previous_response_id, prompt or conversation.",
        errors: [
          "Missing required parameter: 'input'.",
          "One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation' must be provided.",
        ],
        evidence: "recorded",
        source:
          "https://github.com/kangminlee-maker/local-OAuth-CLI-API-adapter/blob/01de5ceca609cc5ed3f0ccc1cac8fbbca578be9c/test/openai-responses-validation-parity.test.mjs",
      },
      {
        id: "ANT-EMPTY",
        format: "anthropic",
        statement: "messages is not empty.",
        errors: ["messages: at least one message is required"],
        evidence: "recorded",
        source:
          "https://github.com/kangminlee-maker/local-OAuth-CLI-API-adapter/blob/0137ad8f8b318a4d03ee31560a6c050bf5452679/test/anthropic-messages-validation-parity.test.mjs",
      },
      {
        id: "GEM-NO-CONTENTS",
        format: "gemini",
        statement: "contents is not empty.",
        errors: ["* GenerateContentRequest.contents: contents is not specified"],
        evidence: "issue",
        source: "https://github.com/vercel/ai/issues/3775",
      },
      {
        id: "BDR-EMPTY",
        format: "bedrock",
        statement: "messages is not empty, unless modelId is the ARN of a managed prompt.",
        errors: [],
        evidence: "docs",
        source: "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html",
      },
      {
        id: "MIS-EMPTY",
        format: "openai-chat",
        provider: "mistral",
        statement: "The list has at least one message.",
        errors: ["Conversation must have at least one message"],
        evidence: "source-code",
        source:
          "https://github.com/mistralai/mistral-common/blob/bc022b91aa1c3b1fb771ac70931ae0009dbf9bad/src/mistral_common/protocol/instruct/validator.py",
      },
    ],
  },
  "unknown-property": {
    title: "A message has a property that the provider does not support",
    statement: "Messages and items have only the keys that the provider supports.",
    why: "A response of another provider or model was sent back unchanged, with its reasoning, annotations or internal keys.",
    fix: "The key is deleted.",
    lossless: "partly",
    cases: [
      {
        id: "GRQ-UNKNOWN-PROP",
        format: "openai-chat",
        provider: "groq",
        statement:
          "reasoning_content, reasoning_details and annotations are refused on assistant messages, reasoning on models other than Groq's reasoning models.",
        errors: [
          "'messages.2' : for 'role:assistant' … property 'reasoning' is unsupported",
          "property 'reasoning_content' is unsupported",
          "`messages[3].reasoning`: reasoning is not supported with this model",
        ],
        evidence: "issue",
        source: "https://github.com/karthink/gptel/issues/774",
      },
      {
        id: "MIS-UNKNOWN-PROP",
        format: "openai-chat",
        provider: "mistral",
        statement:
          "Assistant messages do not have these keys of other providers, not even with the value null: reasoning_content, reasoning_details, reasoning, annotations, refusal, audio, function_call.",
        errors: [
          '{"type":"extra_forbidden","loc":["body","messages",1,"assistant","reasoning_content"],"msg":"Extra inputs are not permitted"}',
        ],
        evidence: "issue",
        source: "https://github.com/charmbracelet/crush/issues/1590",
      },
      {
        id: "ANT-UNKNOWN-KEY",
        format: "anthropic",
        statement:
          "Blocks have only the keys of their type: no text in a tool_use, no id in a text, no cache_control in thinking.",
        errors: ["messages.65.content.1.tool_use.text: Extra inputs are not permitted"],
        evidence: "issue",
        source: "https://github.com/anthropics/claude-code/issues/4378",
      },
      {
        id: "OAR-UNKNOWN-PARAM",
        format: "openai-responses",
        statement:
          "Items have only the keys of their type: role only on messages, call_id only on calls and outputs, phase only on assistant messages.",
        errors: ["Unknown parameter: 'input[1].role'.", "Unknown parameter: 'input[19].call_id'."],
        evidence: "issue",
        source: "https://github.com/maximhq/bifrost/issues/5101",
      },
    ],
  },
  "chat-shape": {
    title: "A message has the shape of Chat Completions",
    statement: "In the Responses format, calls are separate items, not a key of a message.",
    why: "A Chat Completions history was sent to /v1/responses unchanged.",
    fix: "The calls are split into function_call items, and tool messages into function_call_output items.",
    lossless: true,
    cases: [
      {
        id: "OAR-CHAT-SHAPE",
        format: "openai-responses",
        statement: "Message items have no tool_calls key.",
        errors: ["Unknown parameter: 'input[3].tool_calls'."],
        evidence: "issue",
        source: "https://github.com/openai/openai-python/issues/2677",
      },
    ],
  },
  "unknown-block": {
    title: "A block or an item is of an unknown type",
    statement: "Every block and item is an object of a type that the format defines.",
    why: "The history contains a block of a newer API version, of another provider, or of a type that the client invented.",
    fix: "No automatic repair, because only the caller knows what the block means.",
    lossless: true,
    cases: [
      {
        id: "ANT-BLOCK",
        format: "anthropic",
        statement: "Blocks are objects of a known type.",
        errors: [
          "messages.0.content.0.type: Field required",
          "messages.5.content: Input should be a valid string",
          "messages.166.content.0.tool_result.content.0: Input tag 'tool_reference' found using 'type' does not match any of the expected tags: 'document', 'image', 'search_result', 'text'",
        ],
        evidence: "issue",
        source: "https://github.com/anthropics/claude-code/issues/28870",
      },
      {
        id: "OAR-ITEM",
        format: "openai-responses",
        statement: "Items are objects of a known type; only a message with a role may omit the type.",
        errors: [
          "Invalid type for 'input[0]': expected an input item, but got an integer instead.",
          "Missing required parameter: 'input[1].type'.",
          "Invalid value: 'bogus_item'. Supported values are: 'additional_tools', …, and 'web_search_call'.",
        ],
        evidence: "recorded",
        source:
          "https://github.com/kangminlee-maker/local-OAuth-CLI-API-adapter/blob/01de5ceca609cc5ed3f0ccc1cac8fbbca578be9c/test/openai-responses-validation-parity.test.mjs",
      },
    ],
  },
  "misplaced-block": {
    title: "A call or a result has the wrong role",
    statement: "Calls are in the model's turns, results in the user's.",
    why: "A converter kept the blocks and changed the role, or wrote calls and results into one message.",
    fix: "The blocks are moved into a message of the right role.",
    lossless: true,
    cases: [
      {
        id: "ANT-BLOCK-ROLE",
        format: "anthropic",
        statement: "tool_use is allowed only in assistant messages, tool_result only in user messages.",
        errors: [
          "messages.1: `tool_use` blocks can only be in `assistant` messages",
          "messages.1: `tool_result` blocks can only be in `user` messages",
        ],
        evidence: "issue",
        source: "https://github.com/microsoft/agent-framework/issues/4328",
      },
      {
        id: "GEM-CALL-ROLE",
        format: "gemini",
        statement: "functionCall is allowed only in model turns.",
        errors: [],
        evidence: "derived",
        source: "",
      },
      {
        id: "GEM-RESP-ROLE",
        format: "gemini",
        statement: "functionResponse is not allowed in model turns.",
        errors: [],
        evidence: "issue",
        source: "https://github.com/maximhq/bifrost/pull/2222",
      },
      {
        id: "BDR-BLOCK-ROLE",
        format: "bedrock",
        statement: "toolUse is allowed only in assistant messages, toolResult only in user messages.",
        errors: [],
        evidence: "derived",
        source: "",
      },
    ],
  },
  "missing-tools": {
    title: "The history has tool calls but the request has no tools",
    statement: "A request whose history contains tool blocks also defines tools.",
    why: "The client requests a summary, a title or a handover with the old history and without the tools.",
    fix: "Stub tools are derived from the calls in the history, with the instruction not to use them.",
    lossless: true,
    cases: [
      {
        id: "ANT-TOOLS-MISSING",
        format: "anthropic",
        statement: "tools is defined if the history contains tool_use or tool_result blocks.",
        errors: ["Requests which include `tool_use` or `tool_result` blocks must define tools."],
        evidence: "issue",
        source: "https://portkey.ai/error-library/tool-definition-error-10488",
      },
      {
        id: "BDR-TOOLCONFIG",
        format: "bedrock",
        statement: "toolConfig.tools is present and not empty if the history contains tool blocks.",
        errors: ["The toolConfig field must be defined when using toolUse and toolResult content blocks."],
        evidence: "issue",
        source: "https://github.com/vercel/ai/pull/7537",
      },
    ],
  },
});
