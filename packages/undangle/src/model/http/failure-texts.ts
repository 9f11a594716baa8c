/** The kind of an error, from its text. */
export type FailureKind = "overflow" | "filter" | "quota" | "rate" | "overloaded" | "auth" | "place";

/** An error text of a server. */
interface FailureText {
  readonly kind: FailureKind;
  /** Its source. Gateways forward texts of others, so every row applies to every server. */
  readonly from: string;
  readonly says: RegExp;
}

/** The kind of an error by its text and codes: the first matching row. */
export function failureKind(words: string): FailureKind | undefined {
  return failureTexts.find(({ says }) => says.test(words))?.kind;
}

/** Known error texts, the specific before the general. */
export const failureTexts: readonly FailureText[] = [
  // Requires payment, or the next billing period.
  { kind: "quota", from: "openai", says: /insufficient_quota|billing_hard_limit_reached/u },
  { kind: "quota", from: "anthropic", says: /credit balance is too low|specified API usage limits/iu },
  { kind: "quota", from: "xai", says: /used all available credits|monthly spending limit/iu },
  { kind: "quota", from: "moonshot", says: /exceeded_current_quota_error|billing_not_active/u },
  { kind: "quota", from: "deepseek, openrouter", says: /insufficient (?:balance|credits|funds)/iu },
  { kind: "quota", from: "dashscope", says: /\bArrearage\b|code=AllocationQuota|access denied.{0,60}overdue/iu },
  { kind: "quota", from: "zhipu", says: /code=1113\b|余额不足/u },
  { kind: "quota", from: "minimax", says: /(?:status_)?code=1008\b/u },
  // The request or the response was filtered.
  {
    kind: "filter",
    from: "openai, azure",
    says: /content_filter|content_policy_violation|ResponsibleAIPolicyViolation/u,
  },
  { kind: "filter", from: "openai", says: /flagged as potentially violating|code=invalid_prompt\b/u },
  { kind: "filter", from: "anthropic", says: /blocked by content filtering/iu },
  { kind: "filter", from: "gemini", says: /PROHIBITED_CONTENT|blocked due to safety/iu },
  { kind: "filter", from: "deepseek", says: /Content Exists Risk/iu },
  { kind: "filter", from: "moonshot", says: /considered high risk/iu },
  { kind: "filter", from: "dashscope", says: /DataInspectionFailed|data_inspection_failed|inappropriate content/iu },
  { kind: "filter", from: "zhipu", says: /code=1301\b|不安全或敏感内容/u },
  { kind: "filter", from: "minimax", says: /(?:status_)?code=(?:1026|1027)\b/u },
  { kind: "filter", from: "xai", says: /violates usage guidelines|SAFETY_CHECK/iu },
  { kind: "filter", from: "openrouter", says: /requires moderation.{0,80}flagged/iu },
  // A limit of tokens per minute is not a context limit, unless a single request exceeds it.
  { kind: "overflow", from: "openai, groq", says: /Request too large for .{0,200}(?:TPM|tokens per min)/isu },
  { kind: "rate", from: "openai, bedrock", says: /rate.?limit|tokens per min|too many requests|Throttling/iu },
  { kind: "rate", from: "gemini", says: /RESOURCE_EXHAUSTED/u },
  { kind: "rate", from: "zhipu", says: /code=(?:1302|1303|1305)\b/u },
  { kind: "rate", from: "minimax", says: /(?:status_)?code=(?:1002|1039)\b/u },
  // The conversation exceeds the context.
  { kind: "overflow", from: "openai", says: /context_length_exceeded|exceeds? the context window/iu },
  { kind: "overflow", from: "openai, vllm, deepseek", says: /maximum context length/iu },
  { kind: "overflow", from: "anthropic", says: /prompt is too long|exceed context limit|request_too_large/iu },
  { kind: "overflow", from: "gemini", says: /input token count.{0,40}exceeds/iu },
  { kind: "overflow", from: "mistral", says: /too large for model with \d+ maximum/iu },
  {
    kind: "overflow",
    from: "ollama",
    says: /exceed(?:s|ed) (?:the )?(?:max(?:imum)? )?context length|prompt too long/iu,
  },
  { kind: "overflow", from: "vllm", says: /maximum model length|max_model_len/iu },
  { kind: "overflow", from: "llamacpp", says: /exceeds? the available context size|exceed_context_size/iu },
  {
    kind: "overflow",
    from: "lmstudio",
    says: /greater than the context length|context (?:size|length) (?:has been )?exceeded/iu,
  },
  { kind: "overflow", from: "dashscope", says: /Range of input length should be/iu },
  { kind: "overflow", from: "moonshot", says: /exceeded model token limit/iu },
  { kind: "overflow", from: "zhipu", says: /code=1261\b|Prompt\s*超长|model_context_window_exceeded/iu },
  { kind: "overflow", from: "minimax", says: /context window exceeds limit/iu },
  { kind: "overflow", from: "xai", says: /maximum prompt length is/iu },
  { kind: "overflow", from: "groq", says: /reduce the length of the messages/iu },
  { kind: "overflow", from: "together", says: /longer than the model'?s context length/iu },
  { kind: "overflow", from: "openrouter", says: /exceeds the maximum allowed input length/iu },
  // Temporary.
  { kind: "overloaded", from: "anthropic, moonshot", says: /overloaded/iu },
  { kind: "overloaded", from: "openai", says: /code=server_error|type=server_error|currently experiencing high/iu },
  { kind: "overloaded", from: "gemini", says: /status=UNAVAILABLE|code=UNAVAILABLE/u },
  { kind: "overloaded", from: "minimax", says: /(?:status_)?code=(?:1000|1001|1013|1033)\b/u },
  // The key.
  { kind: "place", from: "openai", says: /unsupported_country_region_territory|User location is not supported/iu },
  { kind: "auth", from: "openai", says: /invalid_api_key|Incorrect API key/iu },
  { kind: "auth", from: "anthropic", says: /authentication_error|permission_error/u },
  { kind: "auth", from: "gemini", says: /API_KEY_INVALID|API key not valid|API key expired/iu },
  { kind: "auth", from: "dashscope", says: /InvalidApiKey/iu },
  { kind: "auth", from: "minimax", says: /(?:status_)?code=(?:1004|2049)\b/u },
  { kind: "auth", from: "zhipu", says: /code=100[0-4]\b/u },
];
