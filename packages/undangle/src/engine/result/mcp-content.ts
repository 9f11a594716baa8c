import { isRecord } from "#core";
import type { JsonObject } from "#core";

import type { OutcomePart } from "../ledger/call.ts";
import { kindOf } from "./media.ts";

/** The parts of an MCP result. Undefined for a value that does not have exactly that form. */
export function contentOf(
  returned: unknown,
): { readonly parts: readonly OutcomePart[]; readonly isError: boolean } | undefined {
  if (!isRecord(returned) || !Array.isArray(returned["content"])) return undefined;
  const { content, isError, structuredContent } = returned;
  const isKnown = Object.keys(returned).every((key) => keys.has(key));
  const saysMore = structuredContent !== undefined || typeof isError === "boolean";
  if (!isKnown || (content.length === 0 && !saysMore)) return undefined;
  const parts: OutcomePart[] = [];
  for (const item of content) {
    const part = partOf(item);
    if (part === undefined) return undefined;
    parts.push(part);
  }
  // A server with structured content should also return it as text.
  const isWritten = structuredContent === undefined || parts.some(({ type }) => type === "text");
  if (!isWritten) parts.push({ type: "text", text: JSON.stringify(structuredContent) });
  return { parts, isError: isError === true };
}

const keys: ReadonlySet<string> = new Set(["content", "isError", "structuredContent", "_meta"]);

/** A part of an MCP result; undefined for an unknown kind. */
export function partOf(item: unknown): OutcomePart | undefined {
  if (!isRecord(item)) return undefined;
  const { type, text, data, mimeType, resource, uri } = item;
  switch (type) {
    case "text":
      return typeof text === "string" ? { type, text: text.toWellFormed() } : undefined;
    case "image":
    case "audio":
      if (typeof data !== "string" || typeof mimeType !== "string") return undefined;
      return { type: "media", kind: type, mediaType: mimeType, source: { type: "bytes", data } };
    case "resource":
      return isRecord(resource) ? resourcePart(resource) : undefined;
    case "resource_link":
      return typeof uri === "string" ? { type: "text", text: JSON.stringify(linkOf(item)) } : undefined;
    default:
      return undefined;
  }
}

function resourcePart({ uri, mimeType, text, blob }: JsonObject): OutcomePart | undefined {
  if (typeof uri !== "string") return undefined;
  if (typeof text === "string")
    return { type: "text", text: text.toWellFormed(), document: { title: uri.toWellFormed() } };
  if (typeof blob !== "string") return undefined;
  const mediaType = typeof mimeType === "string" ? mimeType : "application/octet-stream";
  const name = uri.split("/").at(-1);
  const source = { type: "bytes", data: blob } as const;
  return {
    type: "media",
    kind: kindOf(mediaType),
    mediaType,
    source,
    ...(name !== undefined && name !== "" && { name }),
  };
}

/** A link with the fields that a model can use, without those for the client. */
const linkOf = ({ uri, name, title, description, mimeType }: JsonObject): object => ({
  uri,
  name,
  title,
  description,
  mimeType,
});
