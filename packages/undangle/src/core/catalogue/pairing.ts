import { defineRules } from "./rule.ts";

/** Every call has one result, and every result its call, next to each other. */
export const pairing = defineRules({
  "unanswered-call": {
    title: "A tool call has no result",
    statement:
      "Every tool call of an assistant turn has its result where the provider expects it, even if that turn is the last.",
    why: "The run was interrupted before the tool finished: the user sent another message, the process died, an approval never came, or only some of several parallel calls were saved. Every later request with the stored history then fails.",
    fix: "A result is added where the provider expects it. It truthfully states that the call was cancelled, interrupted or never executed.",
    lossless: true,
    cases: [
      {
        id: "OAC-UNANSWERED",
        format: "openai-chat",
        statement:
          "Every id in tool_calls has a tool message in the unbroken block directly after its assistant message, even at the end of the list.",
        errors: [
          "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_…",
        ],
        evidence: "issue",
        source: "https://github.com/Azure/azure-sdk-for-python/issues/45875",
      },
      {
        id: "ANT-UNANSWERED",
        format: "anthropic",
        statement:
          "Every tool_use has its tool_result in the next user turn; an assistant turn with tool_use at the end of the list is refused too.",
        errors: [
          "messages.167: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_…. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
        ],
        evidence: "issue",
        source: "https://github.com/anthropics/claude-code/issues/8210",
      },
      {
        id: "OAR-UNANSWERED",
        format: "openai-responses",
        statement:
          "Every function_call or custom_tool_call has an output item with its call_id somewhere after it in input, unless it is async.",
        errors: ["No tool output found for function call call_…."],
        evidence: "issue",
        source: "https://github.com/openai/codex/issues/394",
      },
      {
        id: "GEM-COUNT",
        format: "gemini",
        statement: "A model turn with N functionCall parts is followed by one turn with N functionResponse parts.",
        errors: [
          "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
        ],
        evidence: "issue",
        source: "https://github.com/microsoft/vscode/issues/299295",
      },
      {
        id: "BDR-UNANSWERED",
        format: "bedrock",
        statement: "Every toolUse has a toolResult in the next user message.",
        errors: ["Expected toolResult blocks at messages.22.content for the following Ids: tooluse_…"],
        evidence: "issue",
        source: "https://github.com/NousResearch/hermes-agent/issues/108584",
      },
      {
        id: "MIS-COUNT",
        format: "openai-chat",
        provider: "mistral",
        statement: "There are as many results as calls before the next assistant message or the end of the list.",
        errors: ["Not the same number of function calls and responses"],
        evidence: "source-code",
        source:
          "https://github.com/mistralai/mistral-common/blob/bc022b91aa1c3b1fb771ac70931ae0009dbf9bad/src/mistral_common/protocol/instruct/validator.py",
      },
      {
        id: "DSK-UNANSWERED",
        format: "openai-chat",
        provider: "deepseek",
        statement: "The rule of OpenAI, with a different error text.",
        errors: ["insufficient tool messages following tool_calls message"],
        evidence: "issue",
        source: "https://github.com/langgenius/dify-official-plugins/issues/2352",
      },
      {
        id: "DSC-PAIRING",
        format: "openai-chat",
        provider: "dashscope",
        statement: "The rule of OpenAI, with the error text in a wrapper.",
        errors: [
          '<400> InternalError.Algo.InvalidParameter: An assistant message with "tool_calls" must be followed by tool messages responding to each "tool_call_id". The following tool_call_ids did not have response messages: message[…].role',
        ],
        evidence: "issue",
        source: "https://github.com/QwenLM/qwen-code/issues/606",
      },
    ],
  },
  "displaced-result": {
    title: "The result is too far from its call",
    statement: "A result directly follows its call; only other results of the same turn may come between them.",
    why: "Something was written into the history while the tool was running: a user message, a system reminder, a second assistant message. The result exists, but not where the provider expects it.",
    fix: "The result moves to its call, and the messages between them move after the results.",
    lossless: true,
    cases: [
      {
        id: "OAC-INTERLEAVED",
        format: "openai-chat",
        statement:
          "A result that is separated from its call by a user, system or assistant message is refused as if it were missing.",
        errors: [],
        evidence: "issue",
        source: "https://github.com/osaurus-ai/osaurus/pull/2653",
      },
      {
        id: "ANT-NOT-ADJACENT",
        format: "anthropic",
        statement:
          "A tool_result that is not in the turn directly after its tool_use is refused as if it were missing.",
        errors: [],
        evidence: "issue",
        source: "https://github.com/langchain-ai/langgraphjs/issues/1423",
      },
      {
        id: "MMX-ORDER",
        format: "openai-chat",
        provider: "minimax",
        statement: "A result directly follows its call.",
        errors: ["invalid params, tool call result does not follow tool call (2013)"],
        evidence: "issue",
        source: "https://github.com/MiniMax-AI/MiniMax-M2/issues/69",
      },
      {
        id: "GEM-RESP-ORDER",
        format: "gemini",
        statement: "A function response turn directly follows its function call turn.",
        errors: ["Please ensure that function response turn comes immediately after a function call turn."],
        evidence: "issue",
        source: "https://github.com/langchain-ai/langchain/issues/27799",
      },
      {
        id: "CMP-OUTPUT-ADJACENT",
        format: "openai-responses",
        statement:
          "Compatible servers (DeepSeek's /v1/responses) accept only other calls and outputs between a function_call and its output, no message and no reasoning item.",
        errors: ["No tool output found for tool call call_…"],
        evidence: "issue",
        source: "https://github.com/deepseek-ai/awesome-deepseek-integration/issues/740",
      },
    ],
  },
  "early-result": {
    title: "The result comes before its call",
    statement: "A result comes after its call.",
    why: "Messages were sorted by a time stamp, or merged from two sources, and a fast tool's result was written before the assistant message with its call.",
    fix: "The result moves after its call.",
    lossless: true,
    cases: [
      {
        id: "OAC-RESULT-BEFORE-CALL",
        format: "openai-chat",
        statement:
          "A tool message before the assistant message with its call counts as orphaned, and the call as unanswered.",
        errors: [],
        evidence: "issue",
        source: "https://github.com/NousResearch/hermes-agent/pull/88914",
      },
      {
        id: "ANT-RESULT-BEFORE-CALL",
        format: "anthropic",
        statement: "A tool_result before its tool_use is refused as a result without a call.",
        errors: [],
        evidence: "issue",
        source: "https://github.com/aaif-goose/goose/pull/9739",
      },
      {
        id: "OAR-OUTPUT-BEFORE-CALL",
        format: "openai-responses",
        statement: "An output item comes after its call.",
        errors: [],
        evidence: "derived",
        source: "",
      },
    ],
  },
  "result-not-first": {
    title: "Something comes before the results in the user turn",
    statement: "In the user turn after tool calls, all results come before any other block.",
    why: "A text or an image was placed before the results when messages were merged into one turn.",
    fix: "The results move to the start of the turn; the other blocks keep their order.",
    lossless: true,
    cases: [
      {
        id: "ANT-RESULT-NOT-FIRST",
        format: "anthropic",
        statement: "In the user turn after tool_use, all tool_result blocks come before any other block.",
        errors: ["`tool_use` ids were found without `tool_result` blocks immediately after"],
        evidence: "docs",
        source: "https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls",
      },
      {
        id: "BDR-RESULT-NOT-FIRST",
        format: "bedrock",
        statement:
          "For Claude on Bedrock, all toolResult blocks in the user message after toolUse come before any other block.",
        errors: [
          "messages.2: Did not find 2 `tool_result` block(s) at the beginning of this message. Messages following `tool_use` blocks must begin with a matching number of `tool_result` blocks.",
        ],
        evidence: "derived",
        source: "https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls",
      },
    ],
  },
  "orphan-result": {
    title: "A result has no call",
    statement: "Every result belongs to a call of the assistant turn directly before it.",
    why: "Trimming or summarizing cut the history between a call and its result, the assistant message was never saved, or the id was rewritten on one side only.",
    fix: "The missing call is reconstructed before the result and marked as such. If a call is not allowed there, or if the policy says so, the result is quoted as text or removed.",
    lossless: true,
    cases: [
      {
        id: "OAC-ORPHAN",
        format: "openai-chat",
        statement: "A tool message belongs to a call of the assistant message that opens its block.",
        errors: [
          "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        ],
        evidence: "issue",
        source: "https://github.com/n8n-io/n8n/issues/34166",
      },
      {
        id: "ANT-ORPHAN",
        format: "anthropic",
        statement:
          "Every tool_result refers to a tool_use of the assistant turn directly before it. If the request continues a thread of the server, that turn is on the server.",
        errors: [
          "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_…. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
        ],
        evidence: "issue",
        source: "https://github.com/anthropics/claude-code/issues/18947",
      },
      {
        id: "OAR-ORPHAN",
        format: "openai-responses",
        statement:
          "Every output item has its call in input, unless previous_response_id, conversation or an item_reference replaces it.",
        errors: ["No tool call found for function call output with call_id call_…."],
        evidence: "issue",
        source: "https://github.com/n8n-io/n8n/issues/33431",
      },
      {
        id: "BDR-EXCESS-RESULT",
        format: "bedrock",
        statement: "No message has more toolResult blocks than the message before it has toolUse blocks.",
        errors: [
          "The number of toolResult blocks at messages.2.content exceeds the number of toolUse blocks of previous turn.",
        ],
        evidence: "issue",
        source: "https://github.com/strands-agents/harness-sdk/issues/1435",
      },
      {
        id: "MIS-UNEXPECTED-ID",
        format: "openai-chat",
        provider: "mistral",
        statement: "The id of a result is a call id of the last assistant message (tokenizer v13 and later).",
        errors: ["Unexpected tool call id … in tool results"],
        evidence: "source-code",
        source:
          "https://github.com/mistralai/mistral-common/blob/bc022b91aa1c3b1fb771ac70931ae0009dbf9bad/src/mistral_common/protocol/instruct/validator.py",
      },
      {
        id: "MMX-NOTFOUND",
        format: "openai-chat",
        provider: "minimax",
        statement: "The id of a result is the id of an earlier call.",
        errors: ["invalid params, tool result's tool id(call_function_…) not found (2013)"],
        evidence: "issue",
        source: "https://github.com/MiniMax-AI/MiniMax-M2/issues/76",
      },
      {
        id: "LCP-ORPHAN",
        format: "openai-chat",
        provider: "llamacpp",
        statement: "Chat templates refuse a tool message without an assistant message with a tool call before it.",
        errors: ["Message has tool role, but there was no previous assistant message with a tool call!"],
        evidence: "issue",
        source: "https://github.com/cubist38/mlx-openai-server/pull/205",
      },
      {
        id: "DSC-PAIRING",
        format: "openai-chat",
        provider: "dashscope",
        statement: "The rule of OpenAI, with the error text in a wrapper.",
        errors: [
          '<400> InternalError.Algo.InvalidParameter: messages with role "tool" must be a response to a preceeding message with "tool_calls".',
        ],
        evidence: "issue",
        source: "https://github.com/QwenLM/qwen-code/issues/2360",
      },
    ],
  },
  "duplicate-result": {
    title: "A call has two results",
    statement: "Every call has exactly one result.",
    why: "A retry or a resumed run saved its result again, or a placeholder for an interrupted call was kept beside the real result that came later.",
    fix: "Equal results become one. Different results are merged, separated by a blank line, or the policy keeps only the last.",
    lossless: true,
    cases: [
      {
        id: "OAC-DUP-RESULT",
        format: "openai-chat",
        statement: "A block has one tool message per tool_call_id.",
        errors: ["Invalid parameter: Duplicate value for 'tool_call_id' of 'call_…', in messages[7] and messages[8]."],
        evidence: "issue",
        source: "https://github.com/agno-agi/agno/issues/5116",
      },
      {
        id: "ANT-DUP-RESULT",
        format: "anthropic",
        statement: "Every tool_use has one tool_result.",
        errors: ["each tool_use must have a single result. Found multiple `tool_result` blocks with id: toolu_…"],
        evidence: "issue",
        source: "https://github.com/BerriAI/litellm/pull/20049",
      },
      {
        id: "OAR-DUP-OUTPUT",
        format: "openai-responses",
        statement: "Every call_id has one output item.",
        errors: ["Duplicate function_call_output for call_id terminal:0"],
        evidence: "issue",
        source: "https://github.com/NousResearch/hermes-agent/pull/111443",
      },
      {
        id: "BDR-DUP-RESULT",
        format: "bedrock",
        statement: "Every toolUseId has one toolResult in a message.",
        errors: ["The toolResult blocks at messages.X.content contain duplicate Ids: tooluse_..."],
        evidence: "issue",
        source: "https://github.com/BerriAI/litellm/issues/20048",
      },
      {
        id: "MIS-DUP-RESULT",
        format: "openai-chat",
        provider: "mistral",
        statement: "An id has at most one result.",
        errors: ["Duplicate tool call id … in tool results"],
        evidence: "source-code",
        source:
          "https://github.com/mistralai/mistral-common/blob/bc022b91aa1c3b1fb771ac70931ae0009dbf9bad/src/mistral_common/protocol/instruct/validator.py",
      },
    ],
  },
  "split-results": {
    title: "The results of one turn are spread over several messages",
    statement: "The results of parallel calls are in one message.",
    why: "An SDK or a framework wrote one message per result, as in OpenAI's format, for a provider that requires them in one turn.",
    fix: "The messages are merged into one.",
    lossless: true,
    cases: [
      {
        id: "ANT-RESULT-SPLIT",
        format: "anthropic",
        statement:
          "All results of parallel calls are in one user message. Reports of 2025 show refusals; today consecutive user messages are merged and accepted.",
        errors: ["messages.2: the following `tool_use` ids were not found in `tool_result` blocks: {…}"],
        evidence: "contested",
        source: "https://github.com/pydantic/pydantic-ai/pull/653",
      },
      {
        id: "GEM-SPLIT-RESP",
        format: "gemini",
        statement: "All functionResponse parts for a model turn are in one turn; parts in several turns are refused.",
        errors: [],
        evidence: "issue",
        source: "https://github.com/archestra-ai/archestra/pull/7585",
      },
    ],
  },
});
