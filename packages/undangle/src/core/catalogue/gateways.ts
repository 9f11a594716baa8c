import { defineRules } from "./rule.ts";

/** What a gateway says in place of the provider behind it. */
export const gateways = defineRules({
  "upstream-error": {
    title: "The provider behind the gateway refused the request",
    statement: "A gateway has no rules of its own; those of the provider behind it hold.",
    why: "OpenRouter passes the request on and wraps the answer; what was wrong stands in error.metadata.raw.",
    fix: "The rules of the provider that the model's name points to are applied.",
    lossless: true,
    cases: [
      {
        id: "ORT-UPSTREAM",
        format: "openai-chat",
        provider: "openrouter",
        statement: "The rule of the provider behind it arrives in error.metadata.raw.",
        errors: ["Provider returned error"],
        evidence: "issue",
        source: "https://github.com/tailcallhq/forgecode/issues/1142",
      },
    ],
  },
});
