import type { StreamFormat } from "undangle";

import type { Answered } from "../clients/passed-through.ts";

const messages = [{ role: "user", content: "hi" }];

/** A request of each format that `wrapFetch` knows by its address. */
export const requests: Readonly<Record<Exclude<StreamFormat, "bedrock">, Pick<Answered, "url" | "request" | "type">>> =
  {
    "openai-chat": {
      url: "https://api.openai.com/v1/chat/completions",
      request: { model: "m", messages, stream: true },
    },
    anthropic: {
      url: "https://api.anthropic.com/v1/messages",
      request: { model: "m", max_tokens: 9, messages, stream: true },
    },
    "openai-responses": {
      url: "https://api.openai.com/v1/responses",
      request: { model: "m", input: "hi", stream: true },
    },
    gemini: {
      url: "https://generativelanguage.googleapis.com/v1beta/models/g:streamGenerateContent?alt=sse",
      request: { contents: [{ role: "user", parts: [{ text: "hi" }] }] },
    },
    ollama: {
      url: "http://localhost:11434/api/chat",
      request: { model: "m", messages, stream: true },
      type: "application/x-ndjson",
    },
  };
