import { isRecord } from "#core";

import { isCommonImage, isUsualUrl, placeholder, sourceOf } from "../convert/media.ts";
import type { ResponsesProfile } from "./profile.ts";

/** An image that the server refuses to look at, in words. */
export interface RefusedImage {
  readonly text: string;
  readonly why: string;
}

/** What is said in the place of an image whose bytes are of a type that the server refuses; undefined for any other part. */
export function refusedImage(part: unknown, { usualImagesOnly }: ResponsesProfile): RefusedImage | undefined {
  if (!usualImagesOnly || !isRecord(part) || part["type"] !== "input_image") return undefined;
  const url = part["image_url"];
  if (typeof url !== "string" || isUsualUrl(url)) return undefined;
  const image = { type: "media", path: "", kind: "image", ...sourceOf(url) } as const;
  if (isCommonImage(image)) return undefined;
  const why = `The provider accepts PNG, JPEG, GIF and WebP images, not ${image.mediaType ?? "others"}.`;
  return { text: placeholder(image), why };
}
