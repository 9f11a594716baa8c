import { UndangleError } from "#core";

import { httpModel } from "../http/http-model.ts";
import type { HttpModelOptions } from "../http-model-options.ts";
import type { Model } from "../model.ts";
import { chatFields } from "./chat-fields.ts";
import { openaiEffort, thinkers } from "./openai-effort.ts";
import { keyedHosts, promptCacheKey } from "./prompt-cache-key.ts";
import { bearer, joined } from "./provider.ts";
import type { Asked, Fields, Provider } from "./provider.ts";
import { sentSchema } from "./structured-output.ts";

export interface OpenAiOptions extends HttpModelOptions {
  /** The API (default: `responses`). */
  readonly api?: "responses" | "chat" | undefined;
}

/** A model of OpenAI: `openai("gpt-5.1")`. */
export function openai(id: string, { api = "responses", ...options }: OpenAiOptions = {}): Model {
  if (api !== "responses" && api !== "chat") {
    throw new UndangleError("options/value", { option: "api", value: api, allowed: ["responses", "chat"] });
  }
  return httpModel(api === "chat" ? openaiChat : openaiResponses, id, options);
}

const place = {
  name: "openai",
  baseURL: "https://api.openai.com/v1",
  baseVariables: ["OPENAI_BASE_URL"],
  keyVariables: ["OPENAI_API_KEY"],
  headers: bearer,
  cache: { ...promptCacheKey, isFor: (_id: string, host: string | undefined) => keyedHosts.test(host ?? "") },
} as const;

const openaiResponses: Provider = {
  ...place,
  format: "openai-responses",
  profileAt: responsesProfileAt,
  url: (base) => joined(base, "/responses"),
  body: responsesFields,
  // The API minimum.
  maxTokens: (_id, { maxTokens }) => (maxTokens === undefined ? undefined : Math.max(16, maxTokens)),
  lacks: ["seed", "stop"],
};

/** Servers of the Responses format with a known host. */
const hosts: readonly (readonly [host: RegExp, profile: string])[] = [
  [/(?:^|\.)openai\.com$/u, "openai"],
  [/\.azure\.com$/u, "azure"],
  [/(?:^|\.)x\.ai$/u, "xai"],
  [/(?:^|\.)groq\.com$/u, "groq"],
  [/(?:^|\.)deepseek\.com$/u, "deepseek"],
  [/\.aliyuncs\.com$/u, "dashscope"],
  [/(?:^|\.)openrouter\.ai$/u, "openrouter"],
];

/** An unknown server follows the format, without checks that only OpenAI's servers make. */
function responsesProfileAt(host: string): string {
  return hosts.find(([known]) => known.test(host.replace(/:\d+$/u, "")))?.[1] ?? "vllm";
}

const openaiChat: Provider = {
  ...place,
  format: "openai-chat",
  profile: "openai",
  url: (base) => joined(base, "/chat/completions"),
  body: (asked) => ({
    ...chatFields(asked, { output: "with-tools" }),
    ...(asked.options.reasoning !== undefined && { reasoning_effort: openaiEffort(asked.id, asked.options.reasoning) }),
  }),
};

/** OpenAI stores nothing: reasoning is returned encrypted and sent back with the next request. */
function responsesFields({ id, options: { reasoning }, request: { output, tools } }: Asked): Fields {
  const sent = output === undefined ? undefined : sentSchema(output);
  const isThinking = thinkers.test(id) || (reasoning !== undefined && reasoning !== "none");
  const effort = reasoning === undefined ? undefined : openaiEffort(id, reasoning);
  return {
    store: false,
    ...(isThinking && { include: ["reasoning.encrypted_content"] }),
    ...(effort !== undefined && { reasoning: { effort } }),
    ...(sent !== undefined &&
      (sent.isStrict || tools.length === 0) && {
        text: { format: { type: "json_schema", name: "answer", schema: sent.schema, strict: sent.isStrict } },
      }),
  };
}
