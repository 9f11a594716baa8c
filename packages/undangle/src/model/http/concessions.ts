import { hasMedia, withoutMedia } from "#codecs";
import type { Message } from "#codecs";
import type { Language } from "#core";

import type { ModelRequest } from "../model.ts";
import { forcesCall } from "../providers/provider.ts";

/** A feature that a model may refuse and that can be replaced. */
export type ConcessionName = "media" | "tool-choice" | "descriptions" | "cache";

interface Concession {
  /** The error texts of such a refusal, from any provider. */
  readonly says: RegExp;
  /** True if the request uses the feature. */
  readonly concerns: (request: ModelRequest) => boolean;
  /** True if the user is informed for this request, even if the limit is known. */
  readonly isNews: (request: ModelRequest) => boolean;
  readonly apply: (request: ModelRequest) => ModelRequest;
  /** The message for the user. */
  readonly told: Readonly<Record<Language, (model: string) => string>>;
}

/** The limit that OpenAI had, and that Azure and gateways still have. */
const longestDescription = 1024;

const refusesMedia = [
  /unknown variant .{0,3}(?:image_url|input_audio|file)/u, // DeepSeek
  /No endpoints found that support (?:image|audio|file|video|pdf)/iu, // OpenRouter
  /image_url is only supported by certain models/iu, // OpenAI
  /(?:does not|doesn'?t|cannot|can'?t) (?:support|accept|take|process|handle) (?:the )?(?:image|vision|multi-?modal|audio|video|file|picture)s?(?! ?(?:format|type|size|generation))/iu, // LM Studio, Ollama, xAI
  /(?:image|vision|multi-?modal|audio|video|file|picture)s?(?: inputs?| content| data)?(?: is| are)? ?(?:not|un)[ -]?(?:supported|enabled|allowed|accepted)(?! ?(?:format|type|size))/iu, // llama.cpp, Mistral, Moonshot
  /not a multi-?modal model|At most 0 (?:image|audio|video)/iu, // vLLM
  /取值范围.{0,4}\['text'\]|不支持(?:图片|图像|多模态|视觉)/u, // Zhipu
  /content'? ?(?:: value )?must be a string|Input should be 'text'|Unexpected item type in content/iu, // Groq, DashScope
  /Unsupported content part type|missing data required for image/iu, // older llama.cpp, Ollama
];

const refusesCache = [
  /(?:prompt_cache_key|cache_control|cachePoint)/u, // "Unrecognized request argument supplied: prompt_cache_key"
  /prompt caching/iu, // Bedrock: "You invoked an unsupported model or your request did not allow prompt caching."
  /support cache control/iu, // OpenRouter
];

/** The features that models are known to refuse, and their replacements. */
export const concessions: Readonly<Record<ConcessionName, Concession>> = {
  media: {
    says: new RegExp(refusesMedia.map(({ source }) => source).join("|"), "iu"),
    concerns: ({ messages }) => messages.some(hasMedia),
    isNews: ({ messages }) =>
      messages.slice(messages.findLastIndex(({ role }) => role === "assistant") + 1).some(hasMedia),
    apply: (request) => ({ ...request, messages: request.messages.map(textOf) }),
    told: {
      en: (model) => `The model ${model} accepts only text. Short descriptions replace images and files.`,
      zh: (model) => `模型 ${model} 只接受文本：图片和文件以简短文字代替。`,
    },
  },
  "tool-choice": {
    says: /tool[_ ]?choice/iu,
    concerns: forcesCall,
    isNews: () => true,
    apply: (request) => ({
      ...request,
      toolChoice: "auto",
      system: [
        ...request.system,
        { type: "text", path: "system", text: orders[request.language](toolIn(request)), isVolatile: true },
      ],
    }),
    told: {
      en: (model) =>
        `The model ${model} cannot be forced to call a tool. The request asks for the call in its text, which the model may ignore.`,
      zh: (model) => `模型 ${model} 不支持强制调用工具：已改用文字要求，模型可能不照做。`,
    },
  },
  descriptions: {
    says: /description.{0,80}(?:too long|maximum length|exceed|at most)/isu,
    concerns: ({ tools }) => tools.some(({ description = "" }) => description.length > longestDescription),
    isNews: () => false,
    apply: (request) => ({ ...request, tools: shortened(request.tools) }),
    told: {
      en: (model) =>
        `The model ${model} accepts tool descriptions of up to 1,024 characters. Longer descriptions are shortened.`,
      zh: (model) => `模型 ${model} 的工具说明最多 1024 个字符：更长的说明已为其截短。`,
    },
  },
  cache: {
    says: new RegExp(refusesCache.map(({ source }) => source).join("|"), "iu"),
    concerns: ({ cache }) => cache !== undefined,
    isNews: ({ cache }) => cache?.unsupported === "warn",
    apply: ({ cache: _unsupported, ...request }) => request,
    told: {
      en: (model) => `The model ${model} has no setting for prompt caching. Requests to it contain none.`,
      zh: (model) => `模型 ${model} 没有提示词缓存的设置：发给它的请求不含该设置。`,
    },
  },
};

const written = new WeakMap<Message, Message>(); // a message always maps to the same object, which writers use as a cache key

function textOf(message: Message): Message {
  const text = written.get(message) ?? withoutMedia(message);
  written.set(message, text);
  return text;
}

const cut = new WeakMap<ModelRequest["tools"], ModelRequest["tools"]>(); // likewise

function shortened(tools: ModelRequest["tools"]): ModelRequest["tools"] {
  const short =
    cut.get(tools) ??
    tools.map((tool) => {
      const { description } = tool;
      if (description === undefined || description.length <= longestDescription) return tool;
      return { ...tool, description: `${description.slice(0, longestDescription - 1).toWellFormed()}…` };
    });
  cut.set(tools, short);
  return short;
}

const toolIn = ({ toolChoice }: ModelRequest): string | undefined =>
  typeof toolChoice === "object" ? toolChoice.tool : undefined;

const orders: Readonly<Record<Language, (tool: string | undefined) => string>> = {
  en: (tool) =>
    `For this request, respond with a call of ${tool === undefined ? "one of the tools" : `the tool ${tool}`}, not with text.`,
  zh: (tool) => `这一次请通过调用${tool === undefined ? "某个工具" : `工具 ${tool} `}来回答，不要用文字回答。`,
};
