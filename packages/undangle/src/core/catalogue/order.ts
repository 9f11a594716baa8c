import { defineRules } from "./rule.ts";

export const order = defineRules({
  "role-order": {
    title: "A role follows a role that it must not follow",
    statement: "The roles of messages are in an order that the provider or its chat template allows.",
    why: "Two user messages were sent in a row, a system message was put between turns, or trimming removed the message between two of the same role.",
    fix: "Adjacent messages of the same role are merged, results move to their call, and a short turn is inserted where the order requires it.",
    lossless: true,
    cases: [
      {
        id: "MIS-ROLE-ORDER",
        format: "openai-chat",
        provider: "mistral",
        statement:
          "After system: user, assistant, system. After user: assistant, system, user. After assistant: assistant, user, tool. After tool: assistant, tool.",
        errors: ["Unexpected role 'tool' after role 'user'"],
        evidence: "source-code",
        source:
          "https://github.com/mistralai/mistral-common/blob/bc022b91aa1c3b1fb771ac70931ae0009dbf9bad/src/mistral_common/protocol/instruct/validator.py",
      },
      {
        id: "VLM-ALTERNATE",
        format: "openai-chat",
        provider: "vllm",
        statement: "Chat templates (Mistral, Gemma) require user and assistant to alternate, apart from tool messages.",
        errors: [
          "After the optional system message, conversation roles must alternate user/assistant/user/assistant/...",
        ],
        evidence: "issue",
        source: "https://github.com/charmbracelet/crush/issues/279",
      },
      {
        id: "BDR-ALTERNATE",
        format: "bedrock",
        statement: "Roles alternate strictly.",
        errors: [
          "A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again",
        ],
        evidence: "issue",
        source: "https://github.com/Portkey-AI/gateway/issues/748",
      },
      {
        id: "GEM-CALL-ORDER",
        format: "gemini",
        statement:
          "A function call turn directly follows a user turn or a function response turn; it is never first and never follows a model turn.",
        errors: [
          "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
        ],
        evidence: "issue",
        source: "https://github.com/google-gemini/gemini-cli/issues/11814",
      },
      {
        id: "GEM-ALTERNATE",
        format: "gemini",
        statement: "Strict alternation of user and model is no longer required; consecutive turns are accepted.",
        errors: ["Please ensure that multiturn requests alternate between user and model"],
        evidence: "contested",
        source: "https://github.com/google/adk-go/pull/1302",
      },
    ],
  },
  "first-message": {
    title: "The first message has the wrong role",
    statement: "A conversation begins with a role that the provider accepts there.",
    why: "Trimming cut off the user's first message, and an assistant message or a result came first.",
    fix: "A short user message is inserted at the start.",
    lossless: true,
    cases: [
      {
        id: "MIS-FIRST-ROLE",
        format: "openai-chat",
        provider: "mistral",
        statement: "A single message has the role user or system.",
        errors: ["Conversation must start with a user message or system message"],
        evidence: "source-code",
        source:
          "https://github.com/mistralai/mistral-common/blob/bc022b91aa1c3b1fb771ac70931ae0009dbf9bad/src/mistral_common/protocol/instruct/validator.py",
      },
      {
        id: "BDR-FIRST-USER",
        format: "bedrock",
        statement: "The first message has the role user.",
        errors: ["A conversation must start with a user message."],
        evidence: "issue",
        source: "https://github.com/NousResearch/hermes-agent/pull/63983",
      },
    ],
  },
  "last-message": {
    title: "The last message has the wrong role",
    statement: "A conversation ends with a role that the model can respond to.",
    why: "The request was repeated after a response had been saved, or it relies on prefilling the response, which newer models do not support.",
    fix: "A short user message is added at the end, or the last message is marked as a prefix if the provider supports it. A system message moves up.",
    lossless: true,
    cases: [
      {
        id: "MIS-LAST-ROLE",
        format: "openai-chat",
        provider: "mistral",
        statement: "The last role is user or tool, or assistant with prefix: true.",
        errors: ["Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant"],
        evidence: "source-code",
        source: "https://github.com/0xPlaygrounds/rig/pull/1130",
      },
      {
        id: "GEM-LAST-ROLE",
        format: "gemini",
        statement: "In Gemini 3.5 and later, a request does not end with a model turn; earlier models continue it.",
        errors: [
          "Requests ending with a model turn are not supported.",
          "Please ensure that multiturn requests ends with a user role or a function response.",
        ],
        evidence: "issue",
        source: "https://github.com/pipecat-ai/pipecat/pull/5821",
      },
      {
        id: "ANT-PREFILL",
        format: "anthropic",
        statement:
          "Claude Opus and Sonnet from 4.6 on, 5.x and Fable refuse a final assistant message, and so does any model with thinking enabled.",
        errors: [
          "This model does not support assistant message prefill. The conversation must end with a user message.",
        ],
        evidence: "issue",
        source: "https://github.com/aaif-goose/goose/issues/7425",
      },
    ],
  },
  "trailing-assistants": {
    title: "The history ends with two assistant messages",
    statement: "The list ends with at most one assistant message.",
    why: "A response was saved in two parts, or a retry appended a second one.",
    fix: "The assistant messages are merged.",
    lossless: true,
    cases: [
      {
        id: "LCP-TWO-ASSISTANT",
        format: "openai-chat",
        provider: "llamacpp",
        statement: "The list does not end with two or more assistant messages.",
        errors: ["Cannot have 2 or more assistant messages at the end of the list."],
        evidence: "issue",
        source: "https://github.com/HKUDS/nanobot/issues/2376",
      },
    ],
  },
  "misplaced-prefix": {
    title: "A message before the last has prefix: true",
    statement: "prefix: true is allowed on the last message only.",
    why: "A prefilled response was saved with prefix: true, and the conversation continued.",
    fix: "The key is deleted.",
    lossless: true,
    cases: [
      {
        id: "MIS-PREFIX-LAST",
        format: "openai-chat",
        provider: "mistral",
        statement: "prefix: true is allowed on the last message only.",
        errors: ["Assistant message with prefix True must be last message"],
        evidence: "source-code",
        source:
          "https://github.com/mistralai/mistral-common/blob/bc022b91aa1c3b1fb771ac70931ae0009dbf9bad/src/mistral_common/protocol/instruct/validator.py",
      },
    ],
  },
  "user-after-result": {
    title: "A user message follows a result directly",
    statement: "If the provider requires it, the assistant responds to a result before the next user message.",
    why: "The user sent the next message before the model had responded to the tool's result.",
    fix: "A short assistant message is inserted between them.",
    lossless: true,
    cases: [
      {
        id: "MIS-USER-AFTER-TOOL",
        format: "openai-chat",
        provider: "mistral",
        statement:
          "A user message directly after tool messages: the open-source validator allows it since April 2026; the hosted API refused it in reports until August 2026.",
        errors: ["Unexpected role 'user' after role 'tool'"],
        evidence: "contested",
        source: "https://github.com/avante-corp/avante.nvim/issues/2562",
      },
      {
        id: "COH-USER-AFTER-TOOL",
        format: "openai-chat",
        provider: "cohere",
        statement: "On the v1 API, no user message directly follows tool results.",
        errors: ["invalid request: cannot specify message if the last entry in chat history contains tool results"],
        evidence: "issue",
        source: "https://github.com/oracle/langchain-oracle/pull/9",
      },
    ],
  },
  "text-with-call": {
    title: "Text and calls, or text and results, share a message",
    statement: "If the model requires it, text and tool blocks are in separate turns.",
    why: "The model explained what it was about to do in the message that made the call, or the next user text was merged into the turn with the results.",
    fix: "The text moves into a separate message, before the calls or after the results.",
    lossless: true,
    cases: [
      {
        id: "MIS-BOTH",
        format: "openai-chat",
        provider: "mistral",
        statement: "Up to tokenizer v3, an assistant message has content or tool_calls, not both.",
        errors: ["Assistant message must have either content or tool_calls, but not both."],
        evidence: "issue",
        source: "https://github.com/langchain-ai/langchain/issues/21196",
      },
      {
        id: "BDR-MIXED-TURN",
        format: "bedrock",
        statement: "For some models (Cohere, Mistral, Llama), text and tool blocks do not share a turn.",
        errors: [
          "messages.2.content: Conversation blocks and tool result blocks cannot be provided in the same turn.",
          "messages.1.content: Conversation blocks and tool use blocks cannot be provided in the same turn.",
        ],
        evidence: "issue",
        source: "https://github.com/langchain-ai/langchain-aws/issues/141",
      },
      {
        id: "GEM-MIXED-RESP",
        format: "gemini",
        statement:
          "No text follows functionResponse parts in the same turn (Gemini 3 Flash and later); for 2.x the evidence is contested.",
        errors: ["Requests ending with a model turn are not supported."],
        evidence: "issue",
        source: "https://github.com/google/oss-rebuild/pull/1559",
      },
    ],
  },
  "text-after-call": {
    title: "Text follows a call in the assistant turn",
    statement: "In an assistant turn, no text block follows a tool call block.",
    why: "The model sent text after its call, or the client collected text and calls separately and joined them in the wrong order.",
    fix: "The text moves before the calls.",
    lossless: true,
    cases: [
      {
        id: "ANT-TEXT-AFTER-TOOLUSE",
        format: "anthropic",
        statement: "No text block follows a tool_use block in an assistant turn.",
        errors: ["messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: call_1."],
        evidence: "recorded",
        source:
          "https://github.com/anomalyco/opencode/blob/678c40589f4c75ff88c139ee824ddb840908a912/packages/llm/test/fixtures/recordings/anthropic-messages/rejects-malformed-assistant-tool-order-without-patch.json",
      },
      {
        id: "BDR-TEXT-AFTER-TOOLUSE",
        format: "bedrock",
        statement: "For Claude on Bedrock, no text block follows a toolUse block in an assistant message.",
        errors: ["messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: tooluse_xxx."],
        evidence: "issue",
        source: "https://github.com/BerriAI/litellm/issues/24361",
      },
    ],
  },
  "system-position": {
    title: "A system message is in a place where it is not allowed",
    statement: "System messages appear only where the provider accepts them.",
    why: "A reminder, a summary or a new instruction was appended to the history as a system message.",
    fix: "The message moves to the nearest place that is allowed, or to the start; adjacent system messages are merged.",
    lossless: true,
    cases: [
      {
        id: "MMX-SYSTEM-ROLE",
        format: "openai-chat",
        provider: "minimax",
        statement: "System messages are allowed only at the start.",
        errors: ["invalid params, chat content has invalid message role: system (2013)"],
        evidence: "issue",
        source: "https://github.com/BigPizzaV3/CodexPlusPlus/issues/267",
      },
      {
        id: "ANT-SYS-PLACE",
        format: "anthropic",
        statement:
          "If the model accepts system messages between turns, each follows a user message or a server tool result, and precedes an assistant message or ends the list. It is never between a call and its result, and never adjacent to another.",
        errors: [
          "messages.67: role 'system' must precede an 'assistant' message or end the array",
          "role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool result",
        ],
        evidence: "recorded",
        source:
          "https://github.com/tokenparty-net/llm-xlate/blob/d05394ecc6728524be19f4479203e2b3c4359ac0/crates/e2e/FINDINGS.md",
      },
    ],
  },
  "no-user-message": {
    title: "There is no user message",
    statement: "The request has at least one user message.",
    why: "A sub-agent was started with a system prompt only, or trimming removed the user's messages.",
    fix: "A short user message is inserted.",
    lossless: true,
    cases: [
      {
        id: "GLM-NO-USER",
        format: "openai-chat",
        provider: "zhipu",
        statement: "The list has at least one user message.",
        errors: ['{"code":"1214","message":"The messages parameter is illegal. Please check the documentation."}'],
        evidence: "issue",
        source: "https://github.com/anomalyco/opencode/issues/2557",
      },
    ],
  },
  "trailing-whitespace": {
    title: "The last assistant message ends with white space",
    statement: "The text of a final assistant message does not end with white space.",
    why: "A response was cut off after a space or a line break, and the client sends it back for the model to continue.",
    fix: "The white space at the end is removed.",
    lossless: "partly",
    cases: [
      {
        id: "ANT-TRAILING-WS",
        format: "anthropic",
        statement: "Text at the end of a final assistant message has no trailing white space.",
        errors: ["messages: final assistant content cannot end with trailing whitespace"],
        evidence: "issue",
        source: "https://github.com/GCWing/OpenBitFun/issues/775",
      },
    ],
  },
  "parallel-calls": {
    title: "One assistant message has several calls",
    statement: "If the chat template supports only one call per message, every call is in a separate message.",
    why: "The history comes from a model that calls tools in parallel.",
    fix: "Each call moves into a separate message, followed by its result.",
    lossless: true,
    cases: [
      {
        id: "VLM-TOOLCALLS-EMPTY",
        format: "openai-chat",
        provider: "vllm",
        statement: "The Llama 3.1 and 3.2 templates assert exactly one tool call per message.",
        errors: ["This model only supports single tool-calls at once!"],
        evidence: "issue",
        source: "https://github.com/vllm-project/vllm/issues/13978",
      },
    ],
  },
});
