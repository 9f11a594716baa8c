import { isRecord } from "#core";

/** The result of a tool as text, with placeholders for other parts. */
export function resultText(result: unknown): string {
  if (typeof result === "string") return result;
  if (!Array.isArray(result)) return JSON.stringify(result, undefined, 2) ?? "";
  return (result as readonly unknown[]).map(partText).join("\n");
}

function partText(part: unknown): string {
  if (!isRecord(part)) return JSON.stringify(part) ?? "";
  if (typeof part["text"] === "string") return part["text"];
  const { type, mediaType } = part;
  return `[${[type, mediaType].filter((word) => typeof word === "string").join(" ")}]`;
}
