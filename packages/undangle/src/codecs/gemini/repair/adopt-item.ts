import { wrapRaw } from "#core";
import type { JsonObject, Source } from "#core";

import { callPart, outputOf, responsePart } from "./chat-shape.ts";
import type { Context } from "./context.ts";

/** Converts a call or output item of the Responses format to a content. Anything else stays unchanged. */
export function adoptItem(item: JsonObject, source: Source, { journal, origins }: Context): JsonObject {
  const content = item["parts"] === undefined ? contentOf(item) : undefined;
  if (content === undefined) return item;
  const { fields, role, part } = content;
  origins.set(source, [{ path: "", fields }]);
  const finding = { rule: "chat-shape" as const, message: "The content is an item of the Responses format." };
  journal.note({ source, suffix: "" }, finding, { type: "rewrite" });
  return { role, parts: [part] };
}

interface Adopted {
  readonly role: "user" | "model";
  readonly part: JsonObject;
  /** The original paths of the fields. */
  readonly fields: Readonly<Record<string, string>>;
}

function contentOf(item: JsonObject): Adopted | undefined {
  const { call_id: id, name, input, output } = item;
  switch (item["type"]) {
    case "function_call":
      return { role: "model", part: callPart(item, id), fields: { ...callFields, args: ".arguments" } };
    case "custom_tool_call": {
      const args = typeof input === "string" ? wrapRaw(input) : input; // free text is not JSON
      return {
        role: "model",
        part: callPart({ name, arguments: args }, id),
        fields: { ...callFields, args: ".input" },
      };
    }
    case "function_call_output":
    case "custom_tool_call_output": {
      const part = responsePart(id, typeof name === "string" ? name : "", { result: outputOf(output) });
      return { role: "user", part, fields: { ...callFields, response: ".output" } };
    }
    default:
      return undefined;
  }
}

const callFields = { id: ".call_id", name: ".name" };
