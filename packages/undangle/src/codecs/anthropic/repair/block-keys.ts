import { wordOf } from "#core";
import type { JsonObject, Source } from "#core";

import { isFilled } from "../../says-elsewhere.ts";
import { blockAt } from "./context.ts";
import type { Context } from "./context.ts";

/** The keys of blocks by type, from the types of the official SDK (1.8, stable and beta). */
const ownKeys: ReadonlyMap<unknown, ReadonlySet<string>> = new Map(
  Object.entries({
    text: ["text", "cache_control", "citations"],
    image: ["source", "cache_control", "transformations"],
    document: ["source", "cache_control", "citations", "context", "title"],
    thinking: ["thinking", "signature"],
    redacted_thinking: ["data"],
    tool_use: ["id", "name", "input", "cache_control", "caller", "toolset_name"],
    tool_result: ["tool_use_id", "content", "is_error", "cache_control", "toolset_name"],
    server_tool_use: ["id", "name", "input", "cache_control", "caller"],
  }).map(([type, keys]) => [type, new Set(["type", ...keys])]),
);

/** True for a type of block that can have a cache marker. Thinking cannot. */
export const takesCacheMarker = (type: unknown): boolean => ownKeys.get(type)?.has("cache_control") === true;

/** Keys of other block types, of deltas, and of parts in other formats. The API refuses a block with one of them. */
const foreignKeys: ReadonlySet<string> = new Set(
  [...ownKeys.values()]
    .flatMap((keys) => [...keys])
    .concat(
      "index delta partial_json json_buf _input role status state finish_reason stop_reason".split(" "),
      "function arguments args tool_calls tool_call_id tool_name call_id output result".split(" "),
      "annotations logprobs refusal parsed reasoning reasoning_content reasoning_details".split(" "),
      "toolCallId toolName providerOptions providerMetadata thought_signature thoughtSignature".split(" "),
      "extra_content image_url mimeType artifact".split(" "),
    ),
);

/** Keys without content, which can be removed without loss. */
const silent: ReadonlySet<string> = new Set(["index", "id", "status", "state", "role", "finish_reason", "stop_reason"]);

/**
 * True for a key that the API refuses on a block: a key of another format, or one without a value. Any other key may
 * belong to a newer API and stays.
 */
function isForeign(key: string, value: unknown, own: ReadonlySet<string>): boolean {
  return !own.has(key) && value !== undefined && (foreignKeys.has(key) || !isFilled(value));
}

export function hasForeignKeys(block: JsonObject): boolean {
  const own = ownKeys.get(block["type"]);
  if (own === undefined) return false;
  for (const key in block) if (!own.has(key) && isForeign(key, block[key], own)) return true;
  return false;
}

/** Removes the keys that the block type does not have. `tail` is the path to a nested block. */
export function dropForeignBlockKeys(
  block: JsonObject,
  { place, tail = "" }: { readonly place: number; readonly tail?: string },
  source: Source,
  { journal, profile }: Context,
): JsonObject {
  if (!profile.foreignKeysRefused || !hasForeignKeys(block)) return block;
  const own = ownKeys.get(block["type"]) ?? foreignKeys;
  return Object.fromEntries(
    Object.entries(block).filter(([key, value]) => {
      if (!isForeign(key, value, own)) return true;
      const message = `A block of type ${wordOf(block["type"])} has no ${key}.`;
      const lossless = silent.has(key) || !isFilled(value);
      journal.note(
        blockAt(source, place, `${tail}.${key}`),
        { rule: "unknown-property", message },
        { type: "remove", lossless },
      );
      return false;
    }),
  );
}
