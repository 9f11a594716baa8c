import { isRecord, textContent } from "#core";
import type { Content, ResultEntry } from "#core";

/** The content of a result in movable form. */
export function contentOfResult({ content, wire }: ResultEntry): readonly Content[] {
  if (content !== undefined) return content;
  const output = isRecord(wire) ? (wire["output"] ?? wire["result"]) : undefined;
  if (!isRecord(output) || typeof output["type"] !== "string") return output === undefined ? [] : [asText(output)];
  const { type, value } = output;
  if (type === "execution-denied") return [asText(output["reason"] ?? "")];
  if (type !== "content" || !Array.isArray(value)) return [asText(value)];
  return value.map((part: unknown): Content => {
    if (!isRecord(part) || part["type"] !== "text" || typeof part["text"] !== "string")
      return { type: "media", wire: part };
    return { type: "text", text: part["text"], wire: part };
  });
}

const asText = (value: unknown): Content =>
  textContent(typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

/** The output of a result that was inserted or changed. */
export function writeOutput({ content = [], wire, error }: ResultEntry, isRefused: boolean): unknown {
  const isText = content.every((part) => part.type === "text" && part.wire === undefined);
  const text = content.map((part) => (part.type === "text" ? part.text : "")).join("\n\n");
  if (isRefused) return { type: "execution-denied", reason: text };
  if (!isRecord(wire)) return { type: "error-text", value: text };
  if (isText) return { type: error ? "error-text" : "text", value: text };
  const value = content.map((part) =>
    part.type === "text" ? (part.wire ?? { type: "text", text: part.text }) : part.wire,
  );
  return { type: "content", value };
}

/** Inserted content of a user message: a string if there is only text, otherwise parts. */
export function writeUserContent(content: readonly Content[]): unknown {
  if (content.every((part) => part.type === "text")) {
    return content.map((part) => (part.type === "text" ? part.text : "")).join("\n\n");
  }
  return content.map((part) =>
    part.type === "text" ? (part.wire ?? { type: "text", text: part.text }) : asUserPart(part.wire),
  );
}

/** Converts media of a result for a user message. Media without an equivalent become text. */
function asUserPart(part: unknown): unknown {
  if (isRecord(part)) {
    const { type, data, url, mediaType, filename } = part;
    const named = typeof filename === "string" ? { filename } : {};
    if (type === "file" && typeof mediaType === "string") return part;
    if (type === "image-url" && typeof url === "string") return { type: "image", image: url };
    const bytes = type === "image-data" || type === "file-data" || type === "media" ? data : undefined;
    const given = type === "file-url" ? url : bytes;
    if (given !== undefined && typeof mediaType === "string") return { type: "file", data: given, mediaType, ...named };
  }
  return { type: "text", text: JSON.stringify(part) ?? "" };
}
