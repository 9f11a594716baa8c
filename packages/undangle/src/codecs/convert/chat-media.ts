import type { Media } from "./conversation.ts";
import type { Losses } from "./losses.ts";
import { isCommonImage, mediaText, textInside, urlOf } from "./media.ts";
import { compact } from "./wire.ts";
import type { Wire } from "./wire.ts";

/** What can be seen or heard, as a part of a chat message: as its provider takes it, or in words. */
export function writeChatMedia(media: Media, { provider, model }: ChatReader, losses: Losses): Wire {
  const { kind, source, mediaType, detail, name } = media;
  const inWords = (why: string): Wire => ({ type: "text", text: mediaText(media, losses, why).text });
  const blind = provider === undefined ? undefined : textOnly[provider];
  if (provider !== undefined && blind?.test(model ?? "") === true) {
    return inWords(`${model === undefined ? provider : `${provider} ${model}`} takes only text`);
  }
  if (kind === "image" && (provider === "openai" || provider === "azure") && !isCommonImage(media)) {
    return inWords(`${provider} takes PNG, JPEG, GIF and WebP`);
  }
  const url = urlOf(media);
  if (kind === "image" && url !== undefined) return { type: "image_url", image_url: compact({ url, detail }) };
  if (kind === "file" && provider === "mistral" && url !== undefined && textInside(media) === undefined) {
    return compact({ type: "document_url", document_url: url, document_name: name });
  }
  if (kind === "file" && provider !== undefined && fileless.has(provider)) return inWords(`${provider} takes no files`);
  const filename = name === undefined ? {} : { filename: name };
  if (source.type === "file" && source.owner === "openai" && kind === "file") {
    return { type: "file", file: { file_id: source.id, ...filename } };
  }
  const format = /^audio\/(?:x-)?(wav|mp3|mpeg)$/.exec(mediaType ?? "")?.[1];
  if (source.type === "bytes" && kind === "audio" && format !== undefined) {
    return { type: "input_audio", input_audio: { data: source.data, format: format === "mpeg" ? "mp3" : format } };
  }
  if (source.type === "bytes" && kind === "file") return { type: "file", file: { ...filename, file_data: url } };
  return inWords("openai-chat takes images, WAV and MP3 audio, and files as bytes");
}

/** Who is going to read it. */
export interface ChatReader {
  readonly provider: string | undefined;
  readonly model: string | undefined;
}

/**
 * Which models refuse a request with anything but text in it: "unknown variant `image_url`, expected `text`". A model that is
 * not known gets what there is.
 */
const textOnly: Readonly<Partial<Record<string, RegExp>>> = {
  deepseek: /^/,
  zhipu: /^glm-(?!.*\dv)(?:4|z1|5)/i,
  dashscope: /^(?:qwen3?-(?:max|turbo|coder)|qwen3-\d|qwq|deepseek|glm-(?!.*\dv)\d|kimi-k2(?!\.))/i,
  groq: /(?:gpt-oss|llama-?3|qwen3?-|kimi-k2(?!\.)|deepseek)/i,
  moonshot: /^(?:kimi-k2(?!\.)|moonshot-v1-(?:8|32|128)k$|moonshot-v1-auto$)/i,
  minimax: /^minimax-m[12]/i,
};

/** Who refuses a request with a part of the type `file`. */
const fileless: ReadonlySet<string> = new Set([
  "mistral",
  "moonshot",
  "zhipu",
  "dashscope",
  "minimax",
  "groq",
  "xai",
  "vllm",
  "sglang",
  "llamacpp",
]);
