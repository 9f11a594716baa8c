import { recordOf, type Loose } from "../loose.ts";
import { placeOf } from "./turns.ts";
import type { Verdict } from "../verdict.ts";

const imageTypes: readonly unknown[] = ["image/jpeg", "image/png", "image/gif", "image/webp"];

/** The first bytes of images, in base64. */
const beginnings: Readonly<Record<string, string>> = {
  "image/png": "iVBORw0KGgo",
  "image/jpeg": "/9j/",
  "image/gif": "R0lGOD",
};

/** The declared type of an inline image or document, and whether the bytes match. */
export function judgeSource(block: Loose, path: string): Verdict[] {
  const source = recordOf(block["source"]);
  if (source["type"] !== "base64") return [];
  const { media_type: type, data } = source;
  const at = `${path}.source.base64`;
  const place = `${placeOf(path)}.${String(block["type"])}.source.base64`;
  if (block["type"] === "document") {
    if (type === "application/pdf") return [];
    const text = `${place}.media_type: Input should be 'application/pdf'`;
    return [{ id: "ANT-DOC-TYPE", path: `${at}.media_type`, text }];
  }
  if (block["type"] !== "image" || typeof data !== "string") return [];
  if (!imageTypes.includes(type)) {
    const text = `${place}.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`;
    return [{ id: "ANT-IMAGE-TYPE", path: `${at}.media_type`, text }];
  }
  const seen = Object.keys(beginnings).find((name) => data.startsWith(beginnings[name] ?? " "));
  if (seen === undefined || seen === type) return [];
  const text = `${place}.data: Image does not match the provided media type ${String(type)}`;
  return [{ id: "ANT-IMAGE-MATCH", path: `${at}.data`, text }];
}
