import { isRecord } from "#core";
import type { JsonObject, Spot } from "#core";

import { kindOf } from "./block.ts";
import type { Context } from "./context.ts";

/** A block of another format in Converse form, and whether it is complete. */
export interface Adopted {
  readonly block: JsonObject;
  readonly lossless: boolean;
}

/** A Converse block has one key; a block of another format has a type. Undefined if Converse has no such block. */
export function adoptBlock(block: JsonObject): Adopted | undefined {
  const { type } = block;
  const reader = typeof type === "string" && Object.hasOwn(readers, type) ? readers[type] : undefined;
  const read = reader?.read(block);
  if (reader !== undefined && read !== undefined) return { block: read, lossless: hasOnly(block, reader.keys) };
  const kind = kindOf(block);
  if (kind === undefined || !isRecord(block[kind])) return undefined;
  return { block: { [kind]: block[kind] }, lossless: hasOnly(block, [kind]) };
}

/** Reports that a block of another format was converted, or could not be. */
export function noteAdopted(adopted: Adopted | undefined, at: Spot, { journal }: Context): void {
  const message = "The block has a type key, as in other formats; a Converse block has one key, which names its kind.";
  const change = adopted && { type: "rewrite" as const, lossless: adopted.lossless };
  journal.note(at, { rule: "unknown-block", message }, change);
}

const hasOnly = (block: JsonObject, keys: readonly string[]): boolean =>
  Object.keys(block).every((key) => key === "type" || keys.includes(key));

interface Reader {
  /** The keys that are read. */
  readonly keys: readonly string[];
  read(block: JsonObject): JsonObject | undefined;
}

const text: Reader = {
  keys: ["text"],
  read: (block) => ("text" in block ? { text: block["text"] } : undefined),
};

const linkedImage: Reader = {
  keys: ["image_url"],
  read({ image_url: given }) {
    const url = isRecord(given) ? given["url"] : given;
    const found = typeof url === "string" ? /^data:([^;,]*)(?:;[^;,]*)*;base64,/.exec(url) : null;
    return found === null || typeof url !== "string" ? undefined : imageOf(found[1], url.slice(found[0].length));
  },
};

const readers: Readonly<Record<string, Reader>> = {
  text,
  input_text: text,
  output_text: text,
  image: {
    keys: ["source"],
    read({ source }) {
      if (!isRecord(source)) return undefined;
      return source["type"] === "base64" ? imageOf(source["media_type"], source["data"]) : undefined;
    },
  },
  image_url: linkedImage,
  input_image: linkedImage,
  thinking: {
    keys: ["thinking", "signature"],
    read({ thinking, signature }) {
      if (typeof thinking !== "string") return undefined;
      const signed = signature === undefined ? {} : { signature };
      return { reasoningContent: { reasoningText: { text: thinking, ...signed } } };
    },
  },
  redacted_thinking: {
    keys: ["data"],
    read: ({ data }) => (data === undefined ? undefined : { reasoningContent: { redactedContent: data } }),
  },
  tool_use: {
    keys: ["id", "name", "input"],
    read: ({ id, name, input }) => ({ toolUse: { toolUseId: id, name, input } }),
  },
  tool_result: {
    keys: ["tool_use_id", "content", "is_error"],
    read({ tool_use_id: toolUseId, content, is_error: isError }) {
      const said = typeof content === "string" ? [{ text: content }] : (content ?? []);
      return { toolResult: { toolUseId, content: said, ...(isError === true ? { status: "error" } : {}) } };
    },
  },
};

/** An image in a format that Converse accepts. */
function imageOf(mediaType: unknown, bytes: unknown): JsonObject | undefined {
  const format = typeof mediaType === "string" ? /^image\/(png|jpe?g|gif|webp)$/i.exec(mediaType)?.[1] : undefined;
  if (format === undefined || typeof bytes !== "string") return undefined;
  return { image: { format: format.toLowerCase().replace("jpg", "jpeg"), source: { bytes } } };
}
