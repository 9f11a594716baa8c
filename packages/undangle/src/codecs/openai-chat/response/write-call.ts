import { isRecord } from "#core";
import type { AssembledCall, JsonObject } from "#core";

import { argumentsText } from "../../stream/response-writer.ts";

/** A call in OpenAI's form. The input of a custom tool is plain text. */
export function wireOf(call: AssembledCall): JsonObject {
  const { id, name, extras } = call;
  return extras?.["type"] === "custom"
    ? withExtras({ id, type: "custom", custom: { name, input: call.raw } }, extras)
    : withExtras({ id, type: "function", function: { name, arguments: argumentsText(call) } }, extras);
}

/** Adds the other fields of the provider to a call and to its function. */
export function withExtras(call: JsonObject, extras: JsonObject | undefined): JsonObject {
  if (extras === undefined) return call;
  const { type: _type, function: more, ...rest } = extras;
  const called = call["function"];
  return { ...call, ...(isRecord(more) && isRecord(called) && { function: { ...called, ...more } }), ...rest };
}
