import type { JsonObject } from "#core";

import type { ChatProfile } from "../openai-chat/profile.ts";
import type { Media } from "./conversation.ts";
import type { Losses } from "./losses.ts";
import { isCommonImage, mediaText, textInside, urlOf } from "./media.ts";
import { compact } from "./wire.ts";

/** Media as a part of a chat message, in a form that the provider accepts, or as text. */
export function writeChatMedia(media: Media, { provider, model, profile }: ChatReader, losses: Losses): JsonObject {
  const { kind, source, mediaType, detail, name } = media;
  const { textOnly, files, usualImagesOnly } = profile;
  const inWords = (why: string): JsonObject => ({ type: "text", text: mediaText(media, losses, why).text });
  if (textOnly && (kind !== "file" || files !== "any"))
    return inWords(`${provider ?? ""} ${model ?? ""} accepts only text`);
  if (kind === "image" && usualImagesOnly && !isCommonImage(media)) {
    return inWords(`${provider ?? "it"} accepts PNG, JPEG, GIF and WebP`);
  }
  const url = urlOf(media);
  if (kind === "image" && url !== undefined) return { type: "image_url", image_url: compact({ url, detail }) };
  if (kind === "file" && files === "documents" && url !== undefined && textInside(media) === undefined) {
    return compact({ type: "document_url", document_url: url, document_name: name });
  }
  if (kind === "file" && files !== "any") return inWords(`${provider ?? "it"} does not accept files`);
  const filename = name === undefined ? {} : { filename: name };
  if (source.type === "file" && source.owner === "openai" && kind === "file") {
    return { type: "file", file: { file_id: source.id, ...filename } };
  }
  const format = /^audio\/(?:x-)?(wav|mp3|mpeg)$/.exec(mediaType ?? "")?.[1];
  if (source.type === "bytes" && kind === "audio" && format !== undefined) {
    return { type: "input_audio", input_audio: { data: source.data, format: format === "mpeg" ? "mp3" : format } };
  }
  if (source.type === "bytes" && kind === "file") return { type: "file", file: { ...filename, file_data: url } };
  return inWords("openai-chat accepts images, WAV and MP3 audio, and files as bytes");
}

/** The provider and model that receive the media, and their profile. */
export interface ChatReader {
  readonly provider: string | undefined;
  readonly model: string | undefined;
  readonly profile: Pick<ChatProfile, "textOnly" | "files" | "usualImagesOnly">;
}
