import { defineRules } from "./rule.ts";

export const names = defineRules({
  "missing-name": {
    title: "A call or a response has no name",
    statement: "Every call names its tool. If the format requires it, every response does too.",
    why: "The model emitted an empty name, the stream lost the chunk that carried it, or an adapter omitted it, because results have no names in its source format.",
    fix: "The name is copied from the other side of the pair, from another call with the same id, or from the only tool of the request. Otherwise it becomes `unknown_tool`.",
    lossless: "partly",
    cases: [
      {
        id: "OAC-NAME-MISSING",
        format: "openai-chat",
        statement: "function.name is a non-empty string.",
        errors: [
          "Invalid 'messages[67].tool_calls[0].function.name': empty string. Expected a string with minimum length 1, but got an empty string instead.",
        ],
        evidence: "issue",
        source: "https://github.com/continuedev/continue/issues/9784",
      },
      {
        id: "GEM-RESP-NAME",
        format: "gemini",
        statement: "functionResponse.name is not empty.",
        errors: ["* GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be empty."],
        evidence: "issue",
        source: "https://github.com/router-for-me/CLIProxyAPI/issues/2104",
      },
      {
        id: "ANT-NAME",
        format: "anthropic",
        statement: "tool_use.name has at least 1 character.",
        errors: ["messages.1.content.2.tool_use.name: String should have at least 1 character"],
        evidence: "issue",
        source: "https://github.com/anthropics/claude-code/issues/23681",
      },
      {
        id: "OAR-NAME",
        format: "openai-responses",
        statement: "name is not empty.",
        errors: [
          "Invalid 'input[26].name': empty string. Expected a string with minimum length 1, but got an empty string instead.",
        ],
        evidence: "issue",
        source: "https://github.com/NousResearch/hermes-agent/issues/31666",
      },
    ],
  },
  "invalid-name": {
    title: "A name has a length or characters that the provider does not accept",
    statement: "The name in a call has the length and characters that the provider allows.",
    why: "The model invented a name with dots, spaces or other characters, or the history comes from a provider or an MCP server with looser rules for names.",
    fix: "Characters that are not allowed are replaced and long names are shortened with a hash, the same way in the call and its result.",
    lossless: "partly",
    cases: [
      {
        id: "OAC-NAME-PATTERN",
        format: "openai-chat",
        statement: "function.name matches ^[a-zA-Z0-9_-]{1,64}$.",
        errors: [
          "Invalid 'messages[9].tool_calls[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
        ],
        evidence: "issue",
        source: "https://github.com/mcp-use/mcp-use/issues/90",
      },
      {
        id: "ANT-NAME",
        format: "anthropic",
        statement:
          "tool_use.name has at most 200 characters; a stricter pattern was reported for histories until 2025 and binds only tools[].name today.",
        errors: ["messages.1.content.2.tool_use.name: String should have at most 200 characters"],
        evidence: "issue",
        source: "https://github.com/anthropics/claude-code/issues/23681",
      },
      {
        id: "OAR-NAME",
        format: "openai-responses",
        statement: "name matches ^[a-zA-Z0-9_-]+$.",
        errors: [
          "Invalid 'input[222].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
        ],
        evidence: "issue",
        source: "https://github.com/NousResearch/hermes-agent/issues/31666",
      },
      {
        id: "GEM-CALL-NAME",
        format: "gemini",
        statement: "A name matches ^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$.",
        errors: [
          "[FIELD_INVALID] Invalid function name. Must start with a letter or an underscore. Must be a-z, A-Z, 0-9, or contain underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.",
        ],
        evidence: "issue",
        source: "https://github.com/kaitranntt/ccs/issues/25",
      },
      {
        id: "BDR-NAME",
        format: "bedrock",
        statement: "toolUse.name matches [a-zA-Z0-9_-]+ and has 1 to 64 characters.",
        errors: [
          "Value at … toolUse.name failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+",
        ],
        evidence: "docs",
        source: "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolUseBlock.md",
      },
      {
        id: "MIS-NAME",
        format: "openai-chat",
        provider: "mistral",
        statement: "A name matches ^[a-zA-Z0-9_-]{1,64}$.",
        errors: [
          "Function name was … but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64.",
        ],
        evidence: "source-code",
        source:
          "https://github.com/mistralai/mistral-common/blob/bc022b91aa1c3b1fb771ac70931ae0009dbf9bad/src/mistral_common/protocol/instruct/validator.py",
      },
    ],
  },
  "mismatched-name": {
    title: "The name of a response differs from the name of its call",
    statement: "A response has the name of its call.",
    why: "The tool was renamed between two requests, or the response has the id or a placeholder as its name.",
    fix: "The name of the call is copied to the response, unless the response names another tool and nothing else pairs them. Responses are put in the order of the calls.",
    lossless: true,
    cases: [
      {
        id: "GEM-RESP-NAME-MISMATCH",
        format: "gemini",
        statement: "functionResponse.name is the name of its call.",
        errors: ["Request contains an invalid argument."],
        evidence: "issue",
        source: "https://github.com/watt-mind/coach/pull/280",
      },
    ],
  },
});
