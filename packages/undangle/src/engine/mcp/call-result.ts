import { isDeepStrictEqual } from "node:util";

import { isRecord } from "#core";
import type { JsonObject } from "#core";

import { partOf } from "../result/mcp-content.ts";
import type { McpTexts } from "./connection.ts";

/**
 * The result of a call in the form of a tool result: structured content once, unknown kinds as JSON, and unsupported
 * media as placeholders.
 */
export function callResult(returned: unknown, errorTexts: McpTexts): unknown {
  if (!isRecord(returned)) return returned;
  const { content, structuredContent: structured, isError } = returned;
  if (!Array.isArray(content) && structured === undefined) return returned;
  const items = (Array.isArray(content) ? content : []).map((item: unknown) => validItem(item, errorTexts));
  const texts = items.flatMap((item) => (item["type"] === "text" ? [String(item["text"])] : []));
  if (structured !== undefined && !isRepeated(structured, texts)) items.push(textItem(JSON.stringify(structured)));
  if (items.length > 0) return { content: items, isError: isError === true };
  return isError === true ? { content: [textItem(errorTexts.failed)], isError } : undefined;
}

type Item = JsonObject;

const textItem = (text: string): Item => ({ type: "text", text });

function validItem(item: unknown, texts: McpTexts): Item {
  if (!isRecord(item) || partOf(item) === undefined) return textItem(JSON.stringify(item) ?? "");
  const { resource } = item;
  if (isRecord(resource) && typeof resource["blob"] === "string") {
    const blob = base64Of(resource["blob"]);
    return blob === undefined ? unreadable(resource, texts) : { ...item, resource: { ...resource, blob } };
  }
  if (typeof item["data"] !== "string") return item;
  const data = base64Of(item["data"]);
  return data === undefined ? unreadable(item, texts) : { ...item, data };
}

const unreadable = ({ mimeType, type = "file" }: Item, texts: McpTexts): Item =>
  textItem(texts.unreadable(String(mimeType ?? type)));

/** Normalizes base64 for providers: removes the `data:` prefix and line breaks, and replaces the URL-safe alphabet. */
function base64Of(data: string): string | undefined {
  const head = /^data:[^,]{0,200},/u.exec(data)?.[0] ?? "";
  const letters = data.slice(head.length).replaceAll(/\s+/gu, "").replaceAll("-", "+").replaceAll("_", "/");
  return letters !== "" && /^[A-Za-z0-9+/]+={0,2}$/u.test(letters) ? letters : undefined;
}

/** Servers repeat structured content as text; some wrap other values as `{ result }`. */
function isRepeated(structured: unknown, texts: readonly string[]): boolean {
  if (contain(texts, structured)) return true;
  const isWrapped = isRecord(structured) && Object.keys(structured).join() === "result";
  return isWrapped && contain(texts, structured["result"]);
}

/** True if one of the texts is the value, or if each text is one of its items. */
function contain(texts: readonly string[], value: unknown): boolean {
  if (texts.some((text) => isTextOf(text, value))) return true;
  if (!Array.isArray(value) || value.length === 0 || value.length !== texts.length) return false;
  return value.every((item, i) => isTextOf(texts[i] ?? "", item));
}

function isTextOf(text: string, value: unknown): boolean {
  if (typeof value === "string") return text === value;
  try {
    return isDeepStrictEqual(JSON.parse(text), value);
  } catch {
    return false; // not JSON
  }
}
