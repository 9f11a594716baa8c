import { isRecord } from "#core";
import type { JsonObject, Spot } from "#core";

import { base64Of, usualImageType } from "../../convert/media.ts";
import type { Context } from "./context.ts";

/** The image formats in the spelling of the API. */
const formats: readonly unknown[] = ["png", "jpeg", "gif", "webp"];

/** False for an image of a format that the API does not accept. */
export function hasGoodImage(block: JsonObject): boolean {
  const { image } = block;
  return !isRecord(image) || formats.includes(image["format"]);
}

/** The block with an image of a valid format: renamed, or replaced by a placeholder. */
export function mendImage(block: unknown, at: Spot, { journal, policy }: Context): unknown {
  const image = isRecord(block) ? block["image"] : undefined;
  if (policy.keepsMedia || !isRecord(block) || !isRecord(image) || formats.includes(image["format"])) return block;
  const given = typeof image["format"] === "string" ? image["format"] : "";
  const source = isRecord(image["source"]) ? image["source"] : {};
  const format = usualImageType(`image/${given}`, beginningOf(source["bytes"]))?.slice("image/".length);
  const message = `An image is png, jpeg, gif or webp, not ${given === "" ? "without a format" : given}.`;
  journal.note(at, { rule: "media-refused", message }, { type: "rewrite", lossless: format !== undefined });
  if (format === undefined) return { text: `[image: ${given === "" ? "bytes" : `image/${given}`}]` };
  return { ...block, image: { ...image, format } };
}

/** The first bytes in base64, enough to detect their type. */
function beginningOf(bytes: unknown): string {
  if (typeof bytes === "string") return bytes;
  return base64Of(bytes instanceof Uint8Array ? bytes.subarray(0, 12) : bytes) ?? "";
}
