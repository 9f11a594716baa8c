import { isRecord } from "#core";

import type { Media } from "../../convert/conversation.ts";
import { isCommonImage, kindOf, placeholder, sourceOf, textInside, urlOf } from "../../convert/media.ts";
import { readFile } from "../../convert/read-openai-chat.ts";
import type { Message } from "./message.ts";
import type { ChatProfile } from "../profile.ts";

/** Media that a provider refuses, and its replacement. */
export interface RefusedMedia {
  readonly part: Message;
  readonly why: string;
  /** True if its content is kept: it was text, or only its type is renamed. */
  readonly lossless: boolean;
}

type MediaProfile = Pick<ChatProfile, "textOnly" | "files" | "usualImagesOnly">;

/** Media part types, including those of single servers. */
const mediaTypes = new Set([
  "image_url",
  "input_audio",
  "file",
  "audio_url",
  "video_url",
  "video",
  "document_url",
  "file_url",
]);

/** The replacement of a part that the provider refuses. Undefined for a part that it accepts, or may accept. */
export function refusedMedia(part: Message, profile: MediaProfile): RefusedMedia | undefined {
  const { type } = part;
  if (typeof type !== "string" || !mediaTypes.has(type)) return undefined;
  if (type === "file") return refusedFile(part, profile);
  if (profile.textOnly) return inWords(mediaIn(part, type), `The model accepts only text, not a part of type ${type}.`);
  if (type !== "image_url" || !profile.usualImagesOnly) return undefined;
  const image = mediaIn(part, type);
  if (isCommonImage(image)) return undefined;
  return inWords(image, `The provider accepts PNG, JPEG, GIF and WebP images, not ${image.mediaType ?? "others"}.`);
}

function refusedFile(part: Message, { files, textOnly }: MediaProfile): RefusedMedia | undefined {
  if (files === "any") return undefined;
  const given = part["file"];
  if (files === "documents" && !isRecord(given)) return undefined; // Mistral also has a part of that name, with the id of an upload
  const file = mediaIn(part, "file");
  if (files === "uploads" && !textOnly && file.source.type === "file") return undefined;
  const url = files === "documents" && textInside(file) === undefined ? urlOf(file) : undefined;
  if (url === undefined) return inWords(file, "The provider does not accept files in messages.");
  const name = file.name === undefined ? {} : { document_name: file.name };
  const document = { type: "document_url", document_url: url, ...name };
  return { part: document, why: "The provider accepts files only as documents with a URL.", lossless: true };
}

function inWords(media: Media, why: string): RefusedMedia {
  const own = textInside(media);
  return { part: { type: "text", text: own ?? placeholder(media) }, why, lossless: own !== undefined };
}

/** The known properties of the media in a part. */
function mediaIn(part: Message, type: string): Media {
  const given = part[type];
  const inside = isRecord(given) ? given : { url: given };
  const file = type === "file" ? readFile(inside, "") : undefined;
  if (file !== undefined) return file;
  const { data, format, url } = inside;
  if (type === "input_audio" && typeof data === "string") {
    const mediaType = `audio/${typeof format === "string" ? format : "wav"}`;
    return { type: "media", path: "", kind: "audio", mediaType, source: { type: "bytes", data } };
  }
  const kind = kindOf(type.replace("_", "/"));
  if (typeof url !== "string") {
    return { type: "media", path: "", kind, mediaType: undefined, source: { type: "bytes", data: "" } };
  }
  return { type: "media", path: "", kind, ...sourceOf(url) };
}
