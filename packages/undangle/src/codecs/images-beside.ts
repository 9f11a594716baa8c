import type { JsonObject } from "#core";

import { sourceOf, typeOfBytes } from "./convert/media.ts";

/** An image as base64 bytes. */
export interface Bytes {
  readonly mediaType: string;
  readonly data: string;
}

/** The images beside the content of a message, as in Ollama. Empty if one of them is not text. */
export function imagesBeside({ images }: JsonObject): readonly Bytes[] {
  if (!Array.isArray(images) || !images.every(isText)) return [];
  return images.map((image) => {
    const { source, mediaType } = sourceOf(image);
    const data = source.type === "bytes" ? source.data : image;
    return { mediaType: typeOfBytes(data) ?? mediaType ?? "image/png", data };
  });
}

const isText = (image: unknown): image is string => typeof image === "string" && image !== "";
