import { defineRules } from "./rule.ts";

/** Errors of a gateway that replace those of its provider. */
export const gateways = defineRules({
  "upstream-error": {
    title: "The gateway's provider refused the request",
    statement: "A gateway applies the rules of its upstream provider.",
    why: "OpenRouter forwards the request and wraps the error; the original is in error.metadata.raw.",
    fix: "The repair applies the rules of the provider in the model name.",
    lossless: true,
    cases: [
      {
        id: "ORT-UPSTREAM",
        format: "openai-chat",
        provider: "openrouter",
        statement: "The provider's rule arrives in error.metadata.raw.",
        errors: ["Provider returned error"],
        evidence: "issue",
        source: "https://github.com/tailcallhq/forgecode/issues/1142",
      },
    ],
  },
});
