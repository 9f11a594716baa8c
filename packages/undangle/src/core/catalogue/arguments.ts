import { defineRules } from "./rule.ts";

export const callArguments = defineRules({
  "arguments-type": {
    title: "The arguments have the wrong type",
    statement: "The arguments of a call are a string or an object, depending on the format.",
    why: "The history was converted from a format with the other type. OpenAI requires JSON text; Anthropic, Gemini, Bedrock and Ollama require an object.",
    fix: 'The arguments are parsed, or serialized as JSON. Text that cannot be parsed is kept in a wrapper, `{"_raw": "…"}`.',
    lossless: true,
    cases: [
      {
        id: "OAC-ARGS-TYPE",
        format: "openai-chat",
        statement: "function.arguments is a string.",
        errors: [
          "Invalid type for 'messages[2].tool_calls[0].function.arguments': expected a string, but got an object instead.",
        ],
        evidence: "issue",
        source: "https://github.com/aaif-goose/goose-mobile/pull/20",
      },
      {
        id: "OAR-ARGS-TYPE",
        format: "openai-responses",
        statement: "arguments of a function_call is a string.",
        errors: [
          "Invalid type for 'input[3].arguments': expected a string, but got an object instead.",
          "Missing required parameter: 'input[3].arguments'.",
        ],
        evidence: "source-code",
        source:
          "https://github.com/openai/openai-python/blob/e43b422412a9e96c9cc5192c61fffbe2d7e04836/src/openai/types/responses/response_function_tool_call_param.py",
      },
      {
        id: "OAR-TOOLSEARCH-ARGS",
        format: "openai-responses",
        statement: "arguments of a tool_search_call is an object, not a string.",
        errors: ["Invalid type for 'input[40].arguments': expected an object, but got a string instead."],
        evidence: "issue",
        source: "https://github.com/Wei-Shaw/sub2api/issues/3818",
      },
      {
        id: "ANT-INPUT-TYPE",
        format: "anthropic",
        statement: "tool_use.input is an object.",
        errors: ["messages.3.content.1.tool_use.input: Input should be a valid dictionary"],
        evidence: "issue",
        source: "https://github.com/anthropics/anthropic-sdk-typescript/issues/648",
      },
      {
        id: "GEM-ARGS-TYPE",
        format: "gemini",
        statement: "functionCall.args is an object.",
        errors: [],
        evidence: "source-code",
        source:
          "https://github.com/googleapis/python-genai/blob/66807187f2123c6676175ac991f4e34eb09200d1/google/genai/types.py",
      },
      {
        id: "BDR-INPUT-TYPE",
        format: "bedrock",
        statement: "toolUse.input is an object.",
        errors: [
          "The format of the value at messages.1.content.0.toolUse.input is invalid. Provide a json object for the field and try again.",
        ],
        evidence: "issue",
        source: "https://github.com/vercel/ai/pull/19023",
      },
      {
        id: "OLL-ARGS-OBJECT",
        format: "ollama",
        statement: "On the native /api/chat endpoint, arguments is an object.",
        errors: [
          "json: cannot unmarshal string into Go struct field ChatRequest.messages.tool_calls.function.arguments of type api.ToolCallFunctionArguments",
        ],
        evidence: "issue",
        source: "https://github.com/neuron-core/neuron-ai/issues/219",
      },
      {
        id: "MIS-ARGS",
        format: "openai-chat",
        provider: "mistral",
        statement: "arguments is a string or an object; null and an empty string count as {}.",
        errors: [],
        evidence: "source-code",
        source:
          "https://github.com/mistralai/mistral-common/blob/bc022b91aa1c3b1fb771ac70931ae0009dbf9bad/src/mistral_common/protocol/instruct/tool_calls.py",
      },
    ],
  },
  "arguments-json": {
    title: "The arguments are not a JSON object",
    statement: "If the provider parses the arguments, their text is a valid JSON object.",
    why: "The response was cut off in the middle of a call (token limit, broken stream), or the model wrote broken JSON, and the text was saved unchanged.",
    fix: 'The text is kept in a valid wrapper, `{"_raw": "…"}`, and an empty one becomes `{}`. The repair never guesses the missing end.',
    lossless: true,
    cases: [
      {
        id: "CMP-ARGS-JSON",
        format: "openai-chat",
        statement:
          "Gateways and compatible servers parse the arguments and refuse anything but the text of a JSON object; for OpenAI's own models the evidence is contested.",
        errors: [
          "invalid_prompt: Invalid request: messages.70.tool_calls.0.function.arguments: arguments must be a valid JSON object string",
        ],
        evidence: "issue",
        source: "https://github.com/justrach/codegraff/issues/752",
      },
      {
        id: "MMX-ARGS-JSON",
        format: "openai-chat",
        provider: "minimax",
        statement: "The arguments are valid JSON.",
        errors: ["invalid params, invalid function arguments json string, tool_call_id: … (2013)"],
        evidence: "issue",
        source: "https://github.com/earendil-works/pi/issues/5468",
      },
      {
        id: "DSC-ARGS-JSON",
        format: "openai-chat",
        provider: "dashscope",
        statement: "The arguments are valid JSON.",
        errors: [
          '<400> InternalError.Algo.InvalidParameter: The "function.arguments" parameter of the code model must be in JSON format.',
        ],
        evidence: "issue",
        source: "https://github.com/HKUDS/nanobot/issues/2469",
      },
      {
        id: "VLM-ARGS-JSON",
        format: "openai-chat",
        provider: "vllm",
        statement: "The arguments parse to a mapping; an empty string counts as {}.",
        errors: ["Can only get item pairs from a mapping.", "400 Unterminated string"],
        evidence: "issue",
        source: "https://github.com/MiaAI-Lab/DeepSeek-v4-Flash-DSpark-2x-DGX-Spark/issues/55",
      },
    ],
  },
});
