import { isRecord, wordOf } from "#core";
import type { JsonObject, Source } from "#core";

import { dropForeignBlockKeys } from "./block-keys.ts";
import { blockAt } from "./context.ts";
import type { Context } from "./context.ts";
import { mendMedia } from "./media.ts";
import { continuesThread } from "./thread.ts";

/** The result block of browser tools, which the stable API accepts too. */
const allowed = new Set(["text", "image", "document", "search_result", "browser_state"]);

/** Converts the content of a result to text or a list of blocks that the API accepts. */
export function mendResultContent(block: JsonObject, place: number, source: Source, context: Context): JsonObject {
  const { content } = block;
  if (content === undefined || typeof content === "string") return block;
  const isBlocks =
    Array.isArray(content) && content.every((part) => isRecord(part) && typeof part["type"] === "string");
  const after = isBlocks ? mendBlocks(content, place, source, context) : textOf(content);
  if (after === content) return block;
  if (!isBlocks) {
    context.journal.note(
      blockAt(source, place, ".content"),
      { rule: "result-content", message: "The content of the result is neither text nor a list of blocks." },
      { type: "rewrite" },
    );
  }
  return { ...block, content: after };
}

/** Any tool output as text. */
function textOf(content: unknown): string {
  if (content === null) return "";
  if (Array.isArray(content) && content.every((part) => typeof part === "string")) return content.join("\n");
  return JSON.stringify(content) ?? "";
}

function mendBlocks(content: readonly unknown[], place: number, source: Source, context: Context): readonly unknown[] {
  const { journal, body } = context;
  const mended = content.map((part, i) => {
    const type = isRecord(part) ? part["type"] : undefined;
    const at = blockAt(source, place, `.content[${i}]`);
    if (isRecord(part) && typeof type === "string" && allowed.has(type)) {
      const own = dropForeignBlockKeys(part, { place, tail: `.content[${i}]` }, source, context);
      return mendMedia(own, at, context);
    }
    const finding = {
      rule: "unknown-block" as const,
      message: `A result cannot contain a block of type ${wordOf(type)}.`,
    };
    if (type === "tool_reference" && searchesTools(body)) return part;
    const text = isRecord(part) && typeof part["text"] === "string" ? part["text"] : JSON.stringify(part);
    const after = { type: "text", text };
    journal.note(at, finding, { type: "rewrite" });
    return after;
  });
  return mended.every((part, i) => part === content[i]) ? content : mended;
}

/** True if the model can search for tools, so that results may refer to them. */
const searchesTools = (body: JsonObject | undefined): boolean =>
  continuesThread(body) ||
  offers(body, (tool) => tool["defer_loading"] === true || wordOf(tool["type"]).startsWith("tool_search"));

function offers(body: JsonObject | undefined, isIt: (tool: JsonObject) => boolean): boolean {
  const tools = body?.["tools"];
  return Array.isArray(tools) && tools.some((tool) => isRecord(tool) && isIt(tool));
}
