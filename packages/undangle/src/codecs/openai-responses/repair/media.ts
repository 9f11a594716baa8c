import { isRecord } from "#core";

import { isCommonImage, isUsualUrl, placeholder, sourceOf } from "../../convert/media.ts";
import type { ResponsesProfile } from "../profile.ts";

/** A placeholder for a refused image. */
export interface RefusedImage {
  readonly text: string;
  readonly why: string;
}

/** The placeholder of an image with refused bytes; undefined for any other part. */
export function refusedImage(part: unknown, { usualImagesOnly }: ResponsesProfile): RefusedImage | undefined {
  if (!usualImagesOnly || !isRecord(part) || part["type"] !== "input_image") return undefined;
  const url = part["image_url"];
  if (typeof url !== "string" || isUsualUrl(url)) return undefined;
  const image = { type: "media", path: "", kind: "image", ...sourceOf(url) } as const;
  if (isCommonImage(image)) return undefined;
  const why = `The provider accepts PNG, JPEG, GIF and WebP images, not ${image.mediaType ?? "others"}.`;
  return { text: placeholder(image), why };
}
