import { listOf, recordOf } from "../loose.ts";
import type { Verdict } from "../verdict.ts";

/** Inline images in messages and outputs. OpenAI accepts only four types; for other servers nothing is known. */
export function judgeImages(item: unknown, path: string, provider: string | undefined): Verdict[] {
  if (provider !== "openai" && provider !== "azure") return [];
  return ["content", "output"].flatMap((key) =>
    listOf(recordOf(item)[key]).flatMap((part, index) => {
      const { type, image_url: url } = recordOf(part);
      const declared = typeof url === "string" ? /^data:([^;,]+)/.exec(url)?.[1] : undefined;
      if (type !== "input_image" || declared === undefined) return [];
      if (/^image\/(png|jpg|jpeg|gif|webp|\*)$/i.test(declared)) return [];
      const text =
        "The image data you provided does not represent a valid image. Please check your input and try again with one of the supported image formats: ['image/jpeg', 'image/png', 'image/gif', 'image/webp']";
      return [{ id: "OAR-IMAGE-FORMAT", path: `${path}.${key}[${index}].image_url`, text }];
    }),
  );
}
