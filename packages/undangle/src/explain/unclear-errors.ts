import type { Phrase } from "./error-phrases.ts";

/** Texts that say little: they are likely at best, and nothing at all where the text is plainly about something else. */
export const vague: readonly Phrase[] = [
  ["Provider returned error", "upstream-error"],
  ["Request contains an invalid argument.", "mismatched-name", "duplicate-call-id"],
  ["Unsupported message type", "unknown-role"],
  ["400 Unterminated string", "arguments-json"],
  ["^ValidationException", "misplaced-block", "unknown-role", "no-messages"],
];

/** What a text is about when it is not about the history. */
export const unrelated: readonly string[] = [
  "rate limit",
  "rate limited",
  "ratelimit",
  "too many requests",
  "quota",
  "insufficient_quota",
  "api key",
  "unauthorized",
  "authentication",
  "permission",
  "context length",
  "context window",
  "context_length_exceeded",
  "max_tokens",
  "too many tokens",
  "prompt is too long",
  "input is too long",
  "overloaded",
  "bad gateway",
  "service unavailable",
  "timeout",
  "timed out",
  "credits",
  "billing",
  "moderation",
  "in json at position",
];
