import { isRecord, textContent } from "#core";
import type { Content, JsonObject, ResultEntry } from "#core";

import type { Context } from "./context.ts";
import { insideOf, responseKey } from "../part.ts";

/** Keys that tools use for plain text output. */
const textKeys = new Set(["result", "output", "content", "text", "error"]);

/** The content of a response in movable form. */
export function contentOfResult({ content, wire }: ResultEntry): readonly Content[] {
  if (content !== undefined) return content;
  const { response, parts } = insideOf(wire, responseKey(wire, "camel"));
  const contents: Content[] = [];
  const plain = plainIn(response);
  if (plain !== undefined) {
    if (plain.text !== "") contents.push(textContent(plain.text));
  } else if (isRecord(response) && Object.keys(response).length > 0) {
    contents.push({ type: "text", text: JSON.stringify(response), wire: response });
  }
  if (Array.isArray(parts)) for (const part of parts) contents.push({ type: "media", wire: part });
  return contents;
}

/** True for a response with media. */
export function showsMedia({ content, wire }: ResultEntry): boolean {
  if (content !== undefined) return content.some(({ type }) => type === "media");
  const { parts } = insideOf(wire, responseKey(wire, "camel"));
  return Array.isArray(parts) && parts.length > 0;
}

/** The part of a response, with its changes if there are any. */
export function writeResult(result: ResultEntry, { spelling }: Context): unknown {
  const { wire, id, name, content, fresh } = result;
  if (isRecord(wire) && !fresh && content === undefined) return wire;
  const key = responseKey(wire, spelling());
  const inside = insideOf(wire, key);
  const { parts: _, ...rest } = inside; // media are part of the content
  const own = id === "" ? { name } : { id, name };
  const said =
    content === undefined
      ? { ...inside, ...own }
      : { ...rest, ...own, ...writeContent(result, content, inside["response"]) };
  return { ...(isRecord(wire) ? wire : {}), [key]: said };
}

function writeContent({ wire, error }: ResultEntry, content: readonly Content[], before: unknown): JsonObject {
  const values = content.flatMap((part) => (part.type === "text" ? [part.wire ?? part.text] : []));
  const media = content.flatMap((part) => (part.type === "media" ? [part.wire] : []));
  const [only] = values;
  const key = wire === undefined && error ? "error" : (plainIn(before)?.key ?? "result");
  const response =
    values.length === 0 ? {} : values.length > 1 ? { result: values } : isRecord(only) ? only : { [key]: only };
  return media.length === 0 ? { response } : { response, parts: media };
}

/** The text of a response that contains only text. */
function plainIn(response: unknown): { readonly key: string; readonly text: string } | undefined {
  if (!isRecord(response)) return undefined;
  const [key, ...others] = Object.keys(response);
  if (key === undefined || others.length > 0 || !textKeys.has(key)) return undefined;
  const text = response[key];
  return typeof text === "string" ? { key, text } : undefined;
}
