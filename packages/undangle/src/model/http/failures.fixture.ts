import type { ErrorCode } from "#core";

/** From whom it came, with which status, the body, and what it means. */
export type FailureRow = readonly [
  from: string,
  status: number | undefined,
  body: string,
  code: ErrorCode,
  canRetry: boolean,
];

export const openaiError = (message: string, code: string | null, type = "invalid_request_error"): string =>
  JSON.stringify({ error: { message, type, param: null, code } });
export const anthropicError = (type: string, message: string): string =>
  JSON.stringify({ type: "error", error: { type, message }, request_id: "req_011" });
export const geminiError = (code: number, status: string, message: string, details: readonly unknown[] = []): string =>
  JSON.stringify({ error: { code, message, status, details } });
const minimaxError = (status_code: number, status_msg: string): string =>
  JSON.stringify({ base_resp: { status_code, status_msg } });

/** What providers are known to have answered, word for word. */
export const failureRows: readonly FailureRow[] = [
  [
    "openai",
    400,
    openaiError(
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 150000 tokens.",
      "context_length_exceeded",
    ),
    "model/context-overflow",
    false,
  ],
  [
    "openai",
    400,
    openaiError(
      "Your input exceeds the context window of this model. Please adjust your input and try again.",
      "context_length_exceeded",
    ),
    "model/context-overflow",
    false,
  ],
  [
    "openai",
    429,
    openaiError(
      "You exceeded your current quota, please check your plan and billing details.",
      "insufficient_quota",
      "insufficient_quota",
    ),
    "model/rate-limit",
    false,
  ],
  [
    "openai",
    429,
    openaiError(
      "Rate limit reached for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in 2s.",
      "rate_limit_exceeded",
      "tokens",
    ),
    "model/rate-limit",
    true,
  ],
  [
    "openai",
    429,
    openaiError(
      "Request too large for gpt-5.4-nano in organization org-x on tokens per min (TPM): Limit 200000, Requested 353175. The input or output tokens must be reduced in order to run successfully.",
      "rate_limit_exceeded",
      "tokens",
    ),
    "model/rate-limit",
    false,
  ],
  ["openai", 401, openaiError("Incorrect API key provided: sk-x***y.", "invalid_api_key"), "model/auth", false],
  [
    "openai",
    404,
    openaiError("The model `gpt-9` does not exist or you do not have access to it.", "model_not_found"),
    "model/refused",
    false,
  ],
  [
    "openai",
    403,
    openaiError(
      "Country, region, or territory not supported",
      "unsupported_country_region_territory",
      "request_forbidden",
    ),
    "model/refused",
    false,
  ],
  [
    "openai",
    400,
    openaiError("Invalid prompt: your prompt was flagged as potentially violating our usage policy.", "invalid_prompt"),
    "model/content-filter",
    false,
  ],
  [
    "openai",
    500,
    openaiError("The server had an error while processing your request. Sorry about that!", null, "server_error"),
    "model/overloaded",
    true,
  ],
  [
    "openai",
    undefined,
    openaiError("The server had an error processing your request.", "server_error", "server_error"),
    "model/overloaded",
    true,
  ],
  [
    "azure",
    400,
    JSON.stringify({
      error: {
        message: "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
        type: null,
        param: "prompt",
        code: "content_filter",
        status: 400,
        innererror: { code: "ResponsibleAIPolicyViolation" },
      },
    }),
    "model/content-filter",
    false,
  ],
  [
    "anthropic",
    400,
    anthropicError("invalid_request_error", "prompt is too long: 213462 tokens > 200000 maximum"),
    "model/context-overflow",
    false,
  ],
  [
    "anthropic",
    400,
    anthropicError(
      "invalid_request_error",
      "input length and `max_tokens` exceed context limit: 170636 + 34048 > 200000, decrease input length or `max_tokens` and try again",
    ),
    "model/context-overflow",
    false,
  ],
  [
    "anthropic",
    413,
    anthropicError("request_too_large", "Request exceeds the maximum size"),
    "model/context-overflow",
    false,
  ],
  [
    "anthropic",
    400,
    anthropicError("invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
    "model/rate-limit",
    false,
  ],
  ["anthropic", 529, anthropicError("overloaded_error", "Overloaded"), "model/overloaded", true],
  ["anthropic", undefined, anthropicError("overloaded_error", "Overloaded"), "model/overloaded", true],
  [
    "anthropic",
    429,
    anthropicError(
      "rate_limit_error",
      "This request would exceed your organization's rate limit of 40,000 input tokens per minute.",
    ),
    "model/rate-limit",
    true,
  ],
  ["anthropic", 401, anthropicError("authentication_error", "invalid x-api-key"), "model/auth", false],
  [
    "anthropic",
    400,
    anthropicError("invalid_request_error", "Output blocked by content filtering policy"),
    "model/content-filter",
    false,
  ],
  [
    "anthropic",
    400,
    anthropicError(
      "invalid_request_error",
      "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1",
    ),
    "model/refused",
    false,
  ],
  ["anthropic", undefined, anthropicError("api_error", "Internal server error"), "model/overloaded", true],
  [
    "gemini",
    400,
    geminiError(
      400,
      "INVALID_ARGUMENT",
      "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
    ),
    "model/context-overflow",
    false,
  ],
  [
    "gemini",
    400,
    geminiError(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", [
      { reason: "API_KEY_INVALID" },
    ]),
    "model/auth",
    false,
  ],
  [
    "gemini",
    429,
    geminiError(
      429,
      "RESOURCE_EXHAUSTED",
      "You exceeded your current quota, please check your plan and billing details.",
      [{ retryDelay: "34s" }],
    ),
    "model/rate-limit",
    true,
  ],
  [
    "gemini",
    503,
    geminiError(503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
    "model/overloaded",
    true,
  ],
  [
    "gemini, as a list",
    400,
    `[${geminiError(400, "INVALID_ARGUMENT", "The input token count exceeds the maximum number of tokens allowed (1048576).")}]`,
    "model/context-overflow",
    false,
  ],
  [
    "mistral",
    400,
    JSON.stringify({
      object: "error",
      message: "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
      type: "invalid_request_prompt",
      code: "3051",
    }),
    "model/context-overflow",
    false,
  ],
  [
    "mistral",
    422,
    JSON.stringify({
      object: "error",
      message: { detail: [{ type: "extra_forbidden", loc: ["body", "x"], msg: "Extra inputs are not permitted" }] },
      type: "invalid_request_error",
    }),
    "model/refused",
    false,
  ],
  [
    "ollama",
    400,
    JSON.stringify({ error: "prompt too long; exceeded max context length by 12 tokens" }),
    "model/context-overflow",
    false,
  ],
  ["ollama", 404, JSON.stringify({ error: 'model "qwen9" not found, try pulling it first' }), "model/refused", false],
  [
    "ollama",
    500,
    JSON.stringify({ error: "llama runner process has terminated: exit status 2" }),
    "model/overloaded",
    true,
  ],
  [
    "vllm",
    400,
    JSON.stringify({
      object: "error",
      message:
        "This model's maximum context length is 262144 tokens. However, you requested 0 output tokens and your prompt contains at least 262145 input tokens.",
      type: "BadRequestError",
      code: 400,
    }),
    "model/context-overflow",
    false,
  ],
  [
    "llamacpp",
    400,
    JSON.stringify({
      error: {
        code: 400,
        message: "the request exceeds the available context size, try increasing it",
        type: "exceed_context_size_error",
        n_prompt_tokens: 9000,
        n_ctx: 4096,
      },
    }),
    "model/context-overflow",
    false,
  ],
  [
    "lmstudio",
    400,
    JSON.stringify({
      error: "The number of tokens to keep from the initial prompt is greater than the context length.",
    }),
    "model/context-overflow",
    false,
  ],
  [
    "dashscope",
    400,
    openaiError("Range of input length should be [1, 129024]", "invalid_parameter_error"),
    "model/context-overflow",
    false,
  ],
  [
    "dashscope",
    400,
    openaiError("Input data may contain inappropriate content.", "data_inspection_failed"),
    "model/content-filter",
    false,
  ],
  [
    "dashscope",
    400,
    openaiError("Access denied, please make sure your account is in good standing.", "Arrearage"),
    "model/rate-limit",
    false,
  ],
  [
    "moonshot",
    400,
    openaiError("Invalid request: Your request exceeded model token limit: 131072 (requested: 140000)", null),
    "model/context-overflow",
    false,
  ],
  [
    "moonshot",
    429,
    openaiError("The engine is currently overloaded, please try again later", null, "engine_overloaded_error"),
    "model/overloaded",
    true,
  ],
  [
    "moonshot",
    429,
    openaiError(
      "Your account is suspended, please check your plan and billing details",
      null,
      "exceeded_current_quota_error",
    ),
    "model/rate-limit",
    false,
  ],
  [
    "moonshot",
    400,
    openaiError("The request was rejected because it was considered high risk", null, "content_filter"),
    "model/content-filter",
    false,
  ],
  ["zhipu", 400, JSON.stringify({ error: { code: "1261", message: "Prompt 超长" } }), "model/context-overflow", false],
  [
    "zhipu",
    400,
    JSON.stringify({ error: { code: "1301", message: "系统检测到输入或生成内容可能包含不安全或敏感内容" } }),
    "model/content-filter",
    false,
  ],
  [
    "zhipu",
    429,
    JSON.stringify({ error: { code: "1302", message: "您当前使用该API的并发数过高" } }),
    "model/rate-limit",
    true,
  ],
  [
    "zhipu",
    429,
    JSON.stringify({ error: { code: "1113", message: "您的账户已欠费，请充值后重试" } }),
    "model/rate-limit",
    false,
  ],
  ["minimax", 200, minimaxError(1027, "output new_sensitive"), "model/content-filter", false],
  ["minimax", 200, minimaxError(1008, "insufficient balance"), "model/rate-limit", false],
  ["minimax", undefined, minimaxError(1002, "rate limit"), "model/rate-limit", true],
  ["minimax", 200, minimaxError(2013, "invalid params, context window exceeds limit"), "model/context-overflow", false],
  ["minimax", undefined, minimaxError(1004, "login fail"), "model/auth", false],
  [
    "deepseek",
    402,
    openaiError("Insufficient Balance", "invalid_request_error", "unknown_error"),
    "model/rate-limit",
    false,
  ],
  ["deepseek", 400, openaiError("Content Exists Risk", "invalid_request_error"), "model/content-filter", false],
  [
    "xai",
    400,
    JSON.stringify({
      code: "Client specified an invalid argument",
      error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    }),
    "model/context-overflow",
    false,
  ],
  [
    "groq",
    400,
    openaiError("Please reduce the length of the messages or completion.", "context_length_exceeded"),
    "model/context-overflow",
    false,
  ],
  [
    "openrouter",
    400,
    openaiError(
      "This endpoint's maximum context length is 131072 tokens. However, you requested about 200000 tokens.",
      null,
    ),
    "model/context-overflow",
    false,
  ],
  [
    "openrouter",
    402,
    openaiError("Insufficient credits. Add more using https://openrouter.ai/settings/credits", null),
    "model/rate-limit",
    false,
  ],
  [
    "openrouter",
    400,
    JSON.stringify({
      error: {
        message: "Provider returned error",
        code: 400,
        metadata: {
          raw: '{"error":{"message":"prompt is too long: 9 tokens > 8 maximum"}}',
          provider_name: "Anthropic",
        },
      },
    }),
    "model/context-overflow",
    false,
  ],
  ["a proxy", 502, "<html><head><title>502 Bad Gateway</title></head></html>", "model/overloaded", true],
  ["a firewall", 403, "<!DOCTYPE html><title>Attention Required!</title>", "model/refused", false],
  [
    "litellm",
    503,
    openaiError(
      "litellm.APIConnectionError: OpenAIException - Requested token count exceeds the model's maximum context length of 131072 tokens.",
      null,
    ),
    "model/context-overflow",
    false,
  ],
  [
    "bedrock, behind a gateway",
    429,
    openaiError("ThrottlingException: Too many tokens, please wait before trying again.", null),
    "model/rate-limit",
    true,
  ],
  [
    "anthropic",
    400,
    anthropicError(
      "invalid_request_error",
      "You have reached your specified API usage limits. You will regain access on 2026-01-01 at 00:00 UTC.",
    ),
    "model/rate-limit",
    false,
  ],
  [
    "xai",
    403,
    JSON.stringify({
      code: "The caller does not have permission to execute the specified operation",
      error: "Your team has either used all available credits or reached its monthly spending limit.",
    }),
    "model/rate-limit",
    false,
  ],
  [
    "groq",
    400,
    openaiError(
      "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.",
      "tool_use_failed",
    ),
    "model/refused",
    true,
  ],
];
