import { defineRules } from "./rule.ts";

export const ids = defineRules({
  "duplicate-call-id": {
    title: "Two calls of one turn have the same id",
    statement: "The ids of the calls in one assistant turn are distinct.",
    why: "The model or a stream parser gave parallel calls the same id, a message was merged with its own copy, or an adapter used the tool name as the id.",
    fix: "The second call gets a new id, and the results are paired with the calls in order.",
    lossless: true,
    cases: [
      {
        id: "OAC-DUP-CALL-ID",
        format: "openai-chat",
        statement: "Ids are unique within one assistant message.",
        errors: ["400 duplicate tool_call_id"],
        evidence: "issue",
        source: "https://github.com/openclaw/openclaw/pull/47136",
      },
      {
        id: "ANT-DUP-ID",
        format: "anthropic",
        statement: "tool_use ids are unique in the whole request, including within one turn.",
        errors: ["messages.43.content.2: `tool_use` ids must be unique"],
        evidence: "issue",
        source: "https://github.com/anthropics/claude-code/issues/28515",
      },
      {
        id: "OAR-DUP-CALL",
        format: "openai-responses",
        statement: "A call_id is unique across input.",
        errors: ["Duplicate 'call_id': undefined"],
        evidence: "issue",
        source: "https://github.com/earendil-works/pi/issues/9057",
      },
      {
        id: "BDR-DUP-USE",
        format: "bedrock",
        statement: "toolUseIds are unique within a message.",
        errors: ["The toolUse blocks at messages.2.content contain duplicate Ids: http_request"],
        evidence: "issue",
        source: "https://github.com/bvcyber/Cyber-AutoAgent-ng/issues/72",
      },
      {
        id: "MIS-DUP-CALL",
        format: "openai-chat",
        provider: "mistral",
        statement: "Ids are distinct within one assistant message.",
        errors: ["Duplicate tool call id … in assistant message"],
        evidence: "source-code",
        source:
          "https://github.com/mistralai/mistral-common/blob/bc022b91aa1c3b1fb771ac70931ae0009dbf9bad/src/mistral_common/protocol/instruct/validator.py",
      },
      {
        id: "GEM-DUP-CALL-ID",
        format: "gemini",
        statement: "functionCall ids are distinct within one model turn; another turn may use the same id.",
        errors: ["Request contains an invalid argument."],
        evidence: "issue",
        source: "https://github.com/watt-mind/coach/pull/280",
      },
    ],
  },
  "reused-call-id": {
    title: "A call has the id of an earlier call",
    statement: "If the provider keys calls by id for the whole request, no later call reuses an id.",
    why: "Some models restart the numbering of calls in every turn (`functions.Bash:0`), and local servers count from zero after each restart.",
    fix: "The later call and its result get a new id, derived from the old one.",
    lossless: true,
    cases: [
      {
        id: "CMP-ID-REUSE",
        format: "openai-chat",
        statement: "Compatible servers that key calls by id refuse an id from an earlier turn.",
        errors: ["400 invalid params, tool call result does not follow tool call (2013)"],
        evidence: "issue",
        source: "https://github.com/can1357/oh-my-pi/issues/2055",
      },
      {
        id: "ANT-DUP-ID",
        format: "anthropic",
        statement: "tool_use ids are unique in the whole request.",
        errors: ["messages.43.content.2: `tool_use` ids must be unique"],
        evidence: "issue",
        source: "https://github.com/anthropics/claude-code/issues/28515",
      },
    ],
  },
  "missing-call-id": {
    title: "A call has no id",
    statement: "Every call has an id that is a non-empty string.",
    why: "The stream lost the first chunk of the call, or the model of a compatible server never sends ids.",
    fix: "The call gets a generated id, and its result is matched by position.",
    lossless: true,
    cases: [
      {
        id: "OAC-ID-MISSING",
        format: "openai-chat",
        statement: "tool_calls[].id is a non-empty string.",
        errors: ["Invalid type for 'messages[2].tool_calls[0].id': expected a string, but got null instead."],
        evidence: "issue",
        source: "https://github.com/VectorlyApp/bluebox/pull/115",
      },
      {
        id: "ANT-ID-MISSING",
        format: "anthropic",
        statement: "tool_use.id is present and not empty.",
        errors: ["messages.1.content.0.tool_use.id: Field required"],
        evidence: "recorded",
        source:
          "https://github.com/aegis-gateway/aegis-ai-gateway/blob/698cf78d6024c6c75f975432fc05ff10b4cee817/docs/evidence/anthropic-tool-mapping.md",
      },
      {
        id: "OAR-CALLID-EMPTY",
        format: "openai-responses",
        statement: "call_id of a call is not empty.",
        errors: ["Invalid 'input[4].call_id': empty string. Expected a string with minimum length 1"],
        evidence: "issue",
        source: "https://github.com/BigPizzaV3/CodexPlusPlus/issues/315",
      },
      {
        id: "OAR-CALLID-MISSING",
        format: "openai-responses",
        statement: "call_id of a call is required.",
        errors: ["Missing required parameter: 'input[1].call_id'."],
        evidence: "source-code",
        source:
          "https://github.com/openai/openai-python/blob/e43b422412a9e96c9cc5192c61fffbe2d7e04836/src/openai/types/responses/response_function_tool_call_param.py",
      },
      {
        id: "MIS-ID-NULL",
        format: "openai-chat",
        provider: "mistral",
        statement: "A call has an id.",
        errors: ["Tool call id has to be defined in serving mode.", "Tool call id has to be defined."],
        evidence: "source-code",
        source:
          "https://github.com/mistralai/mistral-common/blob/bc022b91aa1c3b1fb771ac70931ae0009dbf9bad/src/mistral_common/protocol/instruct/validator.py",
      },
    ],
  },
  "missing-result-id": {
    title: "A result does not name its call",
    statement: "Every result carries the id of its call.",
    why: "A framework kept the tool's output without the id, or converted an old function message, which has no id.",
    fix: "The result is paired with the call at the same position and gets its id.",
    lossless: true,
    cases: [
      {
        id: "OAC-RESULT-ID-MISSING",
        format: "openai-chat",
        statement: "A message with role tool has a tool_call_id.",
        errors: ["Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'."],
        evidence: "issue",
        source: "https://github.com/vercel/ai/pull/2177",
      },
      {
        id: "ANT-ID-MISSING",
        format: "anthropic",
        statement: "tool_result.tool_use_id is present and not empty.",
        errors: ["messages.2.content.0.tool_result.tool_use_id: Field required"],
        evidence: "recorded",
        source:
          "https://github.com/aegis-gateway/aegis-ai-gateway/blob/698cf78d6024c6c75f975432fc05ff10b4cee817/docs/evidence/anthropic-tool-mapping.md",
      },
      {
        id: "MIS-ID-NULL",
        format: "openai-chat",
        provider: "mistral",
        statement: "A result has an id.",
        errors: ["Tool call id has to be defined in serving mode.", "Tool call id has to be defined."],
        evidence: "source-code",
        source:
          "https://github.com/mistralai/mistral-common/blob/bc022b91aa1c3b1fb771ac70931ae0009dbf9bad/src/mistral_common/protocol/instruct/validator.py",
      },
      {
        id: "OAR-CALLID-EMPTY",
        format: "openai-responses",
        statement: "call_id of an output item is not empty.",
        errors: ["Invalid 'input[4].call_id': empty string. Expected a string with minimum length 1"],
        evidence: "issue",
        source: "https://github.com/BigPizzaV3/CodexPlusPlus/issues/315",
      },
      {
        id: "OAR-CALLID-MISSING",
        format: "openai-responses",
        statement: "call_id of an output item is required.",
        errors: ["Missing required parameter: 'input[1].call_id'."],
        evidence: "source-code",
        source:
          "https://github.com/openai/openai-python/blob/e43b422412a9e96c9cc5192c61fffbe2d7e04836/src/openai/types/responses/response_function_tool_call_param.py",
      },
    ],
  },
  "invalid-call-id": {
    title: "An id has a length or characters that the provider does not accept",
    statement: "The id of a call and of its result has the length and characters that the provider allows.",
    why: "The history began with another provider, whose ids are longer or contain characters such as a dot, a colon or a vertical bar.",
    fix: "A hash of the right shape replaces the id, in the call and in its result.",
    lossless: true,
    cases: [
      {
        id: "OAC-ID-LONG",
        format: "openai-chat",
        statement: "An id has at most 40 characters.",
        errors: [
          "Invalid 'messages[36].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 51 instead.",
        ],
        evidence: "issue",
        source: "https://github.com/vercel/ai/issues/8132",
      },
      {
        id: "ANT-ID-PATTERN",
        format: "anthropic",
        statement: "tool_use.id and tool_use_id match ^[a-zA-Z0-9_-]+$.",
        errors: ["messages.5.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"],
        evidence: "issue",
        source: "https://github.com/maximhq/bifrost/issues/5097",
      },
      {
        id: "OAR-CALLID-LONG",
        format: "openai-responses",
        statement: "A call_id has at most 64 characters.",
        errors: [
          "Invalid 'input[95].call_id': string too long. Expected a string with maximum length 64, but got a string with length 116 instead.",
        ],
        evidence: "issue",
        source: "https://github.com/AnswerDotAI/fastllm/issues/45",
      },
      {
        id: "BDR-ID",
        format: "bedrock",
        statement:
          "A toolUseId matches [a-zA-Z0-9_.:-]+ and has 1 to 64 characters (before 2026 without dot and colon).",
        errors: [
          "Value at … toolUse.toolUseId failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.:-]+",
          "Value at … toolUse.toolUseId failed to satisfy constraint: Member must have length less than or equal to 64",
        ],
        evidence: "docs",
        source: "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolUseBlock.md",
      },
      {
        id: "MIS-ID",
        format: "openai-chat",
        provider: "mistral",
        statement: "An id matches ^[a-zA-Z0-9]{9}$.",
        errors: ["Tool call id was call_… but must be a-z, A-Z, 0-9, with a length of 9."],
        evidence: "source-code",
        source:
          "https://github.com/mistralai/mistral-common/blob/bc022b91aa1c3b1fb771ac70931ae0009dbf9bad/src/mistral_common/protocol/instruct/validator.py",
      },
    ],
  },
  "mismatched-call-id": {
    title: "The ids of the responses are not those of the calls",
    statement: "If both the calls and the responses of a turn have ids, the two sets are equal.",
    why: "An adapter generated ids on one side only, for a format in which ids are optional.",
    fix: "The responses get the ids of their calls. If its call may have been removed, a response gets a reconstructed call.",
    lossless: true,
    cases: [
      {
        id: "GEM-ID-MISMATCH",
        format: "gemini",
        statement: "If functionCall and functionResponse parts both have ids, the two sets are equal.",
        errors: [],
        evidence: "source-code",
        source:
          "https://github.com/googleapis/python-genai/blob/66807187f2123c6676175ac991f4e34eb09200d1/google/genai/types.py",
      },
    ],
  },
  "unknown-id-field": {
    title: "The API route does not support the id field",
    statement: "Calls and responses have no id field on a route that does not support it.",
    why: "Only the Gemini Developer API documents the id; Vertex AI and some proxies refuse it.",
    fix: "No automatic repair, because the body does not show its route. Delete the ids on both sides; the API then pairs by position.",
    lossless: true,
    cases: [
      {
        id: "GEM-ID-UNKNOWN",
        format: "gemini",
        statement:
          "Vertex AI and some proxies refuse an id on functionCall or functionResponse; the Gemini Developer API accepts it.",
        errors: [
          "Invalid JSON payload received. Unknown name \"id\" at 'contents[1].parts[0].function_call': Cannot find field.",
        ],
        evidence: "contested",
        source: "https://github.com/MoonshotAI/kimi-cli/pull/1582",
      },
    ],
  },
  "item-id-prefix": {
    title: "An item id has the wrong prefix",
    statement: "An item id, if present, has the prefix of its item type.",
    why: "The call_id, or an id of another format, was written into the id field.",
    fix: "The id is deleted; the call_id still identifies the call.",
    lossless: true,
    cases: [
      {
        id: "OAR-ITEM-ID-PREFIX",
        format: "openai-responses",
        statement:
          "If present, function_call.id begins with 'fc', custom_tool_call.id with 'ctc', and the id of a message with 'msg'.",
        errors: [
          "400 Invalid 'input[N].id': 'call_...'. Expected an ID that begins with 'fc'.",
          "Invalid 'input[49].id': 'fc_1w8xjn5yx1c0y'. Expected an ID that begins with 'ctc'.",
          "Invalid 'input[7].id': 'item_9'. Expected an ID that begins with 'msg'.",
        ],
        evidence: "issue",
        source: "https://github.com/nodetool-ai/nodetool/pull/4252",
      },
    ],
  },
  "item-id-length": {
    title: "An item id is too long",
    statement: "An item id, if present, has at most 64 characters.",
    why: "A gateway or another provider assigned its own id, often encrypted and several hundred characters long.",
    fix: "The id is deleted, or replaced by a hash if the type requires an id. Reasoning that is referenced only by its id is removed.",
    lossless: "partly",
    cases: [
      {
        id: "OAR-ITEM-ID-LONG",
        format: "openai-responses",
        statement: "The id of an item has at most 64 characters.",
        errors: [
          "Invalid 'input[1].id': string too long. Expected a string with maximum length 64, but got a string with length 1760 instead.",
        ],
        evidence: "issue",
        source: "https://github.com/github/app/issues/499",
      },
    ],
  },
  "duplicate-item": {
    title: "The input contains the same item twice",
    statement: "Item ids are unique, including the items of previous_response_id or conversation.",
    why: "The client sent the whole history again on top of a stored response, or a resumed run appended items that were already there.",
    fix: "The copy is removed.",
    lossless: true,
    cases: [
      {
        id: "OAR-DUP-ITEM",
        format: "openai-responses",
        statement: "Item ids in input are unique.",
        errors: ["Duplicate item found with id fc_…. Remove duplicate items from your input and try again."],
        evidence: "issue",
        source: "https://github.com/openai/openai-agents-python/issues/1789",
      },
    ],
  },
});
