import { isRecord } from "#core";
import type { Entry, Source } from "#core";

import { mendPartsShape } from "../../gemini/message-of-parts.ts";
import { imagesBeside } from "../../images-beside.ts";
import type { Bytes } from "../../images-beside.ts";
import { keysOfOthers } from "../../keys-of-others.ts";
import { mendContent, textOf } from "./content.ts";
import type { Remainder } from "./content.ts";
import type { Context } from "./context.ts";
import { adoptCalls, adoptResults, callKeys } from "./foreign.ts";
import { withoutKeys } from "./item.ts";
import type { Item } from "./item.ts";
import { plain } from "./plain.ts";
import { readResult } from "./results.ts";

const aliases: Readonly<Record<string, string>> = {
  human: "user",
  model: "assistant",
  ai: "assistant",
  bot: "assistant",
};

const known = new Set(["user", "assistant", "system", "developer"]);

/** Reads a message, and the calls and results in it, as in other formats. */
export function readMessage(given: Item, source: Source, context: Context): readonly Entry[] {
  const shaped = mendPartsShape(given, source, context);
  const item = shaped === undefined ? undefined : mendRole(shaped, source, context);
  if (item === undefined) return [plain("system", source)];
  if (item["type"] === "function_call_output") {
    const isContent = given["content"] !== undefined && given["content"] !== null;
    const result = readResult(item, source, context, isContent ? "content" : "output");
    const name = given["tool_name"] ?? given["name"];
    return [typeof name === "string" ? { ...result, name } : result];
  }
  const { role } = item;
  if (role !== "assistant") {
    const shown = showImages(dropCalls(item, source, context), source, context);
    const { rest, results } = adoptResults(shown, source, context);
    return rest === undefined ? results : [...results, readOwn(rest, source, context)];
  }
  const said = sayRefusal(item, source, context);
  source.mended = said;
  const { rest, calls } = adoptCalls(said, source, context);
  if (rest === undefined) return calls;
  const own = readOwn(rest, source, context);
  return calls.length > 0 && isSilent(own, context) ? calls : [own, ...calls];
}

/** Moves the refusal, which is a separate field in the chat format, to the content. */
function sayRefusal(item: Item, source: Source, { journal }: Context): Item {
  const { content, refusal } = item;
  if (typeof refusal !== "string" || refusal === "") return item;
  const finding = { rule: "chat-shape" as const, message: "A refusal belongs in content, as a part." };
  journal.note({ source, suffix: ".refusal" }, finding, { type: "move", suffix: ".content" });
  const said: readonly unknown[] = Array.isArray(content)
    ? content
    : content
      ? [{ type: "output_text", text: textOf(content) }]
      : [];
  return { ...withoutKeys(item, ["refusal"]), content: [...said, { type: "refusal", refusal }] };
}

/** Moves images, which are a separate field in Ollama, to the content. */
function showImages(item: Item, source: Source, { journal }: Context): Item {
  const images = imagesBeside(item);
  if (images.length === 0) return item;
  const { content } = item;
  const finding = { rule: "chat-shape" as const, message: "Images belong in content, as parts." };
  journal.note({ source, suffix: ".images" }, finding, { type: "move", suffix: ".content" });
  return { ...withoutKeys(item, ["images"]), content: withImages(content, images) };
}

/** Content as a list of parts, with images at the end. */
function withImages(content: unknown, images: readonly Bytes[]): readonly unknown[] {
  const text = textOf(content ?? "");
  const said: readonly unknown[] = Array.isArray(content) ? content : text === "" ? [] : [{ type: "input_text", text }];
  const shown = images.map(({ mediaType, data }) => ({
    type: "input_image",
    image_url: `data:${mediaType};base64,${data}`,
  }));
  return [...said, ...shown];
}

/** The message without other items. */
function readOwn(rest: Remainder, source: Source, context: Context): Entry {
  const { item, media } = mendContent(rest, source, context);
  source.mended = item;
  const { role } = item;
  const entry = plain(role === "user" || role === "assistant" ? role : "system", source);
  if (media.length > 0) context.media.set(entry, media);
  return entry;
}

/** True if a message has no content left. */
function isSilent(entry: Entry, { media }: Context): boolean {
  const item = entry.source?.mended;
  return isRecord(item) && item["content"] === "" && !media.has(entry);
}

/** The message with a valid role, or the output item that it represents; undefined if unclear. */
function mendRole(item: Item, source: Source, { journal }: Context): Item | undefined {
  const { role } = item;
  if (typeof role === "string" && known.has(role)) return item;
  const lower = typeof role === "string" ? role.trim().toLowerCase() : "";
  const told = known.has(lower) ? lower : Object.hasOwn(aliases, lower) ? aliases[lower] : toldByParts(item);
  const message = `${typeof role === "string" ? `${JSON.stringify(role)} is not a role` : "The message has no role"} that the API knows.`;
  const finding = { rule: "unknown-role" as const, message };
  if (lower === "tool" || lower === "function") {
    journal.note({ source, suffix: "" }, finding, { type: "rewrite" });
    return outputOf(item);
  }
  journal.note({ source, suffix: ".role" }, finding, told === undefined ? undefined : { type: "rewrite" });
  return told === undefined ? undefined : { ...item, role: told };
}

/** The role, from the parts of the content. */
function toldByParts({ role, content }: Item): string | undefined {
  if ((role !== undefined && role !== null) || !Array.isArray(content)) return undefined;
  const types = content.map((part: unknown) => (isRecord(part) ? part["type"] : undefined));
  if (types.includes("output_text")) return "assistant";
  return types.includes("input_text") ? "user" : undefined;
}

/** Converts a message with role tool to an output item. */
function outputOf(item: Item): Item {
  const { content, output, tool_call_id: id, call_id: own } = item;
  const callId = id ?? own;
  const keys = ["type", "role", "content", "output", "call_id", "id", ...keysOfOthers(item)];
  const images = imagesBeside(item);
  const said = content ?? output ?? "";
  return {
    type: "function_call_output",
    ...(callId === undefined ? {} : { call_id: callId }),
    output: images.length === 0 ? said : withImages(said, images),
    ...withoutKeys(item, keys),
  };
}

/** Only assistant messages have calls. In other messages, the key is removed. */
function dropCalls(item: Item, source: Source, { journal }: Context): Item {
  const keys = callKeys.filter((key) => item[key] !== undefined);
  for (const key of keys) {
    const finding = { rule: "chat-shape" as const, message: `A message has no ${key}.` };
    journal.note({ source, suffix: `.${key}` }, finding, { type: "remove", lossless: item[key] === null });
  }
  return keys.length === 0 ? item : withoutKeys(item, keys);
}
