import { anthropic, gemini, mistral, ollama, openai, openaiCompatible } from "undangle/models";
import type { Model, HttpModelOptions } from "undangle/models";
import type { WireFormat } from "undangle/testing";

/** A kind of model, and how one of it is made against a server. */
export interface Family {
  readonly name: string;
  readonly format: Exclude<WireFormat, "bedrock">;
  /** The rules that the server keeps. */
  readonly provider?: string;
  readonly make: (baseURL: string, options?: HttpModelOptions) => Model;
}

/** What models in tests share: a key that is no key, and no patience. */
const usual = { apiKey: "test-key-0123456789", retryDelay: 1, env: {} } as const;

/** The providers that have an API, or rules, of their own. */
export const families: readonly Family[] = [
  {
    name: "openai, responses",
    format: "openai-responses",
    // What is encrypted is known again by OpenAI's own server only, which has to have its own address for that.
    make: (baseURL, options) => {
      const toTest = (url: string, init: RequestInit) => fetch(url.replace("https://api.openai.com/v1", baseURL), init);
      return openai("gpt-5.1", { ...usual, fetch: toTest, ...options });
    },
  },
  {
    name: "openai, chat",
    format: "openai-chat",
    provider: "openai",
    make: (baseURL, options) => openai("gpt-4.1", { ...usual, api: "chat", baseURL, ...options }),
  },
  {
    name: "anthropic",
    format: "anthropic",
    make: (baseURL, options) => anthropic("claude-sonnet-4-5", { ...usual, baseURL, ...options }),
  },
  {
    name: "gemini",
    format: "gemini",
    make: (baseURL, options) => gemini("gemini-2.5-flash", { ...usual, baseURL, ...options }),
  },
  {
    name: "mistral",
    format: "openai-chat",
    provider: "mistral",
    make: (baseURL, options) => mistral("mistral-large-latest", { ...usual, baseURL, ...options }),
  },
  {
    name: "ollama",
    format: "ollama",
    make: (baseURL, options) => ollama("qwen3:8b", { ...usual, baseURL, ...options }),
  },
];

const ids: Readonly<Record<string, string>> = {
  deepseek: "deepseek-chat",
  moonshot: "kimi-k2-thinking",
  zhipu: "glm-4.6",
  dashscope: "qwen3-max",
  minimax: "MiniMax-M2",
  groq: "openai/gpt-oss-120b",
  xai: "grok-4",
  openrouter: "z-ai/glm-4.6",
  azure: "my-deployment",
  vllm: "mistralai/Mistral-Small-3.2",
  llamacpp: "local",
  lmstudio: "local",
};

/** The servers that speak as OpenAI does. */
export const compatible: readonly Family[] = Object.entries(ids).map(([name, id]) => ({
  name,
  format: "openai-chat",
  provider: name === "lmstudio" ? "llamacpp" : name,
  make: (baseURL, options) => openaiCompatible({ ...usual, provider: name, baseURL, ...options })(id),
}));
