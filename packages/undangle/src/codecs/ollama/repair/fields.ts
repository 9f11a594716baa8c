import { isRecord } from "#core";
import type { Source } from "#core";

import type { Context, Message } from "./message.ts";

/** Converts fields to the types that the server decodes. It refuses requests with other types. */
export function mendFields(message: Message, source: Source, context: Context): Message {
  let mended = mendContent(message, source, context);
  mended = mendImages(mended, source, context);
  for (const key of ["thinking", "tool_name", "tool_call_id"]) mended = mendText(mended, key, source, context);
  return mended;
}

/** Content must be text. Parts of other formats become text and images. */
function mendContent(message: Message, source: Source, { journal }: Context): Message {
  const { content } = message;
  if (content === undefined || content === null || typeof content === "string") return message;
  const finding = { rule: "content-type" as const, message: "The content is not text." };
  const plain = plainContent(content, message["images"]);
  const isWhole = "images" in plain || message !== source.wire; // keys other than the content changed too
  journal.note({ source, suffix: isWhole ? "" : ".content" }, finding, { type: "rewrite" });
  return { ...message, ...plain };
}

/** The text of content that may be a list of parts. Images of the parts follow the existing images. */
export function plainContent(content: unknown, known: unknown): Message {
  if (typeof content === "string") return { content };
  if (!Array.isArray(content)) return { content: JSON.stringify(content) };
  const pictures = content.flatMap((part: unknown) => pictureIn(part) ?? []);
  const texts = content.filter((part) => pictureIn(part) === undefined).map(textOf);
  const before: readonly unknown[] = Array.isArray(known) ? known : typeof known === "string" ? [known] : [];
  const images = pictures.length === 0 ? {} : { images: [...before, ...pictures] };
  return { content: texts.join("\n\n"), ...images };
}

function textOf(part: unknown): string {
  const text = isRecord(part) ? part["text"] : part;
  return typeof text === "string" ? text : JSON.stringify(part);
}

/** The bytes of an image in other formats. Undefined for anything else, including an image URL. */
function pictureIn(part: unknown): string | undefined {
  if (!isRecord(part)) return undefined;
  const { type, source } = part;
  if (type === "image" && isRecord(source) && typeof source["data"] === "string") return source["data"];
  if (type !== "image_url") return undefined;
  const given = part["image_url"];
  const url = isRecord(given) ? given["url"] : given;
  const bytes = typeof url === "string" ? bare(url) : url;
  return typeof bytes === "string" && bytes !== url ? bytes : undefined;
}

/** Removes the data URL prefix, because the server decodes only base64. */
const bare = (url: string): string => /^data:[^,]*;base64,(.*)$/s.exec(url)?.[1] ?? url;

function mendImages(message: Message, source: Source, { journal }: Context): Message {
  const { images } = message;
  if (images === undefined || images === null) return message;
  const listed: readonly unknown[] = Array.isArray(images) ? images : [images];
  const mended = listed.map((image) => (typeof image === "string" ? bare(image) : image));
  if (Array.isArray(images) && mended.every((image, i) => image === listed[i])) return message;
  const finding = { rule: "content-type" as const, message: "The value of images must be a list of base64 strings." };
  journal.note({ source, suffix: ".images" }, finding, { type: "rewrite" });
  return { ...message, images: mended };
}

function mendText(message: Message, key: string, source: Source, { journal }: Context): Message {
  const value = message[key];
  if (value === undefined || value === null || typeof value === "string") return message;
  const finding = { rule: "content-type" as const, message: `${key} is of type ${typeof value}, not text.` };
  journal.note({ source, suffix: `.${key}` }, finding, { type: "rewrite" });
  return { ...message, [key]: JSON.stringify(value) };
}
