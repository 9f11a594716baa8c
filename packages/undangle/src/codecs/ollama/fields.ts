import { isRecord } from "#core";
import type { Source } from "#core";

import type { Context, Message } from "./message.ts";

/** The message with fields of the types that the server decodes: it refuses a request with any other. */
export function mendFields(message: Message, source: Source, context: Context): Message {
  let mended = mendContent(message, source, context);
  mended = mendImages(mended, source, context);
  for (const key of ["thinking", "tool_name", "tool_call_id"]) mended = mendText(mended, key, source, context);
  return mended;
}

/** Content is text: parts, as other formats have them, become text and images. */
function mendContent(message: Message, source: Source, { journal }: Context): Message {
  const { content } = message;
  if (content === undefined || content === null || typeof content === "string") return message;
  const finding = { rule: "content-type" as const, message: "The content is not text." };
  journal.note({ source, suffix: ".content" }, finding, { type: "rewrite" });
  if (!Array.isArray(content)) return { ...message, content: JSON.stringify(content) };
  const pictures = content.flatMap((part: unknown) => pictureIn(part) ?? []);
  const texts = content.filter((part) => pictureIn(part) === undefined).map(textOf);
  const known: readonly unknown[] = Array.isArray(message["images"]) ? message["images"] : [];
  const images = pictures.length === 0 ? {} : { images: [...known, ...pictures] };
  return { ...message, content: texts.join("\n\n"), ...images };
}

function textOf(part: unknown): string {
  const text = isRecord(part) ? part["text"] : part;
  return typeof text === "string" ? text : JSON.stringify(part);
}

/** The bytes of an image as the chat format writes it; undefined for anything else, also for one by its address. */
function pictureIn(part: unknown): string | undefined {
  if (!isRecord(part) || part["type"] !== "image_url") return undefined;
  const given = part["image_url"];
  const url = isRecord(given) ? given["url"] : given;
  const bytes = typeof url === "string" ? bare(url) : url;
  return typeof bytes === "string" && bytes !== url ? bytes : undefined;
}

/** The server decodes base64, and nothing around it. */
const bare = (url: string): string => /^data:[^,]*;base64,(.*)$/s.exec(url)?.[1] ?? url;

function mendImages(message: Message, source: Source, { journal }: Context): Message {
  const { images } = message;
  if (images === undefined || images === null) return message;
  const listed: readonly unknown[] = Array.isArray(images) ? images : [images];
  const mended = listed.map((image) => (typeof image === "string" ? bare(image) : image));
  if (Array.isArray(images) && mended.every((image, i) => image === listed[i])) return message;
  const finding = { rule: "content-type" as const, message: "Images are a list of bytes in base64." };
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
