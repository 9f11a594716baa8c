import { contextOverflow } from "#core";

/** The kind of an error, from its text. */
export type FailureKind = "overflow" | "filter" | "quota" | "rate" | "overloaded" | "auth" | "place";

/** An error text of a server. */
interface FailureText {
  readonly kind: FailureKind;
  /** Its source. Gateways forward texts of others, so every row applies to every server. */
  readonly from: string;
  readonly says: RegExp;
}

/** The kind of an error by its text and codes: the first matching row. A context overflow has its own table. */
export function failureKind(words: string): FailureKind | undefined {
  const kindIn = (table: readonly FailureText[]): FailureKind | undefined =>
    table.find(({ says }) => says.test(words))?.kind;
  return kindIn(accountTexts) ?? (contextOverflow(words) === undefined ? kindIn(otherTexts) : "overflow");
}

/** Errors about the account or the content, also if they mention tokens. The specific are before the general. */
const accountTexts: readonly FailureText[] = [
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
  // A single request exceeds the tokens per minute of the account. Waiting does not help.
  { kind: "quota", from: "openai, groq", says: /Request too large for .{0,200}(?:TPM|tokens per min)/isu },
  { kind: "rate", from: "openai, bedrock", says: /rate.?limit|tokens per min|too many requests|Throttling/iu },
  { kind: "rate", from: "gemini", says: /RESOURCE_EXHAUSTED/u },
  { kind: "rate", from: "zhipu", says: /code=(?:1302|1303|1305)\b/u },
  { kind: "rate", from: "minimax", says: /(?:status_)?code=(?:1002|1039)\b/u },
];

const otherTexts: readonly FailureText[] = [
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

/** All known error texts except those of a context overflow. */
export const failureTexts: readonly FailureText[] = [...accountTexts, ...otherTexts];
