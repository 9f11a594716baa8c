import { isRecord } from "#core";
import type { JsonObject } from "#core";

import type { CallOptions } from "./language-model.ts";

/** The request with placeholders for some files; undefined if it has none of them. */
export function withoutFiles<Options extends Pick<CallOptions, "prompt">>(
  options: Options,
  isMeant: (mediaType: string) => boolean,
): Options | undefined {
  let count = 0;
  const written = (part: unknown): unknown => {
    if (!isRecord(part)) return part;
    const { type, output } = part;
    if (typeof type === "string" && files.test(type) && isMeant(typeOf(part))) {
      count++;
      return { type: "text", text: wordsFor(part) };
    }
    if (type !== "tool-result" || !isRecord(output) || !Array.isArray(output["value"])) return part;
    return { ...part, output: { ...output, value: output["value"].map(written) } };
  };
  const prompt = options.prompt.map((message) =>
    isRecord(message) && Array.isArray(message["content"])
      ? { ...message, content: message["content"].map(written) }
      : message,
  );
  return count === 0 ? undefined : { ...options, prompt };
}

const files = /^(?:file|file-data|file-url|image-data|image-url)$/u;

function typeOf({ type, mediaType }: JsonObject): string {
  if (typeof mediaType === "string") return mediaType;
  return typeof type === "string" && type.startsWith("image") ? "image/*" : "";
}

function wordsFor(part: JsonObject): string {
  const { filename, data, url } = part;
  const inner = isRecord(data) ? data["url"] : data;
  const address = url ?? (inner instanceof URL ? inner.href : undefined);
  const name = typeof filename === "string" ? filename : typeof address === "string" ? address : typeOf(part);
  return `[${typeOf(part).startsWith("image") ? "image" : "file"}: ${name}]`;
}
